# SPDX-License-Identifier: GPL-3.0-or-later
# Every deliberate fault of tests/mutants/faults still finds its place in the sources.
exec sh tests/mutants/mutants.sh --places
