# SPDX-License-Identifier: GPL-3.0-or-later
#
# Whole sweeps: the same rows for any number of workers, after kills of the program and of workers at random moments, and
# from merged shards; failing cells; output to a pipe.
# under sanitizers only in the long check: unit tests run its parts, and cells would take long
# needs gnuplot
set -u
W=$WEAKLAB
export XDG_STATE_HOME=$TMP/state XDG_CONFIG_HOME=$TMP/config
command -v sqlite3 >/dev/null || { echo 'skipped sweep: no sqlite3'; exit 0; }
. tests/sweeps.sh
same_rows() { # NAME DIR [ROWS]: its rows are those of an undisturbed sweep with one worker
    rows "$2" >"$TMP/rows"
    cmp -s "$TMP/rows" "${3:-$TMP/rows.1}"
    say "$1" $? "$(diff "${3:-$TMP/rows.1}" "$TMP/rows" | head -n 6)"
}

cat >"$TMP/tiny.wexp" <<'END'
title a tiny one
generate two-moons n=80 noise=0.15 as moons
generate g50c n=120 seed=5
split test=0.25
task ssl labeled={6,12}
method SVM algo svm kernel=linear
method WellSVM algo wellsvm kernel=rbf sigma={0.5x,1x} C2={0.1,1} search=paper
tune folds=2
repeat 2
continue until iter == 8
table against=SVM
END
cells=16
# small cells, and so many that the test acts on the sweep before its end
cat >"$TMP/mid.wexp" <<'END'
generate g50c n=80
split test=0.25
task ssl labeled=10
method WellSVM algo wellsvm kernel=rbf sigma={0.25x,0.5x,1x,2x} C2={0.01,0.1,1,10} search=paper
tune folds=3
continue until iter == 10
repeat 24
END
# this one is never finished
sed 's/n=80/n=160/; s/repeat 24/repeat 60/' "$TMP/mid.wexp" >"$TMP/long.wexp"

