/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Notes, warnings and progress that a long computation emits while it runs.
 */
#include "weaklab/event.h"
#include "base/text.h"

bool wlab_interrupted(const wlab_ctx *ctx)
{
    return ctx && ctx->interrupt && atomic_load(ctx->interrupt) != 0;
}

static void emit_text(wlab_ctx *ctx, wlab_event_kind kind, const char *fmt, va_list ap)
{
    if (!ctx || !ctx->emit)
        return;
    wlab_event event = {.kind = kind};
    wlab_text_vformat(event.text, sizeof event.text, fmt, ap);
    ctx->emit(ctx->sink, &event);
}

void wlab_emit_note(wlab_ctx *ctx, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    emit_text(ctx, WL_EV_NOTE, fmt, ap);
    va_end(ap);
}

void wlab_emit_warning(wlab_ctx *ctx, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    emit_text(ctx, WL_EV_WARNING, fmt, ap);
    va_end(ap);
}

void wlab_emit_progress(wlab_ctx *ctx, const char *unit, int64_t done, int64_t total)
{
    if (!ctx || !ctx->emit)
        return;
    wlab_event event = {.kind = WL_EV_PROGRESS, .done = done, .total = total};
    size_t i = 0;
    for (; unit && unit[i] && i < sizeof event.text - 1; i++)
        event.text[i] = unit[i];
    ctx->emit(ctx->sink, &event);
}
