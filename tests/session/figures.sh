#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Files of figures: several views, styles, LaTeX, drawing them again with gnuplot alone; data by formula: its errors have
# a place, gnuplot never sees its text, recordings replay, experiments use it.
set -u
. tests/objects.sh
W=$(realpath "$W")
mkdir -p "$TMP/f"
cd "$TMP/f" || exit 1

text() # LINES [OPTIONS...]: what a user reads, in out.txt; figures go to the folder f
{
    "$W" -b -n "${@:2}" -e "$1" >"$TMP/out.txt" 2>&1 </dev/null
}
moons='generate two-moons n=40 seed=1 as "50% & a_b"; task ssl labeled=4 seed=1; algo wellsvm; step 2'

# a figure of three views is drawn again by its .gp, in every style: the same bytes, without weaklab
for style in screen paper slide poster; do
    text "$moons; set figure=$style; plot objective gap boundary to $style.svg"
    # but for the edges of an image's cells, which weaklab adds for browsers
    sed "s/ image-rendering='pixelated'//g" "$TMP/f/$style.svg" >"$TMP/first.svg" && rm "$TMP/f/$style.svg" && (cd "$TMP/f" && gnuplot "$style.gp" 2>"$TMP/err")
    cmp -s "$TMP/first.svg" "$TMP/f/$style.svg" && [ ! -s "$TMP/err" ]
    say "figure=$style: gnuplot draws three views again" $? "$(cat "$TMP/out.txt" "$TMP/err")"
done

# the settings change no number: the .dat of a view is the same in all styles
text "$moons; plot boundary to a.png; set figure=poster title=none font=,20; plot boundary to b.tex; set figure=slide size=9x9; plot boundary to c.pdf"
cmp -s "$TMP/f/a.dat" "$TMP/f/b.dat" && cmp -s "$TMP/f/a.dat" "$TMP/f/c.dat"
say 'styles change no number' $? "$(cat "$TMP/out.txt")"

# LaTeX: hostile titles, the notation of the papers
text "$moons; set title=\"50% & \\$ # _ ^ ~ { } < > | \\\\ λ é ‖ \\\\input{x}\"; plot boundary to tex1.tex; set title=auto; plot objective gap mu boundary labels to tex2.tex; algo mfa; step 9; plot objective vs level to tex3.tex"
grep -q 'fontsize{8}' "$TMP/f/tex1.tex" && grep -q 'includegraphics.*tex1}' "$TMP/f/tex1.tex" && [ -s "$TMP/f/tex1.pdf" ]
say 'a .tex and its drawing' $? "$(cat "$TMP/out.txt")"
grep -q 'temperature \$T\$' "$TMP/f/tex3.tex"
say 'axes in the notation of the papers' $? "$(grep -n temperature "$TMP/f/tex3.tex")"
if command -v pdflatex >/dev/null; then
    printf '%s\n' '\documentclass{article}\usepackage{graphicx,color}\begin{document}' '\input{tex1}' '\input{tex2}' \
        '\input{tex3}' '\end{document}' >"$TMP/f/page.tex"
    (cd "$TMP/f" && HOME=$TMP pdflatex -interaction=nonstopmode -halt-on-error page.tex >"$TMP/latex.log" 2>&1)
    say 'LaTeX compiles them' $? "$(grep -A3 '^!' "$TMP/latex.log")"
else
    echo 'skipped figures: no pdflatex'
fi

# recordings with settings and figures replay
text "$moons; set figure=paper title=\"a b\"; plot objective gap to r.pdf; set size=9x5cm; plot gap to r2.tex" --record "$TMP/tape.wlab"
"$W" replay --check --out "$TMP/again" "$TMP/tape.wlab" >"$TMP/out.txt" 2>&1 </dev/null && [ -s "$TMP/again/r2.tex" ]
say 'a recording with figures replays' $? "$(tail -n 3 "$TMP/out.txt")"

# ---- data by formula ----

printf '%s\n' 'say hi' 'generate formula seed=2 f="x1^2 + sn(x2)"' >"$TMP/wrong.wlab"
"$W" -b -n "$TMP/wrong.wlab" >"$TMP/out.txt" 2>&1 </dev/null
[ $? -ne 0 ] && grep -q 'wrong.wlab:2:35: error: no column "sn"' "$TMP/out.txt"
say 'an error in a formula has a place' $? "$(cat "$TMP/out.txt")"
text 'generate formula "x1 + x2"'
grep -q 'write f="x1 + x2"' "$TMP/out.txt"
say 'a formula without f=' $? "$(cat "$TMP/out.txt")"

data='generate formula f="x1^2 + sin(x2) - 1" n=200 noise=0.3 seed=4'
text "$data; info data; task ssl labeled=20; algo svm kernel=rbf; continue; plot boundary to bayes.svg; eval; export data rows.csv; load rows.csv; info data" --record "$TMP/tape.wlab"
say 'a session with a formula' $? "$(tail -n 3 "$TMP/out.txt")"
grep -q '^Bayes error 0\.1' "$TMP/out.txt" && grep -q '^the sign of the formula, the best on average: accuracy 0\.' "$TMP/out.txt" &&
    [ "$(grep -c '^Bayes error' "$TMP/out.txt")" = 1 ] && grep -q '^rows: 200 rows' "$TMP/out.txt"
say 'the Bayes error beside the learner' $? "$(cat "$TMP/out.txt")"
grep -q 'Bayes boundary' "$TMP/f/bayes.gp" && ! grep -qE 'sin\(|x1\^2' "$TMP/f/bayes.gp" "$TMP/f/bayes.dat"
say 'gnuplot gets numbers, not the formula' $? "$(grep -nE 'sin\(|x1\^2' "$TMP/f/bayes.gp")"
"$W" replay --check --data "$TMP/f" --out "$TMP/again" "$TMP/tape.wlab" >"$TMP/out.txt" 2>&1 </dev/null
say 'a recording with a formula replays' $? "$(tail -n 3 "$TMP/out.txt")"
run "$data; info data"
source=$(grep -o '"source":"[^}]*"' "$TMP/out.json" | head -n 1 | sed 's/"source":"//; s/","bayes.*//; s/"$//; s/\\"/"/g')
sha=$(value data sha256)
run "$source"
[ "$(value data sha256)" = "$sha" ]
say 'the source line makes the data again' $? "$source"

printf '%s\n' 'generate formula f="x1*x2 - 0.1" n=60 as xor' 'split test=0.5' 'task ssl labeled={6,12}' 'repeat 2' \
    'method SVM algo svm kernel=rbf' 'table' >"$TMP/formula.wexp"
"$W" sweep "$TMP/formula.wexp" --out "$TMP/cells" -j 1 >"$TMP/out.txt" 2>&1 </dev/null && "$W" table "$TMP/cells" >>"$TMP/out.txt" 2>&1
say 'an experiment with a formula' $? "$(tail -n 3 "$TMP/out.txt")"