# ---- end to end, on a pipe ----
(cd "$TMP" && "$W" sweep tiny.wexp --out one -j 1) >"$TMP/out" 2>"$TMP/err" </dev/null
say 'a sweep' $? "$(tail -n 3 "$TMP/err")"
rows "$TMP/one" >"$TMP/rows.1"
[ "$(grep -c '|done|' "$TMP/rows.1")" -eq $cells ]
say 'one row per cell' $? "$(head -n 3 "$TMP/rows.1")"
[ "$(grep -cE "^\[[0-9]+/$cells\] cell [0-9]+: .*: accuracy [01]\.[0-9]{3}, [0-9.]+ s \(" "$TMP/err")" -eq $cells ]
say 'one line per cell' $? "$(head -n 3 "$TMP/err")"
! grep -q $'\033' "$TMP/err" "$TMP/out"
say 'nothing but text on a pipe' $? ''
grep -q 'WellSVM' "$TMP/out" && ! grep -q '^\[' "$TMP/out"
say 'the table, and nothing else, on standard output' $? "$(head -n 5 "$TMP/out")"
"$W" table "$TMP/one" >"$TMP/table" 2>"$TMP/err2" </dev/null
cmp -s "$TMP/table" "$TMP/out"
say 'table shows the same' $? "$(diff "$TMP/table" "$TMP/out" | head -n 5)"
(cd "$TMP" && "$W" cell all --of one --to one.cells) >"$TMP/out2" 2>&1 </dev/null
say 'all cells as text' $? "$(cat "$TMP/out2")"
"$W" table "$TMP/one.cells" >"$TMP/out2" 2>&1 </dev/null
cmp -s "$TMP/table" "$TMP/out2"
say 'table of the text shows the same' $? "$(diff "$TMP/table" "$TMP/out2" | head -n 5)"
sed '/^1\t/,/^3\t/d' "$TMP/one.cells" >"$TMP/part.cells"
"$W" merge "$TMP/part.cells" --out "$TMP/continued" >"$TMP/out2" 2>&1 </dev/null &&
    (cd "$TMP" && "$W" sweep tiny.wexp --out continued) >"$TMP/out2" 2>"$TMP/err2" </dev/null
grep -q ': 3 computed now' "$TMP/err2" && cmp -s "$TMP/table" "$TMP/out2"
say 'a sweep continues from the text' $? "$(cat "$TMP/err2" "$TMP/out2" | head -n 5)"
"$W" cell 5 --of "$TMP/one.cells" --to "$TMP/no.wlab" >"$TMP/out2" 2>&1 </dev/null
[ $? -ne 0 ] && grep -q 'has only the scores' "$TMP/out2" && [ ! -e "$TMP/no.wlab" ]
say 'the text has no sessions' $? "$(cat "$TMP/out2")"
"$W" sweep "$TMP/tiny.wexp" --out "$TMP/two" -j 2 -q >"$TMP/out" 2>"$TMP/err" </dev/null
say 'two workers' $? "$(cat "$TMP/err")"
same_rows 'the same rows from two workers' "$TMP/two"
[ ! -s "$TMP/err" ] && cmp -s "$TMP/table" "$TMP/out"
say 'quiet: only the tables' $? "$(cat "$TMP/err")"
before=$(sha256sum <"$TMP/two/results.sqlite")
"$W" sweep "$TMP/tiny.wexp" --out "$TMP/two" >"$TMP/out" 2>"$TMP/err" </dev/null
say 'a completed sweep' $? "$(cat "$TMP/err")"
grep -q "$cells cells in .*: 0 computed now.*, $cells before" "$TMP/err"
say 'has nothing to do' $? "$(cat "$TMP/err")"
rm -rf "$TMP/two"
"$W" sweep "$TMP/tiny.wexp" --out "$TMP/two" --json >"$TMP/out" 2>"$TMP/err" </dev/null
[ "$(grep -c '^{"type":"cell","number":[0-9]*,"data":"' "$TMP/out")" -eq $cells ]
say 'one object per cell' $? "$(head -n 2 "$TMP/out")"
grep -q '^{"type":"table"' "$TMP/out" && grep -q '^{"type":"sweep".*"done":16' "$TMP/out"
say 'objects for the table and the sweep' $? "$(tail -n 2 "$TMP/out" | cut -c1-200)"

# ---- curves that the experiment requests: drawn again when there are more results ----
if command -v gnuplot >/dev/null; then
    cp -r "$TMP/one" "$TMP/curves"
    { sed 's/repeat 2/repeat 1/' "$TMP/tiny.wexp"; echo 'curve accuracy vs labeled to a.svg'; } >"$TMP/curve1.wexp"
    sed 's/repeat 1/repeat 2/' "$TMP/curve1.wexp" >"$TMP/curve2.wexp"
    "$W" sweep "$TMP/curve1.wexp" --out "$TMP/curves" >"$TMP/out" 2>"$TMP/err" </dev/null
    grep -q 'a.svg written' "$TMP/err" && cp "$TMP/curves/a.dat" "$TMP/a.dat"
    say 'a curve' $? "$(cat "$TMP/err")"
    "$W" sweep "$TMP/curve2.wexp" --out "$TMP/curves" >"$TMP/out" 2>"$TMP/err" </dev/null
    grep -q 'a.svg written' "$TMP/err" && ! cmp -s "$TMP/curves/a.dat" "$TMP/a.dat"
    say 'and again, of more repetitions' $? "$(cat "$TMP/err")"
    "$W" -b -n -e "curve accuracy vs labeled of $TMP/curves" >"$TMP/out" 2>"$TMP/err" </dev/null
    grep -q '^ *labeled$' "$TMP/out" && tail -n 1 "$TMP/out" | grep -q '\*A\*' && ! grep -qE '^ *$| $' "$TMP/out"
    say 'a curve as text: its key below the axis, no blank lines' $? "$(cat "$TMP/out" "$TMP/err")"
    printf '%s\n' 'generate blobs n=60' 'task ssl labeled={10,20}' 'method M algo svm' 'repeat 2' >"$TMP/bare.wexp"
    "$W" -b -n --out "$TMP" -e "sweep $TMP/bare.wexp" >"$TMP/out" 2>"$TMP/err" </dev/null
    (cd "$TMP" && for bars in sd se; do "$W" -b -n -e "curve error vs labeled of bare bars=$bars to bare.svg" || exit; done) \
        >"$TMP/out" 2>"$TMP/err" </dev/null && head -n 1 "$TMP/bare.dat" | grep -q 'all data sets: 2 replicates$'
    say 'a curve without a title, and again over its files' $? "$(cat "$TMP/err"; head -n 1 "$TMP/bare.dat")"
else
    echo 'skipped curves: no gnuplot'
fi

# ---- from a script, which may only write below --out ----
printf 'sweep tiny.wexp\nsweep tiny.wexp to sub/again workers=1\n' >"$TMP/s.wlab"
"$W" -b --out "$TMP/below" "$TMP/s.wlab" >"$TMP/out" 2>"$TMP/err" </dev/null
say 'a script sweeps' $? "$(tail -n 2 "$TMP/err")"
same_rows 'into a folder named as the file' "$TMP/below/tiny"
same_rows 'or where it says' "$TMP/below/sub/again"
printf '%s\n' 'table sub/again' 'cell 1 of sub/again' 'curve accuracy vs labeled of sub/again to a.txt' 'merge sub/again to more' \
    >"$TMP/s.wlab"
(cd "$TMP" && "$W" -b --out below s.wlab) >"$TMP/out" 2>"$TMP/err" </dev/null
say 'and finds it there again' $? "$(tail -n 2 "$TMP/err")"
same_rows 'merged from there' "$TMP/below/more"
for bad in ../up /tmp/abs .hidden; do
    echo "sweep tiny.wexp to $bad" >"$TMP/s.wlab"
    "$W" -b --out "$TMP/below" "$TMP/s.wlab" >"$TMP/out" 2>"$TMP/err" </dev/null
    [ $? -eq 1 ] && grep -q 'a script may not write' "$TMP/err"
    say "but not to $bad" $? "$(cat "$TMP/err")"
done
[ ! -e "$TMP/up" ]
say 'nothing was made there' $? ''

# ---- shards ----
for i in 1 2 3; do
    "$W" sweep "$TMP/tiny.wexp" --out "$TMP/shard$i" --shard $i/3 >"$TMP/out" 2>"$TMP/err" </dev/null
    say "shard $i of 3" $? "$(tail -n 2 "$TMP/err")"
done
"$W" merge "$TMP/shard1" "$TMP/shard2" "$TMP/shard3" --out "$TMP/merged" >"$TMP/out" 2>"$TMP/err" </dev/null
say 'merge' $? "$(tail -n 2 "$TMP/err")"
same_rows 'merged shards are the whole' "$TMP/merged"
for bad in 0/3 4/3 3 x/3 1/x 1/0; do
    "$W" sweep "$TMP/tiny.wexp" --out "$TMP/bad" --shard $bad >"$TMP/out" 2>"$TMP/err" </dev/null
    [ $? -eq 1 ] && grep -q 'I/N' "$TMP/err"
    say "no shard $bad" $? "$(cat "$TMP/err")"
done
[ ! -e "$TMP/bad" ]
say 'and creates no folder for them' $? ''

# ---- the scripts for clusters; mpi.sh has its own test ----
mkdir -p "$TMP/path"
for f in bash seq xargs nproc; do ln -sf "$(command -v $f)" "$TMP/path/"; done
WEAKLAB=$W PATH=$TMP/path bash scripts/cluster/parallel.sh "$TMP/tiny.wexp" "$TMP/with xargs" 3 2 >"$TMP/out" 2>"$TMP/err" </dev/null
say 'parallel.sh by xargs' $? "$(tail -n 2 "$TMP/err")"
same_rows 'gives the same rows' "$TMP/with xargs"
if command -v parallel >/dev/null; then
    WEAKLAB=$W bash scripts/cluster/parallel.sh "$TMP/tiny.wexp" "$TMP/with parallel" 3 2 >"$TMP/out" 2>"$TMP/err" </dev/null
    say 'parallel.sh by GNU parallel' $? "$(tail -n 2 "$TMP/err")"
    same_rows 'gives the same rows too' "$TMP/with parallel"
else
    echo 'skipped: no GNU parallel'
fi
for i in 1 2; do
    WEAKLAB=$W SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_MAX=2 bash scripts/cluster/slurm.sh "$TMP/tiny.wexp" "$TMP/slurm" \
        >"$TMP/out" 2>"$TMP/err" </dev/null
    say "slurm.sh, task $i" $? "$(tail -n 2 "$TMP/err")"
done
"$W" merge "$TMP/slurm-parts"/* --out "$TMP/slurm" >"$TMP/out" 2>"$TMP/err" </dev/null
same_rows 'its tasks are the whole' "$TMP/slurm"

# ---- killed ----
"$W" sweep "$TMP/mid.wexp" --out "$TMP/mid" -j 1 >"$TMP/table.mid" 2>"$TMP/err" </dev/null
say 'a longer one' $? "$(tail -n 2 "$TMP/err")"
rows "$TMP/mid" >"$TMP/rows.mid"
killed=0
for i in $(seq 6); do
    "$W" sweep "$TMP/mid.wexp" --out "$TMP/killed" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null &
    p=$!
    if [ $i -eq 1 ]; then
        until_so the_sweep at_least_done "$TMP/killed" 1 # so that it is killed in the middle
    else
        sleep "0.$((RANDOM % 9))" # at any point of the sweep; on a slow machine it may not have begun
    fi
    if kill -9 $p 2>/dev/null; then killed=$((killed + 1)); fi
    wait $p 2>/dev/null
    none_left "killed the program ($i)"
    if [ -s "$TMP/killed/results.sqlite" ]; then
        [ "$(sqlite3 "$TMP/killed/results.sqlite" 'PRAGMA integrity_check')" = ok ]
        say "the store is whole ($i)" $? ''
    fi
done
[ "$killed" -gt 0 ]
say 'it was killed before its end' $? ''
"$W" sweep "$TMP/mid.wexp" --out "$TMP/killed" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null
say 'the same command continues to the end' $? "$(tail -n 2 "$TMP/err")"
same_rows 'the same rows after kills' "$TMP/killed" "$TMP/rows.mid"
cmp -s "$TMP/table.mid" "$TMP/out"
say 'and the same table' $? "$(diff "$TMP/table.mid" "$TMP/out" | head -n 5)"

# a worker: its cell is tried again
"$W" sweep "$TMP/mid.wexp" --out "$TMP/hurt" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null &
p=$!
hurt=0
# kill only one worker, so that no cell's worker is killed twice
if until_so the_sweep at_least_done "$TMP/hurt" 2 && kill -9 "$(workers | head -n 1)"; then hurt=1; fi
wait $p
say 'a sweep survives a killed worker' $? "$(tail -n 2 "$TMP/err")"
[ $hurt -eq 1 ]
say 'one was killed' $? ''
same_rows 'the same rows all the same' "$TMP/hurt" "$TMP/rows.mid"

# ---- interrupted ----
# under_way: starts a sweep in the background, $p, and waits until it has done one more cell
under_way() {
    local expected
    expected=$(($(cells "$TMP/stopped") + 1))
    # commands that a shell runs in the background ignore SIGINT
    env --default-signal=INT "$W" sweep "$TMP/long.wexp" --out "$TMP/stopped" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null &
    p=$!
    until_so the_sweep at_least_done "$TMP/stopped" "$expected"
}
for sig in INT TERM; do
    rm -rf "$TMP/stopped"
    expected=130
    [ $sig = TERM ] && expected=143
    under_way
    kill -$sig $p
    wait $p
    got=$?
    say "SIG$sig stops it" $((got != expected)) "status $got: $(tail -n 1 "$TMP/err")"
    n=$(cells "$TMP/stopped")
    [ "$n" -gt 0 ] && [ "$n" -lt 60 ] && [ "$(grep -c '^\[' "$TMP/err")" -eq "$n" ]
    say "SIG$sig: the running cells are stored" $? "$n rows, $(grep -c '^\[' "$TMP/err") lines"
done
none_left 'interrupted'
under_way
kill -INT $p
wait $p
grep -q 'interrupted: .* of 60 cells are in .*; the same command continues' "$TMP/err"
say 'it says how to continue' $? "$(tail -n 2 "$TMP/err")"
under_way
hold
kill -INT $p
until_so the_sweep grep -q 'Ctrl-C again' "$TMP/err"
kill -INT $p
wait $p
got=$?
[ $got -eq 130 ] && grep -q 'interrupted: .* of 60 cells are in .*; the same command continues' "$TMP/err"
say 'after two interrupts too' $? "status $got: $(tail -n 2 "$TMP/err")"
none_left 'interrupted twice'

# ---- failures ----
# in some splits only one class remains to learn from
printf '%s\n' 'load rare.libsvm' 'split test=0.7 stratified=no' 'task supervised' 'method SVM algo svm kernel=linear' \
    'repeat 8' >"$TMP/fails.wexp"
for i in $(seq 12); do echo "$([ "$i" -le 2 ] && echo +1 || echo -1) 1:$i"; done >"$TMP/rare.libsvm"
"$W" sweep "$TMP/fails.wexp" --out "$TMP/fails" >"$TMP/out" 2>"$TMP/err" </dev/null
say 'failing cells do not fail the sweep' $? "$(tail -n 2 "$TMP/err")"
n=$(rows "$TMP/fails" | grep -c '|failed|')
[ "$n" -gt 0 ] && [ "$(rows "$TMP/fails" | grep -c '|done|')" -eq $((8 - n)) ]
say 'they are stored' $? "$(rows "$TMP/fails")"
[ "$(grep -c 'SVM seed=.: failed: .*classes' "$TMP/err")" -eq "$n" ] && grep -q "; $n failed" "$TMP/err"
say 'and reported' $? "$(cat "$TMP/err")"
"$W" sweep "$TMP/fails.wexp" --out "$TMP/fails" 2>&1 >"$TMP/out" </dev/null | grep -q ' 0 computed now'
say 'they are not computed again' $? ''
"$W" sweep "$TMP/fails.wexp" --out "$TMP/fails" --retry 2>&1 >"$TMP/out" </dev/null | grep -q " $n computed now"
say 'except on request' $? ''
seed=$(rows "$TMP/fails" | grep '|failed|' | head -n 1 | cut -d'|' -f5)
sed "s/repeat 8/repeat {$seed}/" "$TMP/fails.wexp" >"$TMP/allfail.wexp"
"$W" sweep "$TMP/allfail.wexp" --out "$TMP/allfail" >"$TMP/out" 2>"$TMP/err" </dev/null
[ $? -eq 1 ] && grep -q 'the 1 cell failed: .*classes' "$TMP/err"
say 'if all cells fail the sweep fails' $? "$(tail -n 2 "$TMP/err")"
printf '%s\n' 'load one.libsvm' 'task supervised' 'method SVM algo svm' >"$TMP/one.wexp"
for i in $(seq 5); do echo "+1 1:$i"; done >"$TMP/one.libsvm"
"$W" sweep "$TMP/one.wexp" --out "$TMP/none" >"$TMP/out" 2>"$TMP/err" </dev/null
[ $? -eq 1 ] && grep -q 'one.wexp:2:1: error: .*one class' "$TMP/err" && [ ! -e "$TMP/none" ]
say 'a setting that can never work is reported before anything runs' $? "$(cat "$TMP/err")"
"$W" sweep "$TMP/nosuch.wexp" --out "$TMP/none" >"$TMP/out" 2>"$TMP/err" </dev/null
[ $? -eq 1 ] && [ ! -e "$TMP/none" ]
say 'no such file' $? "$(cat "$TMP/err")"
printf 'title x\nlaod y\n' >"$TMP/wrong.wexp"
"$W" sweep "$TMP/wrong.wexp" --out "$TMP/none" >"$TMP/out" 2>"$TMP/err" </dev/null
[ $? -eq 1 ] && grep -q 'wrong.wexp:2:1: error: .*load' "$TMP/err" && [ ! -e "$TMP/none" ]
say 'FILE:LINE:COLUMN: error' $? "$(cat "$TMP/err")"
"$W" sweep >"$TMP/out" 2>"$TMP/err" </dev/null
[ $? -eq 2 ] && grep -q 'usage: weaklab sweep FILE' "$TMP/err"
say 'usage' $? "$(cat "$TMP/err")"
"$W" sweep "$TMP/fails.wexp" --out "$TMP/one" >"$TMP/out" 2>"$TMP/err" </dev/null
say "another experiment's folder" $(($? != 1)) "$(tail -n 1 "$TMP/err")"
same_rows 'stays as it was' "$TMP/one"
# a folder that cannot be written, a disk that is full
: >"$TMP/file"
"$W" sweep "$TMP/tiny.wexp" --out "$TMP/file/sub" >"$TMP/out" 2>"$TMP/err" </dev/null
[ $? -eq 1 ] && grep -q 'error: ' "$TMP/err"
say 'a folder that cannot be made' $? "$(cat "$TMP/err")"
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$TMP/ro" && chmod 500 "$TMP/ro"
    "$W" sweep "$TMP/tiny.wexp" --out "$TMP/ro" >"$TMP/out" 2>"$TMP/err" </dev/null
    say 'a read-only folder' $(($? != 1)) "$(cat "$TMP/err")"
    chmod 700 "$TMP/ro"
fi
(
    ulimit -f 48 # in units of 1024 bytes: like a disk that becomes full
    exec "$W" sweep "$TMP/tiny.wexp" --out "$TMP/full" -j 2
) >"$TMP/out" 2>"$TMP/err" </dev/null
got=$?
[ $got -eq 1 ] && grep -q 'error: ' "$TMP/err"
say 'a full disk ends it' $? "status $got: $(tail -n 1 "$TMP/err")"
none_left 'a full disk'
"$W" sweep "$TMP/tiny.wexp" --out "$TMP/full" -j 2 >"$TMP/out" 2>"$TMP/err" </dev/null
say 'with space again it continues' $? "$(tail -n 1 "$TMP/err")"
same_rows 'to the same rows' "$TMP/full"

exit 0
