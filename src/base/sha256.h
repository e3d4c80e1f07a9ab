/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SHA-256 of data that come piece by piece.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "weaklab/base.h"
#include <nettle/sha2.h>

/* The digest so far, as 64 hexadecimal digits; the context is reset. */
void wlab_sha256_end(struct sha256_ctx *, char hex[65]);

#endif
