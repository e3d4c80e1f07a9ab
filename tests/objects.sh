# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions of the session scripts that check the objects of --json.  Sourced.
W=${WEAKLAB:-build/weaklab}
suite=$(basename "$0" .sh)
say() { # NAME STATUS [WHY]
    if [ "$2" -eq 0 ]; then echo "ok $suite: $1"; else echo "not ok $suite: $1: ${3:-}"; fi
}
holds() { # NAME CONDITION, of awk
    awk "BEGIN { exit !($2) }" </dev/null
    say "$1" $? "$2"
}
run() { # COMMANDS [OPTIONS...]: objects to $TMP/out.json, messages to $TMP/err
    "$W" --json -b -n "${@:2}" -e "$1" >"$TMP/out.json" 2>"$TMP/err" </dev/null
}
value() { # TYPE NAME: of the last object of this type
    grep "\"type\":\"$1\"" "$TMP/out.json" | tail -n 1 | grep -o "\"$2\":[^,}]*" | cut -d: -f2-
}
