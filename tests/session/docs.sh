# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every command line in a document works.  In README.md and docs/*.md each fenced block has a kind:
#   sh      run by bash, in a copy of the project's root in which `weaklab` and build/weaklab are the program
#   wlab    run as a script: the blocks of a document are one session, unless one begins with "# new"
#   wexp    an experiment, written to the file that its first line names, "# NAME.wexp"; a later block sweeps it
#   make, c, text, json, diff, try: not run here.  contributing.sh applies diff and runs try; install.sh builds docs/examples/;
#           `make` blocks would run the tests, this one included
# In man/*.in a line `.\" run: sh` or `.\" run: wlab` precedes an example.
# Where ../shared is missing, blocks that name it are skipped, and so are those that name datasets/fetch, which gets its files
# from ../shared here.  In a block, /tmp/ is replaced by a folder below $TMP.
# not under sanitizers: other tests run the same commands, and this one would take long
# needs gnuplot
set -u
root=$PWD
page_dir=$TMP/top/project
page_tmp=$TMP/top/tmp
mkdir -p "$page_dir" "$page_tmp"
for f in Makefile README.md scripts datasets docs man include; do
    [ ! -e "$f" ] || cp -r "$f" "$page_dir/"
done
mkdir -p "$page_dir/build" "$page_dir/plots"
cp plots/style.gp plots/README.md "$page_dir/plots/"
ln -s "$WEAKLAB" "$page_dir/build/weaklab"
[ ! -d ../shared ] || ln -s "$root/../shared" "$TMP/top/shared"
export PATH=$page_dir/build:$PATH
export XDG_DATA_HOME=$TMP/data WEAKLAB_FETCH_BASE=$TMP/pages
mkdir -p "$TMP/pages"
[ ! -d ../shared ] || find ../shared/datasets -type f ! -path '*/mil/*' -exec ln -s "$root/{}" "$TMP/pages/" \; 2>/dev/null

# block NAME KIND FILE: run one
block()
{
    local log=$TMP/log
    sed -i "s|/tmp/|$page_tmp/|g" "$3"
    if grep -qE '\.\./shared|datasets/fetch' "$3" && [ ! -d ../shared ]; then
        echo "skipped $1: no ../shared"
        return
    fi
    if [ "$2" = sh ]; then
        (cd "$page_dir" && bash -eu -o pipefail "$3") >"$log" 2>&1 </dev/null
    else
        (cd "$page_dir" && weaklab -b -n "$3") >"$log" 2>&1 </dev/null
    fi
    if [ $? -eq 0 ]; then
        echo "ok $1"
    else
        echo "not ok $1: the block failed"
        sed 's/^/| /' "$3"
        tail -n 20 "$log"
    fi
}

