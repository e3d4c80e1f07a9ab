# weaklab: make | make check | make demo | make install PREFIX= DESTDIR=
# SPDX-License-Identifier: GPL-3.0-or-later

BUILD   ?= build
CC      ?= cc
PREFIX  ?= /usr/local
PKGS     = openblas lapacke gsl jansson nettle libarchive matio
TUI_PKGS = readline ncursesw
SAN     ?=

CSTD     = -std=c11 -D_GNU_SOURCE
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
OPT     ?= -O2 -g
CFLAGS  ?=
override CPPFLAGS += -Iinclude -Isrc $(shell pkg-config --cflags $(PKGS) $(TUI_PKGS) 2>/dev/null)
ALL_CFLAGS = $(CSTD) $(WARN) $(OPT) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer) $(CFLAGS) -pthread
ALL_LDFLAGS = $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS) -pthread
LIBS     = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -llinear -lsvm -lm
TUI_LIBS = $(shell pkg-config --libs $(TUI_PKGS) 2>/dev/null)

LIB_DIRS = base linalg data task svm algo eval session
LIB_SRC  = $(foreach d,$(LIB_DIRS),$(wildcard src/$(d)/*.c))
TOP_SRC  = $(wildcard src/plot/*.c src/tui/*.c)
MAIN_SRC = $(wildcard src/main.c)
LIB_OBJ  = $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
TOP_OBJ  = $(TOP_SRC:%.c=$(BUILD)/obj/%.o)
MAIN_OBJ = $(MAIN_SRC:%.c=$(BUILD)/obj/%.o)
UNIT_SRC = $(wildcard tests/unit/test_*.c)
UNIT_BIN = $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)

all: $(BUILD)/libweaklab.a $(if $(MAIN_SRC),$(BUILD)/weaklab)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/libweaklab.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	rm -f $@ && ar rcs $@ $(LIB_OBJ)

$(BUILD)/weaklab: $(MAIN_OBJ) $(TOP_OBJ) $(BUILD)/libweaklab.a
	$(CC) $(ALL_LDFLAGS) -o $@ $(MAIN_OBJ) $(TOP_OBJ) $(BUILD)/libweaklab.a $(TUI_LIBS) $(LIBS)

# a cmocka program a file; linked with the upper layers too, so that they can be tested
$(BUILD)/tests/%: tests/unit/%.c $(TOP_OBJ) $(BUILD)/libweaklab.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(TOP_OBJ) $(BUILD)/libweaklab.a $(TUI_LIBS) $(LIBS) -lcmocka

unit: $(UNIT_BIN)

clean:
	rm -rf build

.PHONY: all unit clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
