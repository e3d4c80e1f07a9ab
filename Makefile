# weaklab: make | make check | make demo | make figures | make reproduce EXHIBIT= | make experiments | make bench | make bench-svmlin |
#          make bench-wellsvm | make bench-psvm | make install PREFIX= LIBDIR= DESTDIR=
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Not recursive, with one exception: `check` and `demo` first install missing packages and then call make again, so that
# one command is enough on a fresh machine.  Make can read this file without a compiler or pkg-config.

BUILD   ?= build
CC      ?= cc
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
SAN     ?=
OPT     ?= -O2 -g
CFLAGS  ?=
LDFLAGS ?=
JOBS    ?= $(shell nproc 2>/dev/null || echo 1)

PKGS     = openblas lapacke gsl jansson nettle libarchive zlib sqlite3
TUI_PKGS = readline ncursesw
# short lines; `make V=1` shows the commands
Q        = $(if $(V),,@)
say      = $(if $(V),,@echo "  $(1)  $(2)")
CSTD     = -std=c11 -D_GNU_SOURCE
# constants of this program are enumerators, also where they are used with doubles, which newer versions of clang warn of
WARN     = -Wall -Wextra -Wpedantic -Wformat-security -Wshadow -Wconversion -Wno-enum-float-conversion -Wstrict-prototypes \
           -Wmissing-prototypes

# $(call once,NAME,command): runs when it is first used, not when this file is read
once     = $(eval $(1) := $(shell $(2)))$($(1))
pkg      = pkg-config $(1) || echo missing
found    = $(if $(filter missing,$(1)),$(error Libraries are missing: run scripts/install-deps),$(1))
PKG_CPP  = $(call found,$(call once,PKG_CPP,$(call pkg,--cflags $(PKGS) $(TUI_PKGS) $(if $(HAS_MATIO),matio))))
PKG_LIBS = $(call found,$(call once,PKG_LIBS,$(call pkg,--libs $(PKGS))))
TUI_LIBS = $(call found,$(call once,TUI_LIBS,$(call pkg,--libs $(TUI_PKGS))))

# What may be missing: matio, MPI (both when building and later) and gnuplot (later).  `make all` says what is.
# matio is not linked: the program loads it when it reads a MAT-file.  MATIO is its SONAME, the file name that a program
# linked with it would load.
HAS_MATIO = $(call once,HAS_MATIO,pkg-config --exists matio 2>/dev/null && echo yes)
MATIO    = $(call once,MATIO,objdump -p "$$($(CC) -print-file-name=libmatio.so)" | sed -n 's/^ *SONAME *//p')

# -isystem: a warning in a library's header is not ours
override CPPFLAGS += -Iinclude -Isrc $(patsubst -I%,-isystem %,$(PKG_CPP)) $(DEFS)
# clang does not define the macros by which gcc says that a sanitizer is on
IS_CLANG    = $(call once,IS_CLANG,$(CC) --version | grep -q clang && echo yes)
SAN_MACROS  = $(if $(IS_CLANG),$(if $(findstring address,$(SAN)),-D__SANITIZE_ADDRESS__) $(if $(findstring thread,$(SAN)),-D__SANITIZE_THREAD__))
ALL_CFLAGS  = $(CSTD) $(WARN) $(OPT) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer $(SAN_MACROS)) $(CFLAGS) -pthread
ALL_LDFLAGS = $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS) -pthread
LIBS        = $(PKG_LIBS) -llinear -lsvm -lm