n=0
for page in README.md docs/*.md; do
    # cut the blocks out: FILE.N.KIND
    mkdir -p "$TMP/blocks"
    rm -f "$TMP"/blocks/*
    awk -v dir="$TMP/blocks" '
        /^```/ {
            if (open) { open = 0; close(out); next }
            kind = substr($0, 4); sub(/ .*/, "", kind); open = 1
            if (kind == "") { kind = "unlabelled" }
            out = sprintf("%s/%04d.%s", dir, NR, kind); printf "" > out; next
        }
        open { print > out }' "$page"
    script=
    for f in "$TMP"/blocks/*; do
        [ -f "$f" ] || continue
        kind=${f##*.}
        line=$((10#$(basename "$f" ".$kind")))
        case $kind in
        sh)
            block "$page:$line" sh "$f"
            n=$((n + 1))
            ;;
        wlab)
            if [ -z "$script" ] || head -n 1 "$f" | grep -q '^# new'; then
                [ -z "$script" ] || block "$script" wlab "$TMP/session.wlab"
                script=$page:$line
                : >"$TMP/session.wlab"
            fi
            n=$((n + 1))
            if grep -qE '\.\./shared|datasets/fetch' "$f" && [ ! -d ../shared ]; then
                echo "skipped $page:$line: no ../shared"
            else
                { echo "# $page:$line"; cat "$f"; } >>"$TMP/session.wlab"
            fi
            ;;
        wexp)
            file=$(sed -n '1s/^# \([A-Za-z0-9-]*\.wexp\)$/\1/p' "$f")
            if [ -n "$file" ] && grep -q "sweep $file" "$page"; then
                cp "$f" "$page_dir/$file"
            else
                echo "not ok $page:$line: its first line is not '# NAME.wexp', or no block sweeps it"
            fi
            ;;
        make | c | text | json | diff | try) ;;
        *) echo "not ok $page:$line: a fenced block of kind '$kind'; say sh, wlab, wexp, make, c, text, json, diff or try" ;;
        esac
    done
    [ -z "$script" ] || block "$script" wlab "$TMP/session.wlab"
done

for page in man/*.in; do
    rm -f "$TMP"/blocks/*
    awk -v dir="$TMP/blocks" '
        /^\.\\" run: / { kind = $3; expected = 1; next }
        expected && /^\.EX/ { out = sprintf("%s/%04d.%s", dir, NR, kind); open = 1; expected = 0; next }
        /^\.EE/ { open = 0 }
        open {
            gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047"); gsub(/\\\(dq/, "\""); gsub(/\\e/, "\\"); gsub(/\\&/, "")
            print > out
        }' "$page"
    for f in "$TMP"/blocks/*; do
        [ -f "$f" ] || continue
        kind=${f##*.}
        line=$((10#$(basename "$f" ".$kind")))
        [ "$kind" != wlab ] || { mv "$f" "$TMP/script.$n.wlab"; f=$TMP/script.$n.wlab; }
        block "$page:$line" "$kind" "$f"
        n=$((n + 1))
    done
done

# ---- the gallery ----
# Every view has a picture; the blocks made each picture's numbers; the pictures are small, are shown, and are of these
# data and algorithms.  Pictures are not compared, and of the numbers only that there are some: other processors and other
# versions of gnuplot have other digits.
gallery() { # NAME CONDITION-STATUS WHY
    if [ "$2" -eq 0 ]; then echo "ok gallery: $1"; else echo "not ok gallery: $1: $3"; fi
}
page=docs/gallery.md
sed -n 's/^\(plot\|curve\) .* to \(.*\.svg\)$/\2/p' $page | sort >"$TMP/drawn"
sed -n 's/^!\[..*\](gallery\/\(.*\.svg\))$/\1/p' $page | sort >"$TMP/shown"
ls docs/gallery | cmp -s - "$TMP/drawn" && cmp -s "$TMP/drawn" "$TMP/shown"
gallery 'the pictures that are drawn, shown and kept are the same' $? "$(ls docs/gallery | diff - "$TMP/drawn"; diff "$TMP/drawn" "$TMP/shown")"
missing=$("$WEAKLAB" -b -n -e plot 2>&1 </dev/null | while read -r view _; do grep -q "^plot $view .*to .*\.svg$" $page || echo "$view"; done)
[ -z "$missing" ]
gallery 'every view' $? "$missing"
large=$(find docs/gallery -size +60000c) all=$(cat docs/gallery/*.svg | wc -c)
[ -z "$large" ] && [ "$all" -le 1500000 ]
gallery 'small pictures' $? "$large, $all bytes in all"
unmade= other=
while read -r picture; do
    base=${picture%.svg}
    if [ ! -d ../shared ] && [ "$base" = wellsvm-figure-2 ]; then
        continue
    elif ! grep -q '^-\{0,1\}[0-9]' "$page_dir/$base.dat" || [ ! -s "$page_dir/$base.svg" ]; then
        unmade="$unmade $picture"
    else
        # the lines of the title as they are in the picture, but those with the number of the step
        sed -n "/^set title/,/noenhanced/p" "$page_dir/$base.gp" | grep -o "'.*'" | sed "s/^'//; s/'$//; /after step\|\\\\047/d" |
            while read -r line; do grep -qF ">$line<" "docs/gallery/$picture" || echo "$picture: $line"; done >"$TMP/titles"
        other="$other$(cat "$TMP/titles")"
    fi
done <"$TMP/drawn"
[ -z "$unmade" ]
gallery 'the numbers of each picture' $? "$unmade"
[ -z "$other" ]
gallery 'the titles of the pictures (scripts/figures --keep draws them anew)' $? "$other"
[ "$n" -gt 5 ] || echo "not ok documents: only $n blocks found"
