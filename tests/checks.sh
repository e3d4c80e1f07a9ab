# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions of the session scripts that check a command's status and output.  Sourced.
check() # NAME CONDITION-COMMAND...
{
    local name=$1
    shift
    if "$@"; then echo "ok $name"; else echo "not ok $name: $(tail -n 3 "$TMP/out" | tr '\n' ' ')"; fi
}
run() # STATUS ARGS...
{
    local expected=$1
    shift
    "$WEAKLAB" -n "$@" >"$TMP/out" 2>&1 </dev/null
    [ $? -eq "$expected" ]
}
