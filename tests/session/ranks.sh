# SPDX-License-Identifier: GPL-3.0-or-later
#
# Rows on several ranks: the same digests on 1 to 4 ranks and without mpirun, also of a recording that is checked on
# another number of ranks; commands that need all rows are refused; `info ranks`; a rank is killed, or has too little memory.
# not under sanitizers: the MPI library leaks at its end
set -u
say() { # NAME STATUS [WHY]
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1: ${3:-}"; fi
}
W=$WEAKLAB
export W
command -v mpirun >/dev/null || { echo 'skipped ranks: no mpirun'; exit 0; }
[ -e "$(dirname "$W")/weaklab-mpi.so" ] || { echo 'skipped ranks: built without MPI'; exit 0; }
. tests/terminal.sh
export RANKS_TEST=$$-$RANDOM # in the environment of all processes of this test
mpi() { # RANKS PROGRAM ARGUMENTS...
    local n=$1
    shift
    mpirun --allow-run-as-root --oversubscribe -n "$n" "$@"
}
on() { # RANKS ARGUMENTS...: 0 is without mpirun
    local n=$1
    shift
    if [ "$n" -eq 0 ]; then "$W" "$@" </dev/null; else mpi "$n" "$W" "$@" </dev/null; fi
}
rank() { # RANK: its process
    local p
    for p in $(pgrep -f -- "$TMP"); do
        if [ "$(readlink "/proc/$p/exe")" -ef "$W" ] && tr '\0' '\n' <"/proc/$p/environ" | grep -qx "RANKS_TEST=$RANKS_TEST" &&
            tr '\0' '\n' <"/proc/$p/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1"; then
            echo "$p"
        fi
    done 2>/dev/null
}
runs() { grep '^#@ run' "$1"; }
topics='generate topics n=3000 d=2000 labeled=30 seed=1 ranks=all'
ssl='task ssl labeled=30 seed=1'

# ---- the same bits on any number of ranks ----
cat >"$TMP/all.wlab" <<END2
$topics
$ssl
algo mfn
step 3
goto 1
step 2
algo tsvm
step 8
fork x
set S=1
step 3
back 2
step
switch b
goto 4
continue until iter == 12
algo mfa
step 4
set cooling=2
stepi
stepi
back
step 3
algo wellsvm kernel=linear
step 3
back
step
compare b d
task pu labeled=20 prior=0.3 seed=2
algo tsvm
step 4
task cluster
algo tsvm
step 4
algo mfa
step 3
goto 0
step 2
explain
$ssl
algo wellsvm
step 2
explain
END2
for n in 0 1 2 3 4; do
    mkdir "$TMP/on$n"
    on $n --record "$TMP/on$n/rec.wlab" --out "$TMP/on$n" "$TMP/all.wlab" >"$TMP/on$n/out" 2>"$TMP/on$n/err"
    say "$n ranks" $? "$(grep -h error "$TMP/on$n/err")"
    [ "$(runs "$TMP/on$n/rec.wlab" | wc -l)" -eq "$(grep -cE '^(step|stepi|goto|back|continue)' "$TMP/all.wlab")" ] &&
        runs "$TMP/on$n/rec.wlab" | cmp -s - <(runs "$TMP/on0/rec.wlab")
    say "$n ranks: the digests" $? "$(runs "$TMP/on$n/rec.wlab" | diff <(runs "$TMP/on0/rec.wlab") - | head -n 4)"
    # all that is printed, but for times
    sed 's/ *seconds .*//' "$TMP/on$n/out" | cmp -s - <(sed 's/ *seconds .*//' "$TMP/on0/out")
    say "$n ranks: the output" $? "$(diff "$TMP/on0/out" "$TMP/on$n/out" | head -n 4)"
done
for n in 0 1 2 4; do
    on $n replay --check "$TMP/on3/rec.wlab" >"$TMP/out" 2>&1
    say "recorded on 3 ranks, checked on $n" $? "$(tail -n 3 "$TMP/out")"
done
on 3 replay --check "$TMP/on0/rec.wlab" >"$TMP/out" 2>&1
say 'recorded without mpirun, checked on 3 ranks' $? "$(tail -n 3 "$TMP/out")"
# the rows of a rank alone do not decide the kernel, and dense rows are dense on all ranks
awk 'BEGIN { srand(1); for (i = 0; i < 12000; i++) { y = i % 2 ? 1 : -1
    printf "%d 1:%.3f 2:%.3f 3:%.3f\n", y, y + rand(), rand() - 0.5, rand() } }' >"$TMP/dense.libsvm"
