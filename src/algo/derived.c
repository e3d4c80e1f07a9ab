/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Algorithms that are made from others.
 */
#include "algo/derived.h"

wlab_derived *wlab_derived_find(wlab_derivations *all, const wlab_algo *base)
{
    wlab_derived *d;

    pthread_mutex_lock(&all->lock);
    for (d = all->first; d && d->base != base; d = d->next)
        ;
    if (!d && (d = all->make(base))) {
        d->next = all->first;
        all->first = d;
    }
    pthread_mutex_unlock(&all->lock);
    return d;
}
