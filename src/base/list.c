/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of strings.
 */
#include "base/list.h"

void wlab_list_free(char **list, int n)
{
    for (int i = 0; i < n; i++)
        wlab_free(list[i]);
    wlab_free(list);
}

wlab_code wlab_list_add(char ***list, int *n, char *text, wlab_err *err)
{
    /* sizes double: the list is reallocated when n reaches a power of 2 */
    if ((*n & (*n - 1)) == 0) {
        char **grown = text ? wlab_realloc(*list, *n ? (size_t)*n * 2 : 1, sizeof *grown) : NULL;
        if (!grown) {
            wlab_free(text);
            return wlab_nomem(err);
        }
        *list = grown;
    }
    if (!text)
        return wlab_nomem(err);
    (*list)[(*n)++] = text;
    return WL_OK;
}
