# SPDX-License-Identifier: GPL-3.0-or-later
# squall - a discrete-event simulator of retry storms. `make help` lists the targets.
VERSION := 0.1.0
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share/squall
BUILD   ?= build
MODE    ?= release
CC      ?= cc
WERROR  ?= -Werror
PKGS     = gsl cairo pangocairo yaml-0.1 jansson
OUT      = $(BUILD)/$(MODE)

WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
       -Wcast-qual -Wformat=2 -Wswitch-enum -Wundef
CFLAGS.release = -O2 -g
CFLAGS.debug   = -O0 -g -DSQ_DEBUG
CFLAGS.san     = -O1 -g -DSQ_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=all
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
ALL_CFLAGS = -std=c17 -D_POSIX_C_SOURCE=200809L -DSQ_VERSION='"$(VERSION)"' $(WARN) $(WERROR) \
             -ffp-contract=off $(CFLAGS.$(MODE)) -I. $(PKG_CFLAGS) $(CFLAGS)
ALL_LIBS   = $(LDFLAGS) $(PKG_LIBS) -lcsv -lpthread -lm

LIB_SRC := $(sort $(shell find sim models plots -name '*.c'))
LIB_OBJ  = $(LIB_SRC:%.c=$(OUT)/%.o)
TESTS    = $(patsubst %.c,$(OUT)/%,$(sort $(shell find tests -name 'test_*.c')))

all: $(BUILD)/squall  ## build the program

$(BUILD)/squall: $(OUT)/squall
	@cp $< $@.tmp && mv $@.tmp $@

$(OUT)/squall: $(OUT)/squall.o $(OUT)/libsquall.a
	$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LIBS)

$(OUT)/libsquall.a: $(LIB_OBJ)
	@rm -f $@
	@ar rcs $@ $^

$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/tests/%: $(OUT)/tests/%.o $(OUT)/libsquall.a
	$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LIBS) -lcmocka

unit: $(TESTS)
	@fail=0; for t in $(TESTS); do $$t >$$t.log 2>&1 || { fail=1; cat $$t.log; }; done; exit $$fail

clean:  ## remove everything built
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d)
.PHONY: all unit clean
.SECONDARY:
