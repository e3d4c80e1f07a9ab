/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SHA-256, by nettle.
 */
#include "base/sha256.h"

void wlab_sha256_end(struct sha256_ctx *ctx, char hex[65])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(ctx, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[64] = 0;
}

void wlab_sha256_hex(const void *data, size_t len, char hex[65])
{
    struct sha256_ctx ctx;
    sha256_init(&ctx);
    if (len > 0)
        sha256_update(&ctx, len, data);
    wlab_sha256_end(&ctx, hex);
}
