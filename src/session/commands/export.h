/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parts of `export`: writing of table cells, and the table of bags.
 */
#ifndef SESSION_EXPORT_H
#define SESSION_EXPORT_H

#include "session/internal.h"

/* Writes a text as a cell of a CSV table, in quotes if it needs them. */
wlab_code wlab_export_csv_text(wlab_buf *, const char *text);
/* Writes a comma and the number; only the comma if x is not finite. */
wlab_code wlab_export_csv_real(wlab_buf *, double x);
/* Writes o as one line and releases it; WL_ENOMEM if it is NULL. */
wlab_code wlab_export_json_line(wlab_buf *, json_t *o);

/* Writes the table of bags: for mil the predictions and key instances of all bags of the run's data set, for llp given and
 * predicted proportions.  WL_ESTATE if the task predicts no bags. */
wlab_code wlab_export_bags(wlab_session *, const wlab_run *, bool json, wlab_buf *, wlab_err *);

/* export data: appends a header and a line per row.  WL_EARG: the table would have more than 10^8 cells. */
wlab_code wlab_export_data(const wlab_dataset *, wlab_buf *out, wlab_err *);

#endif
