/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program's only poll.
 */
#include "tui/loop.h"
#include <string.h>

enum {
    MOST = 8
};

void wlab_loop_add(wlab_loop *loop, const wlab_source *source)
{
    if (loop->sources < MOST)
        loop->source[loop->sources++] = *source;
}

void wlab_loop_remove(wlab_loop *loop, const void *self)
{
    for (int i = 0; i < loop->sources; i++)
        if (loop->source[i].self == self) {
            loop->sources--;
            memmove(&loop->source[i], &loop->source[i + 1],
                    (size_t)(loop->sources - i) * sizeof loop->source[i]);
            return;
        }
}

bool wlab_loop_turn(wlab_loop *loop, int fd, int ms)
{
    struct pollfd fds[MOST * WL_SOURCE_FDS + 1];
    wlab_source source[MOST]; /* a source may be added or removed while another is served */
    int n = loop->sources;

    memcpy(source, loop->source, (size_t)n * sizeof *source);
    for (int i = 0; i < MOST * WL_SOURCE_FDS; i++)
        fds[i] = (struct pollfd){.fd = -1};
    for (int i = 0; i < n; i++) {
        int own = source[i].request_fds(source[i].self, &fds[(ptrdiff_t)i * WL_SOURCE_FDS]);
        if (own >= 0 && (ms < 0 || own < ms))
            ms = own;
    }
    struct pollfd *extra = &fds[(ptrdiff_t)n * WL_SOURCE_FDS];
    *extra = (struct pollfd){.fd = fd, .events = POLLIN};
    if (poll(fds, (nfds_t)(n * WL_SOURCE_FDS + 1), ms) < 0)
        for (int i = 0; i <= n * WL_SOURCE_FDS; i++)
            fds[i].revents = 0; /* a signal interrupted poll: the next call finds the byte in its pipe */
    bool readable = extra->revents != 0;
    for (int i = 0; i < n; i++)
        source[i].serve(source[i].self, &fds[(ptrdiff_t)i * WL_SOURCE_FDS]);
    return readable;
}
