# SPDX-License-Identifier: GPL-3.0-or-later
# squall - a discrete-event simulator of retry storms. `make help` lists the targets.
#
#   MODE      release (default), debug, san     BUILD   where everything built goes (build)
#   CC        the compiler                      WERROR  empty: warnings are no errors
#   PREFIX, BINDIR, DATADIR, MANDIR, DESTDIR    where `make install` puts things
#   BASHDIR, ZSHDIR, FISHDIR                    and what shells complete
#
#   V=1       show the commands whole
#
# CFLAGS and LDFLAGS are yours: they come last.
VERSION := 0.1.0
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share/squall
MANDIR  ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
DESTDIR ?=
BUILD   ?= build
MODE    ?= release
CC      ?= cc
WERROR  ?= -Werror
JOBS    ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
DEMO    ?= out/demo
FUZZ_SECONDS ?= 60
PKGS     = gsl yaml-0.1 jansson
# Opened by the program when it first draws, not linked.
DRAWS    = cairo pangocairo
OUT      = $(BUILD)/$(MODE)

WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
       -Wcast-qual -Wformat=2 -Wswitch-enum -Wundef
CFLAGS.release = -O2 -g
CFLAGS.debug   = -O0 -g -DSQ_DEBUG
CFLAGS.fuzz    = $(CFLAGS.san) -fsanitize=fuzzer-no-link
CFLAGS.san     = -O1 -g -DSQ_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=all \
                 -fno-omit-frame-pointer
CFLAGS.tsan    = -O1 -g -fsanitize=thread -fno-omit-frame-pointer
CFLAGS.coverage = -O0 -g --coverage
ifeq ($(CFLAGS.$(MODE)),)
$(error MODE is release, debug, san, tsan, coverage or fuzz, not '$(MODE)')
endif

# Libraries. Their headers count as system headers: our warnings are about our code. The two
# without a .pc file lie beside the others, which on macOS is no folder the compiler looks into.
PKG_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PKGS) $(DRAWS) 2>/dev/null))
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
PANGOCAIRO  = libpangocairo-1.0.so.0
ifeq ($(shell uname -s),Darwin)
BREW       := $(shell brew --prefix 2>/dev/null)
PKG_CFLAGS += -isystem $(BREW)/include
PKG_LIBS   += -L$(BREW)/lib
PANGOCAIRO  = $(BREW)/lib/libpangocairo-1.0.0.dylib
else
PKG_LIBS   += -ldl
endif

BASE_CFLAGS = -std=c17 -D_POSIX_C_SOURCE=200809L -DSQ_VERSION='"$(VERSION)"' \
              -DPLT_PANGOCAIRO='"$(PANGOCAIRO)"' -I. $(PKG_CFLAGS)
ALL_CFLAGS  = $(BASE_CFLAGS) $(WARN) $(WERROR) -ffp-contract=off $(CFLAGS.$(MODE)) $(CFLAGS)
ALL_LIBS    = $(LDFLAGS) $(PKG_LIBS) -lcsv -lpthread -lm

