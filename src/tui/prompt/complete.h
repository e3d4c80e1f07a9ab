/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion at the prompt: what the session offers, as readline takes it and as a list for people.
 */
#ifndef TUI_COMPLETE_H
#define TUI_COMPLETE_H

#include "session/complete/complete.h"

/* Readline completes from this session from now on; NULL: from none. */
void wlab_complete_install(const wlab_session *);
/* The completions word[1..n] of the line being typed as a list for a person: one a line with what it means (default,
 * range, unit) where the registries say so, else in columns. */
wlab_code wlab_complete_list(const wlab_session *, char **word, int n, wlab_buf *);

/* offer[0..n-1] as such a list, lines at most `width` columns wide. */
wlab_code wlab_offers_layout(const wlab_offer *const *offer, int n, int width, wlab_buf *);
/* An offer as it stands on the line: `open` is the quote it stands behind, or 0; quoted: it has quotes of its own.
 * Without the closing one where it goes on.  A wlab_alloc'ed string; NULL: no memory, or no way to write it. */
char *wlab_offer_typed(const wlab_offer *, char open, bool quoted);

#endif
