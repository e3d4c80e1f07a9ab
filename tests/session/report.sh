# SPDX-License-Identifier: GPL-3.0-or-later
#
# `report`: pages of sessions, in three formats; hostile texts, failing scripts, differing results.
# under sanitizers only in the long check: unit tests draw the same pictures, and gnuplot takes long
# needs gnuplot
set -u
say() # NAME STATUS
{
    [ "$2" -eq 0 ] && echo "ok report: $1" || echo "not ok report: $1"
}
cd "$TMP" || exit 1
root=$OLDPWD
page=$TMP/gap.html

"$WEAKLAB" report "$root/scripts/lessons/gap.wlab" -o "$page" >log 2>&1 </dev/null
say 'a lesson' $?
grep -q 'all equal bit for bit' log && grep -q 'Executed again: .* all equal bit for bit' "$page"
say 'its replay held, and the page says so' $?
[ "$(wc -c <"$page")" -lt 3000000 ]
say 'the page is below 3 MB' $?
[ "$(grep -c '<figure class="steps">' "$page")" -ge 6 ] && grep -q '<input type="range"' "$page" && grep -q '<th>objective</th>' "$page" &&
    grep -q '<h1>A duality gap: what is certified, and what is not</h1>' "$page"
say 'it has a title, frames, a slider and a table' $?
! grep -qE '(src|href)="?(http|//|file)' "$page"
say 'it refers to nothing outside' $?
[ "$(find . -mindepth 1 ! -name log ! -name gap.html | wc -l)" -eq 0 ]
say 'nothing else is left behind' $?

# the same bytes again, but for seconds
"$WEAKLAB" report "$root/scripts/lessons/tuning.wlab" -o a.html >log 2>&1 </dev/null
"$WEAKLAB" -j 1 report "$root/scripts/lessons/tuning.wlab" -o b.html >log 2>&1 </dev/null
strip='s/seconds[^<]*//g; s/[0-9.e-]* s)//g; s/threads=[0-9]*//; s/[0-9.e-]*e-[0-9]* seconds//g'
diff -q <(sed "$strip" a.html | sed '/<script type/d') <(sed "$strip" b.html | sed '/<script type/d') >/dev/null
say 'the same page again, also with one thread' $?

"$WEAKLAB" report "$root/scripts/tour.wlab" -o out/tour.md >log 2>&1 </dev/null && [ -s out/tour.md ] &&
    [ "$(grep -o 'tour-files/[0-9-]*\.svg' out/tour.md | sort -u | while read -r f; do [ -s "out/$f" ] && echo there; done | wc -l)" -ge 5 ] &&
    [ "$(grep -o 'tour-files/[0-9-]*\.svg' out/tour.md | sort -u | wc -l)" -eq "$(ls out/tour-files | wc -l)" ]
say 'Markdown, with its pictures' $?
"$WEAKLAB" report "$root/scripts/lessons/bags.wlab" -o out/bags.tex >log 2>&1 </dev/null && grep -q '\\section{Bags with one positive' out/bags.tex &&
    grep -q '\\toprule' out/bags.tex && grep -o 'bags-files/[0-9-]*\.pdf' out/bags.tex | while read -r f; do [ -s "out/$f" ] || echo missing; done | (! grep -q missing)
say 'LaTeX, with its pictures' $?

# the session so far, a report in a report, and what is typed afterwards
"$WEAKLAB" -b -n -e 'generate two-moons n=40 seed=1; task ssl labeled=4; algo wellsvm; step 2' -e 'report so-far.html views=boundary' \
    -e 'step' --record typed.wlab >log 2>&1 </dev/null && grep -q 'A session of weaklab' so-far.html && ! grep -q report typed.wlab
say 'the session so far, and no report in its recording' $?
"$WEAKLAB" report typed.wlab -o typed.html >log 2>&1 </dev/null && grep -q 'all equal bit for bit' typed.html
say 'a recorded session is compared with its own digests' $?
sed 's/objective=\(-\{0,1\}[0-9]*\)\.[0-9]*/objective=\1.5/' typed.wlab >other.wlab
"$WEAKLAB" report other.wlab -o other.html >log 2>&1 </dev/null && grep -q 'class="differs">Executed again: .*objective' other.html
say 'a difference is no error, and the page shows it' $?
echo 'report inner.html' >>typed.wlab
"$WEAKLAB" report typed.wlab -o outer.html >log 2>&1 </dev/null && [ ! -e inner.html ] && grep -q 'within a report' outer.html
say 'a report within a report is not made' $?