DIRS     := $(wildcard sim models plots)
LIB_SRC  := $(sort $(shell find $(DIRS) -name '*.c'))
HEADERS  := $(sort $(shell find $(DIRS) -name '*.h'))
TEST_SRC := $(sort $(shell find tests -name 'test_*.c'))
FUZZ_LIB  = tests/fuzz/fuzz.c tests/fuzz/replay.c
FUZZ_SRC := $(filter-out $(FUZZ_LIB),$(sort $(wildcard tests/fuzz/*.c)))
TEST_LIB := $(sort $(filter-out $(TEST_SRC) tests/bench/% tests/fuzz/%, \
                $(shell find tests -name '*.c')))
LIB_OBJ   = $(LIB_SRC:%.c=$(OUT)/%.o) $(OUT)/presets.o
TESTS     = $(TEST_SRC:%.c=$(OUT)/%) $(FUZZ_SRC:%.c=$(OUT)/%-replay)
FUZZERS   = $(FUZZ_SRC:%.c=$(OUT)/%)
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
BENCH     = $(OUT)/tests/bench/bench
SCRIPTS  := $(sort $(shell find tests -mindepth 2 -name '*.sh'))
SLOW      = tests/cli/determinism.sh tests/cli/library.sh tests/cli/schema_valid.sh \
            tests/cli/luck.sh tests/cli/modes.sh tests/cli/prometheus.sh tests/cli/real.sh \
            tests/mutants/mutants.sh tests/cli/matrix.sh $(wildcard tests/tools/*.sh)
PRESETS  := $(sort $(wildcard scenarios/presets/*.yaml))
SAMPLES  := $(sort $(shell find scenarios -type f 2>/dev/null))
INCIDENT  = scenarios/template-api-outage.yaml
# Leaks are the sanitizers' part: gcc 12 loses pointers that go into a pool.
ANALYZE   = -fanalyzer -Wno-analyzer-malloc-leak -fdiagnostics-path-format=separate-events
Q         = $(if $(V),,@)
say       = @$(if $(V),:,echo '  $(1)  $@')
# A sub-make shares the jobs of a parent started with -j, and otherwise uses all cores.
SUBMAKE   = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
RUNNER    = BUILD='$(BUILD)' OUT='$(OUT)' MODE='$(MODE)' CC='$(CC)' MAKE='$(MAKE)' JOBS='$(JOBS)' sh

ifeq ($(MODE),release)
all: $(BUILD)/squall  ## build the program: build/squall
else
all: $(OUT)/squall
endif

$(BUILD)/squall: $(BUILD)/release/squall
	@cp $< $@.tmp && mv $@.tmp $@

$(OUT)/squall: $(OUT)/squall.o $(OUT)/libsquall.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LIBS)

$(OUT)/libsquall.a: $(LIB_OBJ)
	@rm -f $@
	@ar rcs $@ $^

$(OUT)/%.o: %.c Makefile $(OUT)/flags | $(BUILD)/libraries-found
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/tests/%: $(OUT)/tests/%.o $(TEST_LIB:%.c=$(OUT)/%.o) $(OUT)/libsquall.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LIBS) -lcmocka

# Fuzz targets: with the stored inputs an ordinary test, with libFuzzer a program of its own.
$(OUT)/tests/fuzz/%-replay: $(OUT)/tests/fuzz/%.o $(FUZZ_LIB:%.c=$(OUT)/%.o) $(OUT)/libsquall.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LIBS)

$(OUT)/tests/fuzz/%: $(OUT)/tests/fuzz/%.o $(OUT)/tests/fuzz/fuzz.o $(OUT)/libsquall.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(ALL_LIBS)

# Objects are made anew when the compiler or the flags change.
FLAGS = $(subst ','\'',$(CC) $(ALL_CFLAGS) $(ALL_LIBS))
$(OUT)/flags: always
	@mkdir -p $(@D)
	@printf '%s\n' '$(FLAGS)' | cmp -s - $@ || printf '%s\n' '$(FLAGS)' >$@

# The shipped presets stand in the program.
$(BUILD)/presets.c: always
	@mkdir -p $(@D)
	@LC_ALL=C awk -f sim/conf/embed.awk $(PRESETS) </dev/null >$@.tmp
	@cmp -s $@.tmp $@ && rm $@.tmp || mv $@.tmp $@

$(OUT)/presets.o: $(BUILD)/presets.c sim/conf/sq_preset.h Makefile $(OUT)/flags | $(BUILD)/libraries-found
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Says by name what is missing before the compiler fails on it.
$(BUILD)/libraries-found:
	@mkdir -p $(@D)
	@CC='$(CC)' sh .ci/deps.sh --check build
	@touch $@

deps:  ## install the packages that building and testing need
	@CC='$(CC)' sh .ci/deps.sh --install build test

demo:  ## install what is missing, build, show the incident as it was, compare it with the fixes
	@CC='$(CC)' sh .ci/deps.sh --install build
	+@$(SUBMAKE) MODE=release all
	@$(BUILD)/squall run $(INCIDENT) --variant as-it-was --runs 1
	@echo; $(BUILD)/squall compare $(INCIDENT) --runs 10 --out '$(DEMO)'
	@$(BUILD)/squall report '$(DEMO)' -o '$(DEMO)/report.html'
	@echo; echo 'All of it with the charts, in one file: $(DEMO)/report.html'

test:  ## install what is missing, build, and run all tests
	@CC='$(CC)' sh .ci/deps.sh --install build test
	+@$(SUBMAKE) all unit-programs
	@$(RUNNER) tests/run.sh $(TESTS) tests/check-layers.sh $(filter-out $(SLOW),$(SCRIPTS))

unit: unit-programs  ## the unit tests alone
	@$(RUNNER) tests/run.sh $(TESTS)

unit-programs: $(TESTS)

check-all:  ## all tests, every gate as CI runs them, every oracle, every deliberate fault
	@WHOLE=all bash .ci/run
	+@$(SUBMAKE) matrix
	+@$(SUBMAKE) oracles
	+@$(SUBMAKE) mutants

san:  ## unit tests, bad input and a run under the address and undefined sanitizers
	@CC='$(CC)' sh .ci/deps.sh --install build test
	+@$(SUBMAKE) MODE=san all unit-programs
	@$(MAKE) --no-print-directory MODE=san san-run

san-run:
	@$(RUNNER) tests/run.sh $(filter-out %/test_oracles,$(TESTS)) $(filter tests/cli/errors.sh tests/cli/run.sh,$(SCRIPTS))

determinism: all  ## same bytes for other threads, compilers, optimisation, folders, locales
	@$(RUNNER) tests/run.sh tests/cli/determinism.sh

library: all  ## every shipped scenario keeps what it promises, and would not when it is worse; those of scenarios/real what was recorded
	@WORSEN=all $(RUNNER) tests/run.sh tests/cli/library.sh tests/cli/real.sh tests/cli/worsen.sh

browser: all  ## the report in a real browser: 1440 and 390 px, light, dark, printed (chromium)
	@$(RUNNER) tests/run.sh tests/cli/browser.sh

luck: all  ## pairs of runs say more than runs apart; one outcome or two, and marked as such
	@$(RUNNER) tests/run.sh tests/cli/luck.sh tests/cli/modes.sh

ORACLES = $(OUT)/tests/queueing/test_oracles
oracles: $(ORACLES)  ## every closed form and published value that a scenario can express
	@ORACLES=all $(RUNNER) tests/run.sh $(ORACLES)

RANDOM = $(OUT)/tests/models/test_random $(OUT)/tests/models/test_intervals
random: $(RANDOM)  ## 10,000 scenarios at random under all laws; 600 intervals and the true values
	@RANDOM_SCENARIOS=$${RANDOM_SCENARIOS:-10000} INTERVALS=200 $(RUNNER) tests/run.sh $(RANDOM)

mutants:  ## deliberate faults, one at a time: each is noticed by a test
	@$(RUNNER) tests/run.sh tests/mutants/mutants.sh

matrix: all  ## same bytes for every compiler, optimisation, processor, locale: all scenarios
	@$(RUNNER) tests/run.sh tests/cli/matrix.sh

oom: $(OUT)/tests/oom/test_oom  ## every single allocation fails, from load to result
	@OOM=all $(RUNNER) tests/run.sh $<

valgrind: all  ## small work under valgrind
	@$(RUNNER) tests/run.sh tests/tools/valgrind.sh

tsan:  ## two threads at work under the thread sanitizer
	+@$(SUBMAKE) MODE=tsan $(BUILD)/tsan/squall
	@$(MAKE) --no-print-directory MODE=tsan tsan-run

tsan-run:
	@$(RUNNER) tests/run.sh tests/tools/tsan.sh

coverage:  ## how much of sim/ and models/ the tests reach, with gcc
	+@$(SUBMAKE) MODE=coverage CC=gcc $(BUILD)/coverage/squall unit-programs
	@find $(BUILD)/coverage -name '*.gcda' -delete
	@$(MAKE) --no-print-directory MODE=coverage CC=gcc coverage-run

# What fails here is no news: `make test` says it. The counts are what is looked at. Left out is what
# takes long and reaches nothing that the others do not: closed forms, and programs built or installed
# anew, which are not those that count.
UNCOUNTED = $(SLOW) $(addprefix tests/cli/,interrupt.sh deb.sh install.sh)
coverage-run:
	@RANDOM_SCENARIOS=200 $(RUNNER) tests/run.sh $(filter-out %/test_oracles,$(TESTS)) $(filter-out $(UNCOUNTED),$(SCRIPTS)) || true
	@$(RUNNER) tests/run.sh tests/tools/coverage.sh
	@cat $(BUILD)/coverage/test-logs/tests_tools_coverage.sh.log

fuzz:  ## fuzz every target for FUZZ_SECONDS with libFuzzer; finds go to build/fuzz/finds
	+@$(SUBMAKE) MODE=fuzz CC=clang fuzz-programs
	@MODE=fuzz BUILD='$(BUILD)' OUT='$(BUILD)/fuzz' sh tests/fuzz.sh $(FUZZ_SECONDS)

fuzz-programs: $(FUZZERS)

schema-valid: all  ## a public validator takes the scenarios and refuses tests/bad (node, npm)
	@$(RUNNER) tests/run.sh tests/cli/schema_valid.sh

prometheus: all  ## a real Prometheus answers the queries of a recovery from simulated data
	@$(RUNNER) tests/run.sh tests/cli/prometheus.sh

golden-update: all  ## rewrite tests/golden and the schema from what the program now yields
	@BUILD='$(BUILD)' sh tests/cli/schema.sh --update
	@BUILD='$(BUILD)' sh tests/cli/index.sh --update
	@BUILD='$(BUILD)' sh tests/golden/golden.sh --update

bench: all $(BENCH)  ## what speed and memory are, beside yardsticks; also in build/bench.json (quiet machine)
	@$(BENCH) $(BUILD)/squall $(BUILD)/bench.json

$(BENCH): $(BENCH_SRC:%.c=$(OUT)/%.o) $(OUT)/libsquall.a
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LIBS)

lint: $(LIB_OBJ)  ## clang-format, clang-tidy, cppcheck, gcc -fanalyzer
	+@$(RUNNER) tests/lint.sh

check-layers: $(OUT)/libsquall.a  ## floors, doors, banned functions, sizes, writable variables
	@$(RUNNER) tests/check-layers.sh

headers-alone:  ## every header compiles by itself, and twice
	@CFLAGS="$$(printf '%s' '$(subst ','\'',$(BASE_CFLAGS) $(WARN) -Werror)')" \
	    $(RUNNER) tests/headers-alone.sh $(HEADERS)

# One file of the analysers at a time, so that only what changed is looked at again.
$(OUT)/%.tidy: %.c .clang-tidy $(OUT)/%.o
	$(call say,TIDY)
	$(Q)clang-tidy --quiet $< -- $(BASE_CFLAGS) 2>$@.log || { cat $@.log; exit 1; }
	@touch $@

$(OUT)/%.analyzed: %.c $(OUT)/%.o
	$(call say,ANALYZE)
	$(Q)gcc $(BASE_CFLAGS) -O1 -Werror $(ANALYZE) -c -o $@.tmp $<
	@mv $@.tmp $@

tidy-all: $(LIB_SRC:%.c=$(OUT)/%.tidy) $(patsubst %.c,$(OUT)/%.tidy,$(wildcard squall.c))
analyze-all: $(patsubst %.c,$(OUT)/%.analyzed,$(filter sim/%,$(LIB_SRC)))

# Manual pages and completions are what the program says of itself.
PAGES = $(BUILD)/squall.1 $(BUILD)/squall-scenario.5 \
        $(BUILD)/completion/bash $(BUILD)/completion/zsh $(BUILD)/completion/fish
docs: $(PAGES)  ## manual pages and completions, from the program: build/squall.1 and others
$(BUILD)/squall.1: $(BUILD)/squall
	@$< help --man >$@
$(BUILD)/squall-scenario.5: $(BUILD)/squall
	@$< help scenario --man >$@
$(BUILD)/completion/%: $(BUILD)/squall
	@mkdir -p $(@D)
	@$< completion $* >$@

# What goes where: "mode source target".
INSTALLED = 755 $(BUILD)/squall $(BINDIR)/squall \
            644 $(BUILD)/squall.1 $(MANDIR)/man1/squall.1 \
            644 $(BUILD)/squall-scenario.5 $(MANDIR)/man5/squall-scenario.5 \
            644 $(BUILD)/completion/bash $(BASHDIR)/squall \
            644 $(BUILD)/completion/zsh $(ZSHDIR)/_squall \
            644 $(BUILD)/completion/fish $(FISHDIR)/squall.fish \
            $(foreach f,$(SAMPLES),644 $f $(DATADIR)/$f)

install: all docs  ## install under PREFIX (honours DESTDIR, BINDIR, DATADIR, MANDIR)
	@set -- $(INSTALLED); while [ $$# -gt 0 ]; do \
	    echo "install -m $$1 $$2 '$(DESTDIR)$$3'"; \
	    install -d "$$(dirname '$(DESTDIR)'"$$3")" && \
	    install -m $$1 $$2 '$(DESTDIR)'"$$3" || exit 1; shift 3; done

uninstall:  ## remove exactly what install put there
	@set -- $(INSTALLED); while [ $$# -gt 0 ]; do echo "rm -f '$(DESTDIR)$$3'"; \
	    rm -f '$(DESTDIR)'"$$3"; shift 3; done
	@if [ -d '$(DESTDIR)$(DATADIR)' ]; then \
	    find '$(DESTDIR)$(DATADIR)' -depth -type d -exec rmdir {} + 2>/dev/null; fi; true

deb: all docs  ## a package for this Debian: build/squall_VERSION_ARCH.deb
	@BUILD='$(BUILD)' VERSION='$(VERSION)' MAKE='$(MAKE)' sh .ci/deb.sh

help:  ## this list
	@echo 'make [TARGET] [MODE=release|debug|san] [CC=...] [BUILD=...] [PREFIX=...]'
	@awk -F ':.*## *' '/^[a-z-]+:.*##/ { printf "  %-15s %s\n", $$1, $$2 }' Makefile

clean:  ## remove everything built
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(OUT)/squall.d $(BENCH_SRC:%.c=$(OUT)/%.d)
-include $(patsubst %.c,$(OUT)/%.d,$(TEST_SRC) $(TEST_LIB) $(FUZZ_SRC) $(FUZZ_LIB))
.PHONY: all always deps demo test unit unit-programs check-all san san-run determinism library luck browser \
        random matrix oom valgrind tsan tsan-run coverage coverage-run fuzz fuzz-programs schema-valid \
        golden-update bench oracles lint prometheus check-layers headers-alone \
        tidy-all analyze-all docs install uninstall deb help clean
.SECONDARY:
.DELETE_ON_ERROR:
