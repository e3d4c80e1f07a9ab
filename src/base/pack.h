/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts and parameters as bytes, for messages between ranks of one program.
 */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include "weaklab/param.h"

wlab_code wlab_pack_text(wlab_buf *, const char *text); /* NULL is kept */
/* The text at buf->pos, which remains in the buffer; NULL: it was NULL, or the buffer is damaged. */
const char *wlab_unpack_text(wlab_buf *);
/* All explicitly set parameters. */
wlab_code wlab_pack_params(wlab_buf *, const wlab_params *);
wlab_code wlab_unpack_params(wlab_params **, const wlab_param_info *table, wlab_buf *, wlab_err *);

#endif
