# SPDX-License-Identifier: GPL-3.0-or-later
#
# make changes   builds each tests/fuzz/fuzz_NAME.c with a main program of our own (changes.c) under $(BUILD)/changes: the inputs
#                of tests/fuzz/corpus/NAME and some random changes of them, for `make check`
# make fuzz      builds a libFuzzer program for each tests/fuzz/fuzz_NAME.c, the library included, under build/fuzz
# make fuzz-run  runs each for FUZZ_SECONDS from tests/fuzz/corpus/NAME (the long check does so too)

FUZZ_SECONDS ?= 2
FUZZ_CC       = clang
FUZZ_SAN      = address,undefined
FUZZ_CFLAGS   = $(CSTD) $(WARN) -O0 -g1 -fno-omit-frame-pointer -pthread
FUZZ_BIN      = $(patsubst tests/fuzz/%.c,build/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_OBJ      = $(LIB_SRC:%.c=build/fuzz/obj/%.o) $(TOP_SRC:%.c=build/fuzz/obj/%.o)

build/fuzz/obj/%.o: %.c build/fuzz/sanitizers
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CPPFLAGS) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link,$(FUZZ_SAN) -MMD -MP -c $< -o $@

build/fuzz/libweaklab.a: $(FUZZ_OBJ)
	rm -f $@ && ar qcs $@ $^

build/fuzz/fuzz_%: tests/fuzz/fuzz_%.c build/fuzz/libweaklab.a
	$(FUZZ_CC) $(CPPFLAGS) -Itests/fuzz $(FUZZ_CFLAGS) -fsanitize=fuzzer,$(FUZZ_SAN) -MMD -MP -o $@ $< \
	    build/fuzz/libweaklab.a $(TUI_LIBS) $(LIBS)

$(BUILD)/changes/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/changes.c $(BUILD)/tests/libtested.so
	@mkdir -p $(@D)
	$(call say,ld,$@)
	$(Q)$(CC) $(CPPFLAGS) -Itests/fuzz $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< tests/fuzz/changes.c \
	    $(BUILD)/tests/libtested.so -Wl,-rpath,'$$ORIGIN/../tests' $(LIBS)

changes: $(FUZZ_BIN:build/fuzz/%=$(BUILD)/changes/%)

fuzz: $(FUZZ_BIN)

fuzz-run: fuzz
	@for f in $(FUZZ_BIN); do \
	    new=build/fuzz/new/$${f##*/fuzz_} && mkdir -p $$new && \
	    corpus=tests/fuzz/corpus/$${f##*/fuzz_} && echo $$f && \
	    $$f -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
	        -artifact_prefix=$$new- $$new $$([ -d $$corpus ] && echo $$corpus) || exit 1; done

.PHONY: changes fuzz fuzz-run
