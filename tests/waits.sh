# SPDX-License-Identifier: GPL-3.0-or-later
#
# Waiting for a state, not for a time: on a loaded machine everything takes as long as it takes.  Sourced.

# doing SELECTION...: of the threads of the processes that ps(1) selects so, how many run or would like to (-1: there is
# none), and the seconds of processor time that they have used
doing() {
    ps -L -o state=,cputimes= "$@" 2>/dev/null | awk '$1 ~ /[RD]/ { n++ } { s += $2 } END { print NR ? n + 0 : -1, s + 0 }'
}
# until_so WHO COMMAND...: asks again and again until the command succeeds.  WHO, a command too, says what ps(1) selects
# the processes by that are to bring it about.  False when nothing is to be expected any more: all of them were asleep
# whenever they were looked at, $patience times (240, which is a minute), there is none any more, or they used $enough
# seconds of processor time (300).  A process that only lacks the processor is not asleep.
until_so() {
    local who=$1 polls=0 asleep=0 runs used limit=
    shift
    until "$@" 2>/dev/null; do
        sleep 0.05
        polls=$((polls + 1))
        [ $((polls % 5)) -eq 0 ] || continue
        read -r runs used < <(doing $($who))
        limit=${limit:-$((used + ${enough:-300}))}
        [ "$runs" -gt 0 ] || asleep=$((asleep + (runs < 0 ? 24 : 1)))
        [ $asleep -lt "${patience:-240}" ] && [ "$used" -lt "$limit" ] || return 1
    done
}