# strangers' files
cat >hostile.wlab <<'X'
# <script>alert(1)</script> & "title"
say "<img src=x onerror=alert(1)> \end{verbatim}"
say "`</code><script>alert(2)</script>`"
generate two-moons n=20 seed=1
export data to x
X
"$WEAKLAB" report hostile.wlab -o hostile.html >log 2>&1 </dev/null
[ $? -eq 1 ] && [ ! -e hostile.html ] && grep -q 'hostile.wlab:5' log
say 'a script that fails: its place, and no page' $?
sed -i '$d' hostile.wlab
"$WEAKLAB" report hostile.wlab -o hostile.html >log 2>&1 </dev/null && [ "$(grep -c '<script' hostile.html)" -eq 1 ] && ! grep -q '<img' hostile.html
say 'markup in texts is text' $?
printf 'generate two-moons n=20 seed=1\ntask ssl labeled=4\nalgo svm\nstep\nexport trace ../escaped.csv\n' >escape.wlab
"$WEAKLAB" report escape.wlab -o escape.html >log 2>&1 </dev/null
[ $? -eq 1 ] && [ ! -e ../escaped.csv ] && [ ! -e escape.html ]
say 'a script stays confined' $?
printf 'generate two-moons n=20 seed=1\ntask ssl labeled=4\nalgo svm\nstep\nexport trace inside.csv\nplot objective to inside.png\n' >inside.wlab
"$WEAKLAB" report inside.wlab -o inside.html >log 2>&1 </dev/null && [ ! -e inside.csv ] && [ ! -e inside.png ] && grep -q '<figure><svg' inside.html
say 'what it writes is not kept, and its figure is in the page' $?

printf 'generate two-moons n=20 seed=1\ntask ssl labeled=4\nalgo svm\nstep\nplot kernel\n' >picture.wlab
"$WEAKLAB" report picture.wlab -o out/picture.md >log 2>&1 </dev/null && [ "$(grep -l '<image' out/picture-files/*.svg | wc -l)" -eq 2 ]
say 'a figure that a terminal would show as text is a picture too' $?

# an interrupt ends it: the inner session's solver is at work as soon as the process has four threads
printf 'generate g50c n=1500 seed=1\ntask ssl labeled=20\nalgo wellsvm kernel=rbf search=multistart starts=50 eps=1e-12\ncontinue\n' >long.wlab
"$WEAKLAB" -j 1 report long.wlab -o long.html >log 2>&1 </dev/null &
pid=$!
until [ "$(ls /proc/$pid/task 2>/dev/null | wc -l)" -ge 3 ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -TERM $pid # a shell without job control lets its children ignore SIGINT
wait $pid
[ $? -eq 143 ] && [ ! -e long.html ]
say 'an interrupt ends it, without a page' $?

# usage
"$WEAKLAB" report nowhere.wlab -o x.html >log 2>&1 </dev/null; [ $? -eq 1 ] && grep -q nowhere log && [ ! -e x.html ]
say 'no such script' $?
"$WEAKLAB" report inside.wlab -o x.pdf >log 2>&1 </dev/null; [ $? -eq 1 ] && grep -q '\.html, \.md or \.tex' log
say 'another ending' $?
"$WEAKLAB" report inside.wlab >log 2>&1 </dev/null; [ $? -eq 2 ] && grep -q 'report SCRIPT -o FILE' log
say 'no file to write' $?
"$WEAKLAB" report inside.wlab -o x.html views=boundary,nothing >log 2>&1 </dev/null; [ $? -eq 1 ] && grep -q 'no view "nothing"' log
say 'an unknown view' $?
"$WEAKLAB" -b -n -e 'report x.html' >log 2>&1 </dev/null; [ $? -eq 1 ] && grep -q 'nothing to report yet' log
say 'an empty session' $?
PATH=/nowhere "$WEAKLAB" report inside.wlab -o x.html >log 2>&1 </dev/null; [ $? -eq 1 ] && grep -q gnuplot log && [ ! -e x.html ]
say 'no gnuplot: an error that says so, and no page' $?

if [ -s "$page" ]; then
    python3 "$root/tests/browser.py" "$page" hostile.html inside.html 2>&1
fi
