/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The main program of a fuzz target without libFuzzer, for `make check`, where a second build of the library by clang
 * takes longer than the fuzzing: runs the target on each file of a folder, on the empty input, and on CHANGES inputs
 * that are made from each of them by some random changes, the same in every run.
 *
 *   NAME FOLDER     prints how many inputs were tried; what breaks a promise aborts, with the input in NAME.input
 */
#include "weaklab/rng.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHANGES = 300,
    MOST = 1 << 16 /* bytes of an input */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) __attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static wlab_rng rng;
static uint8_t now[MOST];
static size_t now_size;
static char input[4096];

/* Whatever ends the program by a signal or by a sanitizer leaves the input. */
static void leave_input(void)
{
    FILE *f = fopen(input, "w");
    if (f) {
        (void)!fwrite(now, 1, now_size, f);
        fclose(f);
    }
}

static void on_signal(int signal_number)
{
    leave_input();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

static size_t below(size_t n)
{
    return (size_t)wlab_rng_below(&rng, n);
}

/* One change: another byte, bytes that mean something in some format, bytes left out, bytes twice. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    static const char *const words[] = {"\n",   " ",   ",",    "\"",   "'", "{", "}",        ":", "nan",
                                        "-inf", "1e9", "-0.5", "\xff", "#", "%", "99999999", "=", "@data\n"};
    const size_t at = size ? below(size) : 0, left = size - at;
    const char *word = words[below(sizeof words / sizeof *words)];
    size_t n = 1 + below(1 + (left < 32 ? left : 32));

    switch (size ? below(4) : 1) {
    case 0:
        data[at] = below(2) ? (uint8_t)below(256) : (uint8_t)(data[at] ^ 1u << below(8));
        return size;
    case 1:
        n = strlen(word);
        if (size + n > most)
            return size;
        memmove(data + at + n, data + at, left);
        memcpy(data + at, word, n);
        return size + n;
    case 2:
        n = n < left ? n : left;
        memmove(data + at, data + at + n, left - n);
        return size - n;
    default:
        n = n < left ? n : left;
        if (size + n > most)
            return size;
        memmove(data + at + n, data + at, left);
        return size + n;
    }
}

/* Runs the target on a copy whose end AddressSanitizer guards. */
static void try_now(void)
{
    uint8_t *copy = malloc(now_size ? now_size : 1);
    if (!copy)
        abort();
    memcpy(copy, now, now_size);
    LLVMFuzzerTestOneInput(copy, now_size);
    free(copy);
}

static long try_changes(const uint8_t *from, size_t size)
{
    for (int change = 0; change <= CHANGES; change++) {
        memcpy(now, from, size);
        now_size = size;
        for (size_t times = change == 0 ? 0 : 1 + below(4); times > 0; times--)
            now_size = LLVMFuzzerCustomMutator
                           ? LLVMFuzzerCustomMutator(now, now_size, MOST, (unsigned)wlab_rng_next(&rng))
                           : LLVMFuzzerMutate(now, now_size, MOST);
        try_now();
    }
    return CHANGES + 1;
}

int main(int argc, char **argv)
{
    static uint8_t file[MOST];
    struct dirent **entry = NULL;
    char path[4096];
    long tried;

    if (argc != 2)
        return 2;
    snprintf(input, sizeof input, "%s.input", argv[0]);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(leave_input);
    signal(SIGABRT, on_signal);
    wlab_rng_seed(&rng, 1);
    tried = try_changes(file, 0);
    const int files = scandir(argv[1], &entry, NULL, alphasort);
    for (int i = 0; i < files; i++) {
        snprintf(path, sizeof path, "%s/%s", argv[1], entry[i]->d_name);
        FILE *f = entry[i]->d_name[0] == '.' ? NULL : fopen(path, "r");
        const size_t size = f ? fread(file, 1, MOST / 2, f) : 0;
        if (f && !fclose(f))
            tried += try_changes(file, size);
        free(entry[i]);
    }
    free(entry);
    printf("%ld inputs\n", tried);
    return 0;
}
