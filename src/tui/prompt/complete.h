/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion at the prompt: the session's offers for readline, and as a list for the user.
 */
#ifndef TUI_COMPLETE_H
#define TUI_COMPLETE_H

#include "session/complete/complete.h"

/* From now on, readline completes words from this session; NULL: from none. */
void wlab_complete_install(const wlab_session *);
/* List the completions word[1..n] of the line being typed: one per line with its meaning (default, range, unit) if
 * the registries give one, else in columns. */
wlab_code wlab_complete_list(const wlab_session *, char **word, int n, wlab_buf *);

/* The same for offer[0..n-1], with lines of at most `width` columns. */
wlab_code wlab_offers_layout(const wlab_offer *const *offer, int n, int width, wlab_buf *);
/* An offer as it is typed on the line.  `open`: the quote before it, or 0; quoted: the offer gets quotes of its own,
 * and no closing one if the word continues.  A wlab_alloc'ed string; NULL: no memory, or no way to write it. */
char *wlab_offer_typed(const wlab_offer *, char open, bool quoted);

#endif
