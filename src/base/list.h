/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of strings.
 */
#ifndef WEAKLAB_BASE_LIST_H
#define WEAKLAB_BASE_LIST_H

#include "weaklab/base.h"

/* Append `text` and take ownership of it (also after a failure; NULL: WL_ENOMEM). */
wlab_code wlab_list_add(char ***list, int *n, char *text, wlab_err *);
void wlab_list_free(char **list, int n);

#endif
