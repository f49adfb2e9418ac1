# SPDX-License-Identifier: GPL-3.0-or-later
# Every shipped scenario with all the runs that its file asks for.
. tests/lib.sh
run "$SQUALL" check scenarios
check 'the shipped scenarios hold in all their runs' [ "$status" = 0 ]
check 'none failed, none warned' grep -q '^[0-9]* passed, 0 failed; ' "$work/stdout"
finish