cat >"$TMP/dense.wlab" <<END2
load '$TMP/dense.libsvm' ranks=all
task ssl labeled=40 seed=1
algo wellsvm
step 1
algo tsvm kernel=auto
step 3
END2
for n in 0 3; do
    on $n --record "$TMP/dense$n.wlab" --out "$TMP" "$TMP/dense.wlab" >"$TMP/out" 2>&1
    say "dense rows on $n ranks" $? "$(tail -n 3 "$TMP/out")"
done
runs "$TMP/dense0.wlab" | cmp -s - <(runs "$TMP/dense3.wlab") && [ "$(runs "$TMP/dense0.wlab" | wc -l)" -eq 2 ]
say 'dense rows: the digests' $?
# ranks on processors for which OpenBLAS has other code would not compute the same bits
mpirun --allow-run-as-root --oversubscribe -n 1 -x OPENBLAS_CORETYPE=Haswell "$W" -b -e 'say x' : \
    -n 1 -x OPENBLAS_CORETYPE=Prescott "$W" -b -e 'say x' </dev/null >"$TMP/out" 2>&1
[ $? -ne 0 ] && grep -q 'has another processor' "$TMP/out"
say 'ranks on other processors are refused' $? "$(head -n 3 "$TMP/out")"
# --ranks: this process starts the others
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$W" --ranks 3 --record "$TMP/own.wlab" --out "$TMP" "$TMP/all.wlab" </dev/null >"$TMP/out" 2>&1 &&
    runs "$TMP/own.wlab" | cmp -s - <(runs "$TMP/on0/rec.wlab")
say 'started by --ranks: the same results' $? "$(tail -n 3 "$TMP/out")"
printf 'say a\nsay b\n' | OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$W" --ranks 2 -b >"$TMP/out" 2>&1
[ "$(cat "$TMP/out")" = $'a\nb' ]
say '--ranks: commands from a pipe' $? "$(cat "$TMP/out")"

# the same data without ranks=all give the same data set
"$W" -b -e "${topics% ranks=all}" -e 'info data' >"$TMP/out" 2>&1
[ "$(grep sha256 "$TMP/out")" = "$("$W" -b -e "$topics" -e 'info data' 2>&1 | grep sha256)" ]
say 'ranks=all does not change the data' $? "$(grep sha256 "$TMP/out")"

# ---- what needs the values is refused and changes nothing ----
cat >"$TMP/two.wlab" <<END2
$topics
$ssl
algo tsvm
step 2
END2
on 0 --record "$TMP/plain.wlab" --out "$TMP" -b "$TMP/two.wlab" -e step >"$TMP/out" 2>&1
for ranks in 0 2; do
    where="on $ranks ranks"
    [ $ranks -eq 0 ] && where='on 1 rank'
    while IFS='|' read -r command what; do
        rm -f "$TMP/rec.wlab" "$TMP/refused."*
        on $ranks --record "$TMP/rec.wlab" --out "$TMP" -b "$TMP/two.wlab" -e "$command" >"$TMP/out" 2>"$TMP/err"
        status=$?
        sentence="$what reads the values of all rows, but those of 'topics' are spread over ranks: load or generate it without ranks=all"
        [ "$what" != '`eval`' ] || sentence="${sentence%%: *}: load test rows without ranks=all, and \`eval\` them by name"
        [ $status -eq 1 ] && [ "$(grep -c 'error: ' "$TMP/err")" -eq 1 ] && grep -qxF -- "-e:1: error: $sentence" "$TMP/err"
        say "refused $where: $command" $? "status $status: $(grep error "$TMP/err")"
        [ -z "$(ls "$TMP"/refused.* 2>/dev/null)" ] &&
            [ "$(grep -v '^#' "$TMP/rec.wlab")" = "$(grep -v '^#' "$TMP/plain.wlab" | head -n -1)" ] &&
            runs "$TMP/rec.wlab" | cmp -s - <(runs "$TMP/plain.wlab" | head -n -1)
        say "refused $where, and nothing is changed: $command" $? "$(cat "$TMP/rec.wlab" | tail -n 3)"
        [ $ranks -eq 0 ] || break # one of them under mpirun, too
    done <<END2
split test=0.2|\`split\`
scale|\`scale\`
eval|\`eval\`
eval unlabeled|\`eval\`
tune folds=3 algo tsvm|\`tune\`
score unlabeled on|\`score\`
export predictions $TMP/refused.csv|\`export predictions\`
export data $TMP/refused.csv|\`export data\`
plot boundary to $TMP/refused.txt|the view boundary
plot projection to $TMP/refused.txt|the view projection
plot histogram to $TMP/refused.txt|the view histogram
plot kernel to $TMP/refused.txt|the view kernel
plot score to $TMP/refused.txt|the view score
END2
done
for line in "algo wellsvm kernel=rbf|a kernel matrix needs all rows" "algo svm|the rows of 'topics' are spread over ranks, and svm cannot learn from these: use wellsvm, mfn, tsvm, mfa" \
    "task cluster; algo wellsvm|the rows of 'topics' are spread over ranks, and wellsvm cannot learn from these: use tsvm, mfa" \
    "plot mu|the view mu draws a probe of the algorithm, and with rows spread over ranks there are none" \
    "algo tsvm kernel=rbf|a kernel matrix needs all rows" "task pu labeled=9|prior=auto compares the values of rows" \
    "task ssl labeled=9; algo tsvm kernel=poly|a kernel matrix needs all rows"; do
    on 3 -b "$TMP/two.wlab" -e "${line%%|*}" >"$TMP/out" 2>"$TMP/err"
    [ $? -eq 1 ] && grep -qE "^-e:1(:[0-9]+)?: error: ${line#*|}" "$TMP/err"
    say "refused: ${line%%|*}" $? "$(grep error "$TMP/err")"
done
# what is advised is not refused
on 0 -b "$TMP/two.wlab" -e 'task ssl labeled=9 r=0.3; algo tsvm; step; compare a b' >"$TMP/out" 2>"$TMP/err"
grep -q 'what may be compared is `eval` of the same test rows, loaded without ranks=all, by name$' "$TMP/out" && ! grep -q 'score unlabeled' "$TMP/out"
say 'compare does not advise `score` of rows that it refuses' $? "$(tail -n 3 "$TMP/out")"
# and what reads no values, or the values of other data, works
cat "$TMP/two.wlab" - >"$TMP/else.wlab" <<END2
algo
export labels l.csv
export model m.model
export trace t.csv
fork y
step
compare y a
info flips
info since
info task
info run
explain
plot labels to labels.txt
plot objective to objective.txt
plot loss to loss.txt
report r.html
$topics as other
${topics% ranks=all} as here
split test=0.5
eval here
scale
score unlabeled on
switch a
eval here
step
info data
info ranks
runs
get
END2
on 2 --out "$TMP" "$TMP/else.wlab" >"$TMP/out" 2>"$TMP/err"
say 'all else works' $? "$(grep error "$TMP/err")"
for file in l.csv m.model t.csv r.html labels.txt objective.txt loss.txt; do
    [ -s "$TMP/$file" ] || say "$file" 1 'is missing'
done
grep -q '^run y, here: accuracy' "$TMP/out"
say 'a model of shared rows is scored on rows of one process' $? "$(tail -n 30 "$TMP/out" | head -n 9)"
! grep -q '^ *s4vm' "$TMP/out"
say 'algo lists only what can learn' $? "$(grep '^ *s4vm' "$TMP/out")"

# ---- info ranks, info data ----
for n in 2 4; do
    on $n --json -b "$TMP/two.wlab" -e 'info ranks' >"$TMP/out" 2>"$TMP/err"
    python3 - $n "$TMP/out" >"$TMP/why" 2>&1 <<'PY'
import json, sys
n = int(sys.argv[1])
info = [o for o in map(json.loads, open(sys.argv[2])) if o['type'] == 'ranks'][-1]
ranks = info['ranks']
assert [r['rank'] for r in ranks] == list(range(n)), 'ranks'
assert sum(r['rows'] for r in ranks) == 3000 == info['n'], 'rows'
assert all(r['host'] and r['memory'] > 1e6 and 0 <= r['waited'] <= r['seconds'] for r in ranks), ranks
assert all(r['messages'] > 0 and r['sent'] > 0 for r in ranks), ranks
PY
    say "info ranks of $n, --json" $? "$(tail -n 1 "$TMP/why")"
    on $n -b "$TMP/two.wlab" -e 'info ranks; info data' >"$TMP/out" 2>"$TMP/err"
    [ "$(sed -n '/^rank  host/,/^topics/p' "$TMP/out" | grep -cE '^ *[0-9]+  ')" -eq $n ]
    say "info ranks of $n" $? "$(tail -n 20 "$TMP/out")"
    grep -q "loaded with ranks=all: the rows are on \(2 of \)*$n ranks" "$TMP/out"
    say "info data of $n" $? "$(tail -n 8 "$TMP/out")"
done
for n in 0 1; do
    on $n -b "$TMP/two.wlab" -e 'info ranks' >"$TMP/out" 2>&1
    grep -q '^all 3000 rows of topics are in one process' "$TMP/out"
    say "info ranks of $n" $? "$(tail -n 2 "$TMP/out")"
done
on 2 -b -e "${topics% ranks=all}" -e 'info ranks' >"$TMP/out" 2>&1
grep -q '^all 3000 rows of topics are in one process' "$TMP/out"
say 'info ranks of data on one rank' $? "$(tail -n 2 "$TMP/out")"

# ---- a rank is killed while the run computes ----
cat >"$TMP/long.wlab" <<END2
$topics
$ssl
algo tsvm
step 3
algo mfa cooling=1.00001 temperatures=1000000
step 2
continue until iter == 1000000
END2
the_job() { echo -p $$ $(rank 0 | sed 's/^/-p /'); }
computes() { grep -qE '^ +20 ' "$TMP/out"; }
for victim in 2 0; do
    rm -f "$TMP/rec.wlab"
    on 3 --record "$TMP/rec.wlab" -b "$TMP/long.wlab" >"$TMP/out" 2>"$TMP/err" &
    job=$!
    until_so the_job computes
    pid=$(rank $victim)
    [ -n "$pid" ] && kill -9 $pid
    say "rank $victim is killed" $? "$(tail -n 3 "$TMP/out" "$TMP/err")"
    wait $job
    status=$?
    [ $status -ne 0 ] && grep -q "rank $victim .*signal 9" "$TMP/err"
    say "rank $victim is killed: mpirun says so, and the job ends" $? "status $status: $(tail -n 4 "$TMP/err")"
    until [ -z "$(rank 0)$(rank 1)$(rank 2)" ]; do sleep 0.05; done
    [ "$(grep -v '^#' "$TMP/rec.wlab")" = "$(head -n -1 "$TMP/long.wlab")" ] && [ "$(runs "$TMP/rec.wlab" | wc -l)" -eq 2 ]
    say "rank $victim is killed: the recording has all commands that were completed" $? "$(tail -n 4 "$TMP/rec.wlab")"
    on 2 replay --check "$TMP/rec.wlab" >"$TMP/out" 2>&1
    say "rank $victim is killed: the recording can be checked" $? "$(tail -n 3 "$TMP/out")"
done

# ---- with --ranks the session survives ----
own() { pgrep -P "$(pgrep -P "$(rank_0)" orted)" | tail -n 1; } # the last of the processes that it has started
rank_0() { pgrep -f "^$W --ranks 3 -n --no-color --out $TMP/kept"; }
t new-session -d -s w -x 120 -y 40 "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 '$W' --ranks 3 -n --no-color --out '$TMP/kept'; \
    echo status \$?; read"
see '--ranks: starts' '^weaklab> *$'
type "$topics; $ssl; algo mfa cooling=1.00001 temperatures=1000000" Enter
see '--ranks: run' 'run a: mfa'
type 'step 3' Enter
see '--ranks: steps' '^ +3 .*more'
pid=$(own)
kill -9 $pid
say '--ranks: a rank is killed' $? "pid $pid"
until ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
type 'continue until iter == 1000000' Enter
see '--ranks: the message names the rank' '^error: rank 2 has ended, and with it'
type 'back' Enter
type 'generate two-moons; task ssl labeled=9; algo tsvm; step' Enter
see '--ranks: the session goes on' 'run b: tsvm'
type quit Enter
see '--ranks: the session ends' 'status 1'
t capture-pane -p -t w -S - >"$TMP/out"
! grep -qiE 'mpi|orte|vm:' "$TMP/out"
say '--ranks: no words of MPI on the screen' $? "$(cat "$TMP/out")"
type '' Enter
(ulimit -v 420000 && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$W" --ranks 3 -b -j 1 -e "$topics") >"$TMP/out" 2>&1
status=$?
[ $status -eq 1 ] && [ "$(wc -l <"$TMP/out")" -eq 1 ] && grep -q '^error: .*not enough address space' "$TMP/out"
say '--ranks: too little address space is one sentence' $? "status $status: $(cat "$TMP/out")"

OPAL_PREFIX=/nonexistent "$W" --ranks 3 -b -e "$topics" >"$TMP/out" 2>&1
status=$?
# MPI ends the process itself, so another process, which outlives it, passes MPI's words on
for _ in $(seq 600); do
    [ ! -s "$TMP/out" ] || break
    sleep .1
done
[ $status -ne 0 ] && [ -s "$TMP/out" ]
say '--ranks: an MPI that cannot begin says so' $? "$(cat "$TMP/out")"

# ---- a rank has too little memory ----
# In a terminal the session goes on after an error.  mpirun passes no terminal on, so rank 0 opens it; in a session of its
# own, because it is not in the terminal's foreground.
cat >"$TMP/wrapper" <<'END2'
#!/bin/bash
if [ "$OMPI_COMM_WORLD_RANK" = "${SHORT:-}" ]; then ulimit -v "$LIMIT"; fi
if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then exec setsid --wait "$W" -j 1 "$@" <"$THE_TTY" >"$THE_TTY" 2>&1; fi
exec "$W" -j 1 "$@"
END2
chmod +x "$TMP/wrapper"
# begin LIMIT RANK: a session on 2 ranks in a terminal; this rank has no more address space than LIMIT kB
begin() {
    n=$((n + 1))
    t new-session -d -s w -x 150 -y 60 "cd '$TMP' && THE_TTY=\$(tty) LIMIT=$1 SHORT=$2 RANKS_TEST=$RANKS_TEST mpirun --allow-run-as-root \
        --oversubscribe -x THE_TTY -x LIMIT -x SHORT -x RANKS_TEST -x W -n 2 '$TMP/wrapper' -n --no-color --out '$TMP' </dev/null 2>mpirun.err; \
        echo status \$?; read"
    see "$3: starts" '^weaklab> *$'
}
# with so many columns the vectors of a run are much larger than the rows
wide='generate topics n=300 d=2000000 labeled=50 seed=1 ranks=all'
begin unlimited none 'measured'
type "$wide" Enter
see 'measured: data' '300 rows, 2000000 columns'
type "task ssl labeled=50 seed=1" Enter
see 'measured: task' '250 unlabelled'
peak=$(awk '/^VmPeak/ { print $2 }' "/proc/$(rank 1)/status")
type 'algo tsvm' Enter
see 'measured: run' 'run a: tsvm'
[ "$(awk '/^VmPeak/ { print $2 }' "/proc/$(rank 1)/status")" -gt $((peak + 60000)) ]
say 'a run needs more memory than the data' $? "$peak"
type quit Enter
see 'measured: ends' 'status 0'
begin $((peak + 40000)) 1 'too little'
type "$wide" Enter
see 'too little: data' '300 rows, 2000000 columns'
type "task ssl labeled=50 seed=1" Enter
see 'too little: task' '250 unlabelled'
type 'algo tsvm' Enter
see 'algo: the message names the rank' '^error: rank 1: out of memory'
t clear-history -t w
t send-keys -t w C-l
gone 'the screen is clear' 'out of memory'
type 'generate topics n=200000 d=2000 meanlen=100 ranks=all as large' Enter
see 'generate: the message names the rank' '^error: rank 1: out of memory'
type 'generate topics n=600 d=400 labeled=50 seed=1 ranks=all as small' Enter
see 'the session goes on: data' 'small: 600 rows'
type 'task ssl labeled=50 seed=1; algo tsvm; step 2' Enter
see 'the session goes on: steps' '^ +2 .*more'
type 'info ranks' Enter
see 'the session goes on: info ranks' '^ +1 .* MB'
type quit Enter
see 'the session ends' 'status 0'
exit 0
