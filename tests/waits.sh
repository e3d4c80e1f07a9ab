# SPDX-License-Identifier: GPL-3.0-or-later
#
# Waiting for a state, not for a time: on a loaded machine anything may take long.  Sourced.

# doing SELECTION...: prints two numbers about the processes that these options of ps(1) select: how many of their
# threads run, are ready to run or wait for a disk (-1: there is no such process), and the seconds of processor time
# that the threads have used
doing() {
    ps -L -o state=,cputimes= "$@" 2>/dev/null | awk '$1 ~ /[RD]/ { n++ } { s += $2 } END { print NR ? n + 0 : -1, s + 0 }'
}
# until_so WHO COMMAND...: repeats COMMAND until it succeeds.  WHO is a command too: it prints the options of ps(1) that
# select the processes whose work should make COMMAND succeed.  Returns false when they cannot do that any more: at
# $patience checks (240, which take a minute) all of them slept, at a 24th as many none existed, or since the first
# check they used $most_seconds seconds of processor time (300).  A process that waits for a processor does not count as
# asleep.
until_so() {
    local who=$1 polls=0 asleep=0 runs used limit=
    shift
    until "$@" 2>/dev/null; do
        sleep 0.05
        polls=$((polls + 1))
        [ $((polls % 5)) -eq 0 ] || continue
        read -r runs used < <(doing $($who))
        limit=${limit:-$((used + ${most_seconds:-300}))}
        [ "$runs" -gt 0 ] || asleep=$((asleep + (runs < 0 ? 24 : 1)))
        [ $asleep -lt "${patience:-240}" ] && [ "$used" -lt "$limit" ] || return 1
    done
}
