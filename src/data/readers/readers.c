/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of readers, and the choice of a reader by the file's content.
 */
#include "data/readers/reader.h"

#include <string.h>
#include <sys/stat.h>

/* The table: a reader is a line here, and a file that defines wlab_reader_NAME with this name. */
/* clang-format off */
#define READERS(READER) \
    READER(libsvm) \
    READER(csv) \
    READER(arff) \
    READER(svmlin) \
    READER(bags) \
    READER(mat)
#define DECLARED(name) extern const wlab_reader wlab_reader_##name;
#define LISTED(name) &wlab_reader_##name,
#define NAMED(name) #name,
READERS(DECLARED)
static const wlab_reader *const readers[] = {READERS(LISTED) NULL};
const char *const wlab_format_choices[] = {"auto", READERS(NAMED) NULL};
/* clang-format on */

bool wlab_format_at(int k, wlab_format_info *format)
{
    const wlab_reader *reader = readers[k];

    if (reader)
        *format = (wlab_format_info){reader->name, reader->summary, reader->extensions};
    return reader != NULL;
}

const char *wlab_format_list(char *buf, size_t size)
{
    *buf = '\0';
    for (int k = 0; readers[k]; k++)
        wlab_text_append(buf, size, "%s%s", k ? ", " : "", readers[k]->name);
    return buf;
}

wlab_code wlab_folder_data(const char *folder, char **file, wlab_err *err)
{
    struct stat st;

    *file = NULL;
    for (int k = 0; readers[k]; k++) {
        char *inside = readers[k]->folder ? wlab_format("%s/%s", folder, readers[k]->folder) : NULL;

        if (readers[k]->folder && !inside)
            return wlab_nomem(err);
        if (inside && stat(inside, &st) == 0) {
            *file = inside;
            return WL_OK;
        }
        wlab_free(inside);
    }
    return WL_OK;
}

bool wlab_folder_data_is(const char *name, size_t len)
{
    for (int k = 0; readers[k]; k++)
        if (readers[k]->folder && strlen(readers[k]->folder) == len &&
            memcmp(readers[k]->folder, name, len) == 0)
            return true;
    return false;
}

const char *wlab_file_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Whether the list of words contains the word [p, p + len), whatever its case. */
static bool listed(const char *list, const char *p, size_t len)
{
    while (*list) {
        const char *stop = strchrnul(list, ' ');
        if ((size_t)(stop - list) == len && strncasecmp(list, p, len) == 0)
            return true;
        list = *stop ? stop + 1 : stop;
    }
    return false;
}

size_t wlab_file_stem(const char *name, const char **extension, size_t *extension_len)
{
    size_t len = strlen(name);

    *extension = "";
    *extension_len = 0;
    for (int round = 0; round < 2; round++) {
        size_t dot = len;
        bool known = false;

        while (dot > 1 && name[dot - 1] != '.')
            dot--;
        if (dot <= 1)
            break;
        if (round == 0) {
            known = listed("gz bz2 xz zst lz4", name + dot, len - dot);
        } else {
            *extension = name + dot;
            *extension_len = len - dot;
            for (int k = 0; readers[k]; k++)
                known |= len - dot > 1 && listed(readers[k]->extensions, name + dot, len - dot);
        }
        if (known)
            len = dot - 1;
    }
    return len;
}

/* How many bytes of the file the readers' probes get: all of a small file, else at most 64 KiB up to the end of a line,
 * or of a word if the last half of these has no end of a line, because a pair that is cut in half would not be
 * recognised. */
static size_t head_of(const wlab_input *in)
{
    const size_t most = WL_HEAD;

    if (in->size <= most)
        return in->size;
    for (int line = 1; line >= 0; line--)
        for (size_t n = most; n > most / 2; n--)
            if (in->data[n - 1] == '\n' || (!line && memchr(" \t,;", in->data[n - 1], 4)))
                return n;
    return most;
}

wlab_code wlab_reader_choose(const wlab_reader **reader, int format, const wlab_input *in, wlab_err *err)
{
    const char *extension;
    size_t extension_len, head;
    int best = 0;
    char list[200];

    *reader = format > 0 ? readers[format - 1] : NULL;
    if (*reader)
        return WL_OK;
    head = head_of(in);
    (void)wlab_file_stem(wlab_file_part(in->path), &extension, &extension_len);
    for (int k = 0; readers[k]; k++) {
        int score = 2 * readers[k]->probe(in->data, head);

        if (score && listed(readers[k]->extensions, extension, extension_len))
            score++;
        if (score > best) {
            best = score;
            *reader = readers[k];
        }
    }
    if (!*reader)
        return wlab_fail_at(err, in->path, 0, 0,
                            "this is neither text in rows and columns nor a MAT-file of version 5; the "
                            "formats are %s",
                            wlab_format_list(list, sizeof list));
    return WL_OK;
}
