/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * export: what its tables share, and those that have a file of their own.
 */
#ifndef SESSION_EXPORT_H
#define SESSION_EXPORT_H

#include "session/internal.h"

/* A value of a CSV table; quotes where the text needs them. */
wlab_code wlab_export_csv_text(wlab_buf *, const char *text);
/* A comma and the number, nothing behind the comma where there is no value. */
wlab_code wlab_export_csv_real(wlab_buf *, double x);
/* Frees o; WL_ENOMEM when it is NULL. */
wlab_code wlab_export_json_line(wlab_buf *, json_t *o);

/* What the model says of each bag of the run's data set, and which instances are its key. */
wlab_code wlab_export_bags(wlab_session *, const wlab_run *, bool json, wlab_buf *, wlab_err *);

#endif