# In the order of these two lists each folder uses only those before it; tests/folders checks this.  The folders of
# TOP_DIRS are not in the library.
LIB_DIRS = base linalg data task model solve score algo run lang session tune study
TOP_DIRS = plot report grade tui sweep
sources  = $(foreach d,$(1),$(wildcard src/$(d)/*.c src/$(d)/*/*.c))
LIB_SRC  = $(filter-out $(TEMPLATE_SRC) $(if $(HAS_MATIO),$(NO_MATIO),$(MATIO_SRC)),$(call sources,$(LIB_DIRS)))
TOP_SRC  = $(filter-out $(MPI_SRC),$(call sources,$(TOP_DIRS)))
MPI_SRC  = src/sweep/mpi_plugin.c
TEMPLATE_SRC = src/algo/TEMPLATE.c
MATIO_SRC = $(addprefix src/data/readers/,mat.c mat_bags.c mat_file.c mat_split.c)
NO_MATIO = src/data/readers/mat_none.c
TEMPLATE = $(TEMPLATE_SRC:%.c=$(BUILD)/obj/%.o)
MAIN_SRC = $(wildcard src/main.c)
LIB_OBJ  = $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
TOP_OBJ  = $(TOP_SRC:%.c=$(BUILD)/obj/%.o)
MAIN_OBJ = $(MAIN_SRC:%.c=$(BUILD)/obj/%.o)
MATIO_TESTS = $(addprefix tests/unit/,test_mat_split.c test_read_bags.c test_read_mat.c test_reading_stops.c)
UNIT_SRC = $(filter-out $(if $(HAS_MATIO),,$(MATIO_TESTS)),$(wildcard tests/unit/test_*.c))
UNIT_BIN = $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)
BENCH_BIN = $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
FORMATTED = $(wildcard include/weaklab/*.h src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] tests/*.[ch] tests/*/*.[ch] tools/*.c docs/examples/*.c docs/examples/*.cc)
MAN_SRC  = $(wildcard man/*.in)
MAN      = $(MAN_SRC:man/%.in=$(BUILD)/man/%)

# sweeps over MPI: a plugin, built if there is a compiler for it
MPICC   ?= mpicc
MPI      = $(if $(shell command -v $(MPICC) 2>/dev/null),$(BUILD)/weaklab-mpi.so)

MISSING  = $(if $(HAS_MATIO),, matio (no MAT-files))$(if $(MPI),, MPI (no sweeps over MPI))$(if \
    $(shell command -v gnuplot 2>/dev/null),, gnuplot (no figures in files))
all: $(BUILD)/libweaklab.a $(TEMPLATE) $(if $(MAIN_SRC),$(BUILD)/weaklab $(MAN)) $(MPI)
	$(if $(MISSING),@echo "  missing:$(MISSING): see scripts/install-deps --check")

# The shared library needs code for any address; without interposition it is hardly slower (1 to 4 % in three runs of
# wellsvm), and one set of objects serves the program and both libraries.
PIC      = -fPIC -fno-semantic-interposition

# With sanitizers, compiling takes longer than running what is compiled, but for these folders: only they are optimised.
SAN_FAST = base linalg data model solve score algo
SAN_SLOW = $(if $(SAN),$(if $(filter $(SAN_FAST:%=src/%/%),$<),,-O0))

$(BUILD)/obj/%.o: %.c $(BUILD)/sanitizers
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(PIC) $(SAN_SLOW) -MMD -MP -c $< -o $@

$(BUILD)/libweaklab.a: $(LIB_OBJ) $(BUILD)/matio
	@mkdir -p $(@D)
	$(call say,ar,$@)
	$(Q)rm -f $@ && ar qcs $@ $(LIB_OBJ) # q (append, do not replace): many folders have a snapshot.o

# The installed library, static and shared: the folders that a program needs to embed the algorithms, as one object, which
# exports only the names that include/weaklab declares.  A release in which a declared function or struct changes for
# programs that are already built has the next SOVERSION, which is part of the shared library's name.
SOVERSION  = 0
SONAME     = libweaklab.so.$(SOVERSION)
EMBED_DIRS = base linalg data task model solve score algo run tune
EMBED_PKGS = $(filter-out jansson sqlite3,$(PKGS))
EMBED_LIBS = $(call found,$(call once,EMBED_LIBS,$(call pkg,--libs $(EMBED_PKGS))))
EMBED_OBJ  = $(filter $(foreach d,$(EMBED_DIRS),$(BUILD)/obj/src/$(d)/%),$(LIB_OBJ))
OBJCOPY   ?= objcopy
EMBED      = $(BUILD)/embed/libweaklab.a $(BUILD)/embed/$(SONAME)
$(BUILD)/embed/weaklab.o: $(BUILD)/libweaklab.a $(wildcard include/weaklab/*.h)
	@mkdir -p $(@D)
	$(call say,ld,$@)
	$(Q)cat include/weaklab/*.h | grep -oE '\bwlab_[a-z0-9_]+' | sort -u >$(@D)/declared
	$(Q)$(LD) -r -o $(@D)/all.o $(EMBED_OBJ) $(BUILD)/libweaklab.a # and from the other folders the objects that these use
	$(Q)$(OBJCOPY) --keep-global-symbols=$(@D)/declared $(@D)/all.o $@
$(BUILD)/embed/libweaklab.a: $(BUILD)/embed/weaklab.o
	$(call say,ar,$@)
	$(Q)rm -f $@ && ar qcs $@ $<
# --default-symver: the exported names carry the SONAME, so that two versions in one process do not mix
$(BUILD)/embed/$(SONAME): $(BUILD)/embed/weaklab.o
	$(call say,ld,$@)
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME),--default-symver,--as-needed,-z,defs $(ALL_LDFLAGS) -o $@ $< $(EMBED_LIBS) -llinear -lsvm -lm

LINKED = $(TOP_OBJ) $(BUILD)/libweaklab.a $(TUI_LIBS) $(LIBS)

$(BUILD)/weaklab-mpi.so: $(MPI_SRC) src/sweep/mpi.h src/sweep/workers.h
	@mkdir -p $(@D)
	$(call say,mpicc,$<)
	$(Q)$(MPICC) -Iinclude -Isrc $(CSTD) $(WARN) $(OPT) $(CFLAGS) $(PIC) $(LDFLAGS) -shared -o $@ $<

$(BUILD)/weaklab: $(MAIN_OBJ) $(BUILD)/build.o $(TOP_OBJ) $(BUILD)/libweaklab.a
	$(call say,ld,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(MAIN_OBJ) $(BUILD)/build.o $(LINKED)

# The hash that identifies this build in a session file.  It must not depend on PREFIX, which main.o contains: so main.c
# is hashed instead.
$(BUILD)/build.o: $(MAIN_SRC) $(TOP_OBJ) $(BUILD)/libweaklab.a
	$(Q)id=$$(cat $^ | sha256sum | cut -c1-16) && \
	    echo "extern const char wlab_build[]; const char wlab_build[] = \"$$id\";" | \
	    $(CC) $(ALL_CFLAGS) -x c -c - -o $@

%/obj/src/data/readers/mat_file.o: DEFS = -DWLAB_MATIO='"$(MATIO)"'

# the program contains the path of its installed data: main.o is compiled again if PREFIX changed
$(BUILD)/obj/src/main.o: DEFS = -DWLAB_DATADIR='"$(PREFIX)/share/weaklab"' -DWLAB_LIBDIR='"$(LIBDIR)/weaklab"'
$(BUILD)/obj/src/main.o: $(BUILD)/prefix
$(BUILD)/prefix: CONTENT = $(PREFIX) $(LIBDIR)
# and the library is archived again if matio came or went
$(BUILD)/matio: CONTENT = $(if $(HAS_MATIO),$(MATIO))
# and everything is compiled again for other sanitizers (fuzz.mk has those of the fuzzers)
$(BUILD)/sanitizers: CONTENT = $(SAN)
build/fuzz/sanitizers: CONTENT = $(FUZZ_SAN)
$(BUILD)/prefix $(BUILD)/matio $(BUILD)/sanitizers build/fuzz/sanitizers: FORCE
	@mkdir -p $(@D)
	@echo '$(CONTENT)' | cmp -s - $@ || echo '$(CONTENT)' >$@

# the tests' own code does not have to be fast, but there is much of it to compile
# (clang does not know all of these warnings, and cmocka 2 deprecates names for which cmocka 1 has no others)
TEST_OPT = -O0 -Wno-format-truncation -Wno-alloc-size-larger-than -Wno-unknown-warning-option \
           -Wno-deprecated-declarations
# One cmocka program per file.  There are many: they share the code that they test, the library and the objects of TOP_DIRS, as
# a shared library, since linking it into each takes ten times as long and gigabytes.  A program in whose rule CODE is
# $(LINKED) has a copy, in which it replaces functions.
$(BUILD)/tests/libtested.so: $(TOP_OBJ) $(BUILD)/libweaklab.a
	@mkdir -p $(@D)
	$(call say,ld,$@)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) $(ALL_LDFLAGS) -o $@ $(TOP_OBJ) -Wl,--whole-archive $(BUILD)/libweaklab.a -Wl,--no-whole-archive $(TUI_LIBS) $(LIBS)
CODE = $(BUILD)/tests/libtested.so -Wl,-rpath,'$$ORIGIN' $(LIBS)
$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/tests/libtested.so
	$(call say,ld,$@)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(ALL_CFLAGS) $(TEST_OPT) -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(TABLE) $(CODE) -lcmocka
# private: not for the shared library, which make may build for one of these programs
$(MATIO_TESTS:tests/unit/%.c=$(BUILD)/tests/%): private LIBS += -lmatio
# in these tests each call of wlab_interrupted (and below of wlab_ms_now) calls a function of the test, which chooses
# the result
WRAPPING = walks reading_stops away wellsvm eigen
$(WRAPPING:%=$(BUILD)/tests/test_%): CODE = $(LINKED)
$(BUILD)/tests/test_walks $(BUILD)/tests/test_reading_stops $(BUILD)/tests/test_away $(BUILD)/tests/test_eigen: private LIBS += -Wl,--wrap=wlab_interrupted
$(BUILD)/tests/test_wellsvm: private LIBS += -Wl,--wrap=wlab_ms_now
$(BUILD)/bench/interrupts: private LIBS += -Wl,--wrap=wlab_interrupted
$(BUILD)/bench/%: tests/bench/%.c $(TOP_OBJ) $(BUILD)/libweaklab.a
	@mkdir -p $(@D)
	$(call say,ld,$@)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(LINKED)

# tests that run over the table of algorithms are linked with a table that ends with src/algo/TEMPLATE.c
$(BUILD)/tests/registry.o: src/algo/registry.c $(BUILD)/libweaklab.a
	@mkdir -p $(@D)
	$(call say,cc,$< with the template)
	$(Q)$(CC) $(CPPFLAGS) -DWLAB_TEMPLATE $(ALL_CFLAGS) -MMD -MP -c $< -o $@
OVER_TABLE = travel walks verdicts multiclass panes template
$(OVER_TABLE:%=$(BUILD)/tests/test_%): $(BUILD)/tests/registry.o $(TEMPLATE)
$(OVER_TABLE:%=$(BUILD)/tests/test_%): CODE = $(LINKED)
$(OVER_TABLE:%=$(BUILD)/tests/test_%): TABLE = $(BUILD)/tests/registry.o $(TEMPLATE)

unit: $(BUILD)/tests/libtested.so $(UNIT_BIN)

# ---- man pages: tables made from the registries replace the markers in man/*.in ----
$(BUILD)/mantables: tools/mantables.c $(TOP_OBJ) $(BUILD)/libweaklab.a
	@mkdir -p $(@D)
	$(call say,ld,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(LINKED)
$(BUILD)/man/%: man/%.in $(BUILD)/mantables
	@mkdir -p $(@D)
	$(call say,man,$@)
	$(Q)$(BUILD)/mantables $< >$@.new && mv $@.new $@
man: $(MAN)

# ---- the data sets of this project, which datasets/MADE lists ----
$(BUILD)/datasets: tools/datasets.c $(TOP_OBJ) $(BUILD)/libweaklab.a
	@mkdir -p $(@D)
	$(call say,ld,$@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(LINKED)
datasets: $(BUILD)/datasets
	$(BUILD)/datasets datasets

# ---- the demonstration, on a fresh machine ----
demo:
	@scripts/install-deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@scripts/demo

figures: all
	@scripts/figures

# a page for each lesson, the tour and each figure script, in handouts/
handouts: all
	@scripts/handouts

# one of the papers' tables and figures: make reproduce EXHIBIT=NAME [REPEAT=3]; without EXHIBIT it lists them
reproduce: $(if $(EXHIBIT),all)
	@scripts/reproduce $(EXHIBIT) $(REPEAT)

# the papers' tables: some hours of computing; if it is killed, the next call continues it
experiments: all
	@scripts/experiments/run

# ---- tests ----
folders: all
	@tests/folders $(BUILD)/obj $(LIB_DIRS) $(TOP_DIRS)
	@tests/includes $(LIB_DIRS) $(TOP_DIRS)

check:
	@scripts/install-deps --check
	@tests/run

# all tests, with longer fuzzing, and then valgrind, the long scripts, every figure and the benchmarks
check-long:
	@scripts/install-deps --check
	@tests/run --long

bench: all $(BENCH_BIN)
	@BUILD=$(BUILD) tests/bench/run

# large semi-supervised linear SVMs against liblinear-train and the authors' published numbers; QUICK=1: some minutes
bench-svmlin: all $(BENCH_BIN)
	@BUILD=$(BUILD) RESULTS=svmlin tests/bench/run products svmlin

# WellSVM at full size, measured in supervised trainings; QUICK=1: the smaller size; RESUME=1: skip cases that are done
bench-wellsvm: all $(BENCH_BIN)
	@BUILD=$(BUILD) RESULTS=wellsvm tests/bench/run wellsvm

# WellSVM with a kernel: whole runs with our solver of its SVMs
bench-wellsvm-kernel: all $(BENCH_BIN)
	@BUILD=$(BUILD) RESULTS=wellsvm-kernel tests/bench/run wellsvm_kernel

# what is dear, with aims; QUICK=1: without the relaxation of 5001 points
bench-aims: all $(BENCH_BIN)
	@BUILD=$(BUILD) RESULTS=aims tests/bench/run aims

# what steps cost beside what `algo` says beforehand; COSTS_SECONDS=2: of a case, about
bench-costs: all $(BENCH_BIN)
	@BUILD=$(BUILD) RESULTS=costs tests/bench/run costs

# rows on 1 to 4 ranks of an MPI job, beside the model of docs/scale.md; FILE=PATH: another file
bench-ranks: all $(BENCH_BIN)
	@BUILD=$(BUILD) RESULTS=ranks tests/bench/run ranks

# how long computations go on before they look for Ctrl-C, and say nothing; some twenty minutes
bench-interrupts: all $(BENCH_BIN)
	@BUILD=$(BUILD) RESULTS=interrupts tests/bench/run interrupts

# alter-pSVM at full size, measured in supervised trainings; QUICK=1: the smaller sizes
bench-psvm: all $(BENCH_BIN)
	@BUILD=$(BUILD) RESULTS=psvm tests/bench/run psvm

-include tests/fuzz/fuzz.mk

format:
	clang-format -i $(FORMATTED)
format-check:
	clang-format --dry-run -Werror $(FORMATTED)

# ---- installing ----
BINDIR  = $(DESTDIR)$(PREFIX)/bin
LIBS_IN = $(DESTDIR)$(LIBDIR)
INCDIR  = $(DESTDIR)$(PREFIX)/include/weaklab
MANDIR  = $(DESTDIR)$(PREFIX)/share/man
DATADIR = $(DESTDIR)$(PREFIX)/share/weaklab
BASHDIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR  = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
DOCDIR  = $(DESTDIR)$(PREFIX)/share/doc/weaklab
DATA    = install -D -m 644

install: all $(EMBED)
	install -D -m 755 $(BUILD)/weaklab $(BINDIR)/weaklab
	$(DATA) -t $(LIBS_IN) $(EMBED)
	ln -sf $(SONAME) $(LIBS_IN)/libweaklab.so
	$(if $(MPI),install -D -m 755 $(MPI) $(LIBS_IN)/weaklab/weaklab-mpi.so)
	$(DATA) -t $(INCDIR) include/weaklab/*.h
	@mkdir -p $(LIBS_IN)/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e "s|@VERSION@|$$(sed -n 's/.*WLAB_VERSION "\(.*\)"/\1/p' include/weaklab/base.h)|" \
	    -e 's|@REQUIRES@|$(EMBED_PKGS)|' weaklab.pc.in >$(LIBS_IN)/pkgconfig/weaklab.pc
	for m in $(MAN); do $(DATA) -t $(MANDIR)/man$${m##*.} $$m || exit 1; done
	$(DATA) completions/weaklab.bash $(BASHDIR)/weaklab
	$(DATA) -t $(ZSHDIR) completions/_weaklab
	$(DATA) -t $(FISHDIR) completions/weaklab.fish
	$(DATA) -t $(DATADIR)/scripts scripts/*.wlab
	$(DATA) -t $(DATADIR)/scripts/lessons scripts/lessons/*.wlab
	$(DATA) -t $(DATADIR)/scripts/exercises scripts/exercises/*.wlab
	$(DATA) -t $(DATADIR)/scripts/experiments scripts/experiments/*.wexp
	install -D -m 755 -t $(DATADIR)/scripts/cluster scripts/cluster/*.sh
	$(DATA) -t $(DATADIR)/datasets $(filter-out datasets/fetch,$(wildcard datasets/*))
	install -D -m 755 -t $(DATADIR)/datasets datasets/fetch
	$(DATA) -t $(DATADIR)/plots plots/style.gp
	$(DATA) -t $(DOCDIR) README.md CHANGELOG.md
	$(DATA) -t $(DOCDIR)/docs docs/*.md docs/*.svg
	$(DATA) -t $(DOCDIR)/docs/examples docs/examples/*
	$(DATA) -t $(DOCDIR)/docs/gallery docs/gallery/*.svg

uninstall:
	rm -f $(BINDIR)/weaklab $(LIBS_IN)/libweaklab.a $(LIBS_IN)/libweaklab.so $(LIBS_IN)/$(SONAME) $(LIBS_IN)/pkgconfig/weaklab.pc
	rm -f $(BASHDIR)/weaklab $(ZSHDIR)/_weaklab $(FISHDIR)/weaklab.fish
	rm -f $(foreach m,$(MAN),$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(notdir $(m)))
	rm -rf $(INCDIR) $(DATADIR) $(DOCDIR) $(LIBS_IN)/weaklab

clean:
	rm -rf $(BUILD)

FORCE:
.PHONY: all unit man datasets demo figures reproduce experiments folders check check-long bench bench-svmlin bench-wellsvm bench-wellsvm-kernel bench-psvm bench-aims bench-costs bench-interrupts bench-ranks format format-check install uninstall clean FORCE
.SECONDARY:
.DELETE_ON_ERROR:
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
