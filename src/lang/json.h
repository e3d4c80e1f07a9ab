/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results as JSON objects.  NULL: out of memory.
 */
#ifndef LANG_JSON_H
#define LANG_JSON_H

#include "weaklab/run.h"
#include <jansson.h>

json_t *wlab_json_real(double);       /* NaN and Inf: null */
json_t *wlab_json_text(const char *); /* malformed UTF-8 becomes U+FFFD */
/* {"type":"step","run","iter","inner","verdict","metrics":{...}} of a trace row. */
json_t *wlab_json_step(const wlab_run *, const wlab_trace_row *);
/* {"type":"error","file","line","message"}, with null for an unknown place. */
json_t *wlab_error_object(const wlab_err *);

#endif
