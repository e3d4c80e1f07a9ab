# SPDX-License-Identifier: GPL-3.0-or-later
#
# docs/contributing.md: its diffs (blocks ```diff) apply to this tree, one after the other, and the tree then builds.  A
# block ```try is a shell script in which `weaklab` is the program with all diffs; the script must succeed, and its
# output must contain TEXT for each of its lines "# says: TEXT".
# not under sanitizers: it builds the program
# needs gnuplot
set -u
page=docs/contributing.md
tree=$TMP/tree
mkdir -p "$tree/build"
for f in Makefile .clang-format README.md CHANGELOG.md weaklab.pc.in src include tests tools man docs completions; do
    [ ! -e "$f" ] || cp -a "$f" "$tree/"
done
cp -a build/obj build/*.a build/prefix build/matio build/sanitizers build/build.* "$tree/build/" 2>/dev/null
mkdir -p "$TMP/blocks"
awk -v dir="$TMP/blocks" '
    /^```/ { if (open) { open = 0; close(out); next }
             kind = substr($0, 4); open = 1; out = kind == "diff" || kind == "try" ? sprintf("%s/%02d.%s", dir, ++n, kind) : "/dev/null"
             next }
    open { print > out }' "$page"

if ! command -v git >/dev/null; then
    echo "skipped journeys: git, which applies the diffs, is not installed"
    exit 0
fi
set -- "$TMP"/blocks/*.diff
if [ ! -e "$1" ]; then
    echo "not ok journeys: $page has no diffs"
    exit 1
fi
# a repository of its own: otherwise git would resolve the paths in the repository that contains it
(cd "$tree" && git init -q . 2>/dev/null)
for diff in "$@"; do
    name=$(sed -n 's,^+++ b/,,p' "$diff" | head -n 1)
    if (cd "$tree" && git apply --whitespace=error "$diff") >"$TMP/log" 2>&1; then
        echo "ok diff of $name"
    else
        echo "not ok diff of $name: $(head -n 3 "$TMP/log" | tr '\n' ' ')"
        exit 1
    fi
done
if make -C "$tree" -s -j"$(nproc)" all build/tests/test_metrics >"$TMP/log" 2>&1 && ! grep -q 'warning:' "$TMP/log"; then
    echo "ok the tree with all diffs builds without a warning"
else
    echo "not ok the tree with all diffs builds without a warning: $(grep -E 'error|warning' "$TMP/log" | head -n 3 | tr '\n' ' ')"
    exit 1
fi
for check in "make -s folders" tests/generic build/tests/test_metrics; do
    if (cd "$tree" && $check) >"$TMP/log" 2>&1; then
        echo "ok journeys: $check"
    else
        echo "not ok journeys: $check: $(tail -n 3 "$TMP/log" | tr '\n' ' ')"
    fi
done
for try in "$TMP"/blocks/*.try; do
    rm -rf "$TMP/go"
    mkdir -p "$TMP/go"
    if (cd "$TMP/go" && PATH=$tree/build:$PATH bash -eu -o pipefail "$try") >"$TMP/log" 2>&1 </dev/null; then
        missing=
        while read -r words; do
            grep -qF -- "$words" "$TMP/log" || missing=$words
        done <<<"$(sed -n 's/^# says: //p' "$try")"
        [ -z "$missing" ] && echo "ok $(basename "$try")" || echo "not ok $(basename "$try"): it does not say '$missing'"
    else
        echo "not ok $(basename "$try"): $(tail -n 2 "$TMP/log" | tr '\n' ' ')"
    fi
done
