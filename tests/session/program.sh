# SPDX-License-Identifier: GPL-3.0-or-later
#
# The program from outside: options, exit statuses, streams, JSON, signals, the folder that scripts may write to.
# needs gnuplot
set -u
. tests/waits.sh
say() { # NAME CONDITION-STATUS [WHY]
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "not ok $1: ${3:-}"; fi
}
# status NAME EXPECTED COMMAND...: checks the exit status; output goes to $TMP/out and $TMP/err
status() {
    local name=$1 expected=$2 got
    shift 2
    "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
    got=$?
    say "$name" $((got != expected)) "status $got instead of $expected: $(tail -n 3 "$TMP/err")"
}
has() { # NAME FILE PATTERN
    grep -qE -- "$3" "$TMP/$2"
    say "$1" $? "no '$3' in: $(head -c 500 "$TMP/$2")"
}
empty() {
    [ ! -s "$TMP/$2" ]
    say "$1" $? "$(head -c 300 "$TMP/$2")"
}
W=$WEAKLAB
moons='generate two-moons n=60 noise=0.1 seed=1; split test=0.25 seed=1; task ssl labeled=4; algo wellsvm kernel=rbf'

# ---- the message at the end of a run ----
status 'a run that ends' 0 "$W" -n -b -e 'generate two-moons n=60; task ssl labeled=4; algo wellsvm kernel=linear; continue; algo svm; continue; break relgap < 0.5'
has 'reports the open gap' err '^run a: converged after step [0-9]+ \(relaxation [0-9.]+ % open\)$'
has 'or that it is proven' err '^run b: converged after step 1 \(proven\)$'
# ---- compare: runs with other objectives ----
two='generate two-moons n=40; task ssl labeled=4; algo wellsvm kernel=rbf C1=1'
status 'compare of other costs' 0 "$W" -n -b -e "$two C2=0.1; step; algo wellsvm kernel=rbf C=1; step; compare"
has 'says that the objectives differ' out '^their objectives differ by C2 \(0\.1, 1\): compare scores, not objectives$'
status 'compare of other widths' 0 "$W" -n -b -e "$two sigma=0.5; step; algo wellsvm kernel=rbf sigma=1; step; compare"
has 'does, too' out '^their objectives differ by kernel \(rbf sigma=0\.5, rbf sigma=1\): compare'
status 'compare of a loss with auto' 0 "$W" -n -b -e "$two; step; algo wellsvm kernel=rbf loss=sum-to-one; step; compare"
! grep -q 'their objectives' "$TMP/out"
say 'knows what auto stands for' $? "$(tail -n 2 "$TMP/out")"
status 'compare of another loss with auto' 0 "$W" -n -b -e "$two; step; algo wellsvm kernel=rbf loss=hinge; step; compare"
has 'names both losses' out '^their objectives differ by loss \(sum-to-one, hinge\): compare'
# ---- explain ----
status 'explain after a change of settings' 0 "$W" -n -b -e "$two; step 2; set C2=0.5; set eps=1e-4; explain"
has 'does not speak of the last step with the new ones' out '^After step 2: C2=0\.5, eps=1e-4 set, for the next step\.'
! grep -q nan "$TMP/out"
say 'and of no number that is not there' $?
# ---- expect ----
status 'a condition that holds' 0 "$W" -n -b -e "$two; step; expect gap < 5 and iter == 1"
has 'says so, with the values' out '^as expected: gap < 5 and iter == 1 \(iter = 1, gap = [0-9.]+\)$'
status 'a condition that does not hold' 4 "$W" -n -b -e "$two; step; expect gap < 0" -e 'step'
has 'says the place and the values' err '^-e:1:[0-9]+: error: expected gap < 0 of run a, but gap = [0-9.]+$'
! grep -q '^ *2 ' "$TMP/out"
say 'and ends the script' $?
status 'a condition before the first step' 4 "$W" -n -b -e "$two; expect gap < 5"
has 'has no value' err 'but gap = no value$'
status 'a condition on nothing' 1 "$W" -n -b -e "$two; expect gpa < 5"
has 'suggests a name' err ':[0-9]+: error: .*gap'
status 'expect without a run' 1 "$W" -n -b -e 'expect gap < 5'
status 'compare of other searches' 0 "$W" -n -b -e "$two C2=0.50; step; algo wellsvm kernel=rbf C2=0.5 search=paper seed=3 eps=1e-3; step; compare"
! grep -q 'their objectives' "$TMP/out"
say 'of the same objective says nothing' $? "$(tail -n 2 "$TMP/out")"
status 'compare of other algorithms' 0 "$W" -n -b -e "$two C2=0.50; step; algo svm C=3; step; compare"
! grep -q 'their objectives differ\|their objectives may' "$TMP/out" && grep -q 'may solve different problems (other algorithms)' "$TMP/out"
say 'is as before' $? "$(tail -n 2 "$TMP/out")"
status 'a run of one binary classifier per class' 0 "$W" -n -b -e 'generate polygon n=90 classes=4 seed=2; task ssl labeled=12 classes=all; algo wellsvm labelings=3; continue'
has 'reports no gap, which would be that of the last classifier' err '^run a: stopped at its limit after step [0-9]+$'
status 'an unknown name in a condition' 1 "$W" -n -b -e 'generate two-moons n=40; task ssl labeled=4; algo wellsvm; continue until gap < 1 and foo < 1'
has 'has its column in the line' err '^-e:1:87: error: no metric "foo"'
status 'and in quotes' 1 "$W" -n -b -e 'generate two-moons n=40; task ssl labeled=4; algo wellsvm; break "foo < 1"'
has 'the same' err '^-e:1:67: error: no metric "foo"'
status 'curves of two runs, one without a step' 0 "$W" -n -b -e "generate two-moons n=40; task ssl labeled=4; algo wellsvm; algo svm; step; plot objective a b to $TMP/two.txt"
grep -q 'run a has no step yet' "$TMP/two.txt" && [ "$(grep -c '^# run: b' "$TMP/two.dat")" -le 1 ] && [ -s "$TMP/two.txt" ]
say 'are drawn, and the title names that run' $? "$(cat "$TMP/two.txt")"
status 'EM whose best restart changes' 0 "$W" -n -b -e 'generate blobs n=40 classes=2 seed=3; task cluster; algo softmax-em names=drawn; step 4; explain'
tr -s ' \n' ' ' <"$TMP/out" | grep -q 'was shown before: the 40 flips'
say 'explains its flips by the change of restart' $? "$(tail -n 8 "$TMP/out")"
status 'the same with the names of the clusters matched' 0 "$W" -n -b -e 'generate blobs n=40 classes=2 seed=3; task cluster; algo softmax-em; step 4; explain'
tr -s ' \n' ' ' <"$TMP/out" | grep -q 'was shown before: the 0 flips'
say 'has no flips, as the clusters are the same' $? "$(tail -n 8 "$TMP/out")"
status 'a model of one class' 0 "$W" -n -b -e 'generate two-moons n=60; task ssl labeled=4; algo mfa loss=hinge kernel=poly gamma=1e6; continue; eval'
has 'is reported at the end of the run' err '^warning: the model predicts one class only, -1, for all 60 training rows$'
has 'and by eval' err '^warning: the model predicts one class only, -1, for all 56 rows$'
status 'columns of other scales' 0 bash -c 'for i in 1 2 3 4 5 6 7 8; do echo "$i,$((i * i * 1000)),$((i % 2))"; done >"$1/scales.csv" &&
    "$0" -n -b -e "load $1/scales.csv header=no; task supervised; algo svm; scale zscore; task supervised; algo svm"' "$W" "$TMP"
has 'are named by load' err '^column 2 of scales spans 6.3e\+04, column 1 only 7: .* `scale zscore` corrects this'
has 'and by algo' err '`scale zscore`, then `task` and `algo` again'
[ "$(grep -c 'dominate distances' "$TMP/err")" -eq 2 ]
say 'but not once they are scaled' $? "$(cat "$TMP/err")"

# ---- options ----
status 'help' 0 "$W" --help
has 'help shows the usage' out '^usage: weaklab'
status 'version' 0 "$W" --version
has 'version shows it' out '^weaklab [0-9]'
if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
    status 'a processor that OpenBLAS does not know' 0 env -u OPENBLAS_CORETYPE "$W" --version
    ! grep -q Prescott "$TMP/out"
    say 'is not taken for one of 2004' $? "$(cat "$TMP/out")"
fi
if grep -qaE '__[at]san_init' "$W"; then
    echo 'skipped a limit of the address space: a sanitizer needs more'
else
    status 'a limit of the address space' 0 bash -c 'ulimit -v 200000 -t 60 && exec "$0" -n -b -e "$1"' \
        "$W" 'generate two-moons; task ssl labeled=6; algo mfn; step'
    # if there is no memory for its work space, OpenBLAS requests it again and again, for ever: an error must come before that
    for what in 'ssl labeled=4; algo softmax-sdp lambda=0.1' 'cluster; algo kmeans' 'llp bagsize=10; algo conv-psvm'; do
        why='' reported=0 done=0
        for limit in 110000 150000 250000 310000 450000 700000; do
            bash -c 'ulimit -v "$0" -t 60 && exec "$@"' $limit "$W" -n -j 2 -b -e "generate two-moons n=60; task $what; step 2" \
                >"$TMP/out" 2>"$TMP/err" </dev/null
            got=$?
            if [ $got -eq 0 ]; then
                done=$((done + 1))
            elif [ $got -eq 1 ] && grep -qE 'error: (not enough address space: .* `ulimit -v [0-9]+` will do|cannot start|out of memory)' "$TMP/err"; then
                reported=$((reported + 1))
            else
                why="$why, $limit kB: status $got: $(tail -n 1 "$TMP/err")"
            fi
        done
        [ -z "$why" ] && [ $done -ge 1 ] && [ $reported -ge 3 ]
        say "little address space gives a result or an error: $what" $? "$done done, $reported reported$why"
    done
    status 'fewer threads need less' 0 bash -c 'ulimit -v 450000 -t 60 && exec "$0" -n -j 2 -b -e "$1"' \
        "$W" 'set threads=1; generate two-moons n=60; task ssl labeled=4; algo svm kernel=rbf; step'
    status 'more threads than fit into the address space' 1 bash -c 'ulimit -v 450000 -t 60 && exec "$0" -n -j 1 -b -e "$1"' \
        "$W" 'generate two-moons n=60; task ssl labeled=4; algo svm kernel=rbf; set threads=8; step'
    has 'are refused when they are set' err 'error: not enough address space'
    limit=$(sed -n 's/.*`ulimit -v \([0-9]*\)`.*/\1/p' "$TMP/err")
    status 'the limit in the message is enough' 0 bash -c 'ulimit -v "$2" -t 60 && exec "$0" -n -j 1 -b -e "$1"' \
        "$W" 'generate two-moons n=60; task ssl labeled=4; algo svm kernel=rbf; set threads=8; step' "$limit"
fi
for bad in --nonsense '-j 0' '-j x' '--seed -1' '--seed x' --check '--tol 1 x' replay 'replay a b' 'replay --tol x a' -e; do
    # shellcheck disable=SC2086
    status "usage: $bad" 2 "$W" -b $bad
    [ -s "$TMP/err" ]
    say "usage: $bad is explained" $? 'nothing on standard error'
done
status 'several -e in order' 0 "$W" -n -e 'say one' -b -e 'say two; say three'
has 'first -e' out '^one$'
[ "$(tr '\n' ' ' <"$TMP/out")" = 'one two three ' ]
say 'order of -e' $? "$(cat "$TMP/out")"
printf 'say script\n' >"$TMP/s.wlab"
status 'options after the script' 0 "$W" "$TMP/s.wlab" -e 'say then' -b -n
[ "$(tr '\n' ' ' <"$TMP/out")" = 'script then ' ]
say 'scripts and -e keep their order' $? "$(cat "$TMP/out")"
echo 'say piped' | "$W" -n >"$TMP/out" 2>"$TMP/err"
say 'commands from standard input' $? ''
has 'piped' out '^piped$'
echo 'say piped' | "$W" -n -b -e 'say before' - -e 'say after' >"$TMP/out" 2>"$TMP/err"
[ "$(tr '\n' ' ' <"$TMP/out")" = 'before piped after ' ]
say '- is standard input' $? "$(cat "$TMP/out")"

# ---- exit statuses, errors, streams ----
status 'a command fails' 1 "$W" -b -e 'frobnicate'
empty 'results only on standard output' out
has 'the error is reported' err '^-e:1: error: unknown command "frobnicate"'
status 'a word of other programs' 1 "$W" -b -e 'undo'
has 'gives our word for it' err 'unknown command "undo"; did you mean "back"?'
status 'a public file that is not here' 1 "$W" -b --data datasets -e 'load nowhere/a9a'
has 'the error says how to get it' err "it is public: .*/fetch a9a. gets it, then .load a9a"
printf 'say one\n\nstep\nsay two\n' >"$TMP/bad.wlab"
status 'a script fails' 1 "$W" -b "$TMP/bad.wlab"
has 'FILE:LINE: error:' err "^$TMP/bad.wlab:3: error: .*load FILE"
[ "$(cat "$TMP/out")" = one ]
say 'a script stops at its error' $? "$(cat "$TMP/out")"
printf 'gen two-moons\n' >"$TMP/short.wlab"
status 'scripts need full names' 1 "$W" -b "$TMP/short.wlab"
has 'did you mean' err 'did you mean "generate"'
status 'a data set without its ending' 1 "$W" -b --data datasets -e 'load two-moons'
has 'the file that was meant' err "did you mean 'two-moons.libsvm'"
status 'a prefix will do for a person' 0 "$W" -b -e 'gen two-moons n=20'
status 'ambiguous' 1 "$W" -b -e 're x'
has 'ambiguous: which' err 'ambiguous command: re, could be: record, replay, report, resume'
printf 'say x\nfrobnicate\n' | "$W" -b >"$TMP/out" 2>"$TMP/err"
[ $? -eq 1 ] && grep -q '^standard input:2: error:' "$TMP/err"
say 'piped commands fail with their line' $? "$(cat "$TMP/err")"
status 'no such script' 1 "$W" -b "$TMP/nothing.wlab"
status 'quiet' 0 "$W" -b -q -e "$moons; step 2; eval test"
empty 'quiet is quiet' err
if [ -e /dev/full ]; then
    "$W" -b -e "$moons" >/dev/full 2>"$TMP/err" </dev/null
    [ $? -eq 1 ] && grep -q 'cannot write to standard output' "$TMP/err"
    say 'standard output is full' $? "$(cat "$TMP/err")"
fi
{ "$W" -q -b -e "$moons; step; info; help; help wellsvm; help metrics; info algo wellsvm"; echo $? >"$TMP/status"; } 2>"$TMP/err" | head -n 1 >"$TMP/out"
[ "$(cat "$TMP/status")" -eq 0 ] && [ ! -s "$TMP/err" ]
say 'a closed standard output ends it quietly' $? "status $(cat "$TMP/status"): $(head -c 300 "$TMP/err")"
printf '\033' >"$TMP/esc"
"$W" -b -e "$moons; step 2; help; info" >"$TMP/out" 2>&1 </dev/null
! grep -qFf "$TMP/esc" "$TMP/out"
say 'nothing but text goes to a pipe' $? 'escape codes'

# ---- a script, a data file and the command line contain characters that control a terminal: they must not be printed ----
esc=$'\033[31m' c1=$'\302\233' raw=$'\233' turn=$'\342\200\256' isolate=$'\342\201\246' mark=$'\330\234'
bad="x$c1${turn}y$isolate$mark$raw"
hostile="x$c1${turn}y$isolate$mark"
mkdir -p "$TMP/odd"
printf '%s,class\n' "a$hostile" >"$TMP/odd/$hostile.csv"
for i in 1 2 3 4 5 6; do printf '%s.5,c%s%s\n' $i $((i % 2)) "$hostile$esc" >>"$TMP/odd/$hostile.csv"; done
printf '1 1:1\n-1 2:%s\n' "$bad$esc" >"$TMP/odd/bad.libsvm"
printf '%s\n' "say $bad" "say \"$bad\"" "load \"$TMP/odd/$hostile.csv\" as $hostile" 'info; info data' 'task supervised' \
    'algo svm kernel=rbf' 'step; explain; eval' "export labels \"$hostile.csv\"" "export predictions \"$hostile.jsonl\"" \
    'plot objective to terminal' "set pace=0; history; runs" >"$TMP/acts.wlab"
no_controls() # NAME FILE...: checks that the files have text, but no characters that control a terminal
{
    local name=$1
    shift
    ! LC_ALL=C grep -q "[$(printf '\001-\010\013-\037\177')]\|$c1\|$turn\|$isolate\|$mark\|\(^\|[^$(printf '\200-\377')]\)$raw" "$@" &&
        LC_ALL=C grep -q x "$@"
    say "$name" $? "$(LC_ALL=C cat -v "$@" | grep -aE 'M-B|M-b|M-X|\^' | head -c 300)"
}
for locale in C C.UTF-8; do
    for json in '' --json; do
        LC_ALL=$locale "$W" -n -b $json --out "$TMP/odd" "$TMP/acts.wlab" >"$TMP/out" 2>"$TMP/err" </dev/null
        say "a script full of escape sequences, $locale $json" $? "$(tail -n 1 "$TMP/err")"
        no_controls "prints nothing that acts, $locale $json" "$TMP/out" "$TMP/err"
        for line in "load $TMP/odd/bad.libsvm" "load $TMP/odd/no$bad" "no$bad x" "help $bad" "lesson $bad" "source $bad" "set $bad=1" \
            "generate two-moons; task ssl labeled=$bad" "plot $bad" "algo $bad" "table $bad" "display $bad"; do
            LC_ALL=$locale "$W" -n -b $json -e "$line" >>"$TMP/all" 2>&1 </dev/null
        done
        no_controls "nor do errors, $locale $json" "$TMP/all"
        rm "$TMP/all"
    done
    for words in "--x$bad" "--x$bad=3" "-j$bad" "--tol=$bad" "-$c1" "--seed=$bad" "replay x $bad" "$bad" "replay $bad" "table $bad" \
        "sweep $bad" "sweep x --shard=$bad" "cell $bad --of x" "curve $bad --of x"; do
        LC_ALL=$locale "$W" -n -b $words >>"$TMP/all" 2>&1 </dev/null
    done
    no_controls "nor do errors about the command line, $locale" "$TMP/all"
    rm "$TMP/all"
done
LC_ALL=C.UTF-8 "$W" -n -b --json "$TMP/acts.wlab" --out "$TMP/odd" >"$TMP/out" 2>&1 </dev/null
has 'JSON keeps all of them' out 'x.u009b.u202ey.u2066.u061c'
grep -q "c1x?${turn}y$isolate$mark" "$TMP/odd/$hostile.csv"
say 'a file keeps marks that reverse the direction of a name' $? "$(head -n 3 "$TMP/odd/$hostile.csv" | cat -v)"

# ---- JSON ----
status 'json' 1 "$W" --json -b -e "$moons; step 3; eval test; say hello; info; help; frobnicate"
python3 - "$TMP/out" <<'PY' >"$TMP/json" 2>&1
import json, sys
def no(x): raise ValueError(x)
types = []
for line in open(sys.argv[1], encoding='utf-8'):
    o = json.loads(line, parse_constant=no)
    types.append(o['type'])
    if o['type'] == 'step':
        assert {'run', 'iter', 'verdict', 'metrics'} <= set(o) and 'objective' in o['metrics']
    if o['type'] == 'eval':
        assert 0 <= o['accuracy'] <= 1 and o['n'] > 0 and o['set'] == 'test'
    if o['type'] == 'data':
        assert {'name', 'rows', 'cols', 'nnz', 'classes'} <= set(o)
    if o['type'] == 'error':
        assert {'file', 'line', 'message'} <= set(o)
assert {'data', 'step', 'eval', 'message', 'error'} <= set(types), types
PY
case $? in
0) echo 'ok json: valid objects, all types' ;;
127) echo 'skipped json: no python3' ;;
*) echo "not ok json: $(tail -n 1 "$TMP/json")" ;;
esac
has 'json: the error is text too' err '^-e:1:[0-9]*: error: unknown command'

# ---- recordings ----
status 'record' 0 "$W" --record "$TMP/r.wlab" -b -e "$moons; step 2; eval test; back; step"
status 'replay --check' 0 "$W" replay --check "$TMP/r.wlab"
for threads in 1 2 4; do
    status "replay --check with $threads threads" 0 "$W" replay --check -j $threads "$TMP/r.wlab"
done
sed '0,/objective=/s/objective=\(-\{0,1\}[0-9]*\.[0-9]*\)[0-8]\( \|e\)/objective=\19\2/' "$TMP/r.wlab" >"$TMP/r2.wlab"
cmp -s "$TMP/r.wlab" "$TMP/r2.wlab" && sed 's/labels=\(.\)./labels=\1x/' "$TMP/r.wlab" >"$TMP/r2.wlab"
status 'replay --check of an edited digest' 3 "$W" replay --check "$TMP/r2.wlab"
has 'what differs' err 'the replay differs: .*recorded'
status 'without --check nothing is compared' 0 "$W" replay "$TMP/r2.wlab"
echo "$moons
step" | "$W" -b --record "$TMP/p.wlab" >/dev/null 2>&1
status 'commands from a pipe are recorded' 0 "$W" replay --check "$TMP/p.wlab"
has 'with their digest' ../"$(basename "$TMP")"/p.wlab '^#@ run=a iter=1 '
status 'record again' 0 "$W" --record "$TMP/r.wlab" -b -e 'say new'
[ -f "$TMP/r.wlab~" ]
say 'the older recording is kept' $? ''
status 'record into nowhere' 1 "$W" --record /proc/none/x.wlab -b -e 'say new'
if [ -e /dev/full ]; then
    status 'record to a full disk' 1 "$W" --record /dev/full -b -e 'say one; say two'
    has 'the session continues' out '^two$'
    has 'and says so' err 'cannot record to .*No space left'
fi
{
    (ulimit -f 1 && exec "$W" -b -n --record "$TMP/limit.wlab" -e "$moons; step; say $(printf '%0600d' 1); say $(printf '%0600d' 2); say last" </dev/null)
    echo $? >"$TMP/status"
} 2>"$TMP/err" | cat >"$TMP/out"
[ "$(cat "$TMP/status")" -eq 1 ] && grep -q 'cannot record to' "$TMP/err" && [ "$(tail -n 1 "$TMP/out")" = last ]
say 'a file size limit while recording: reported, and the session continues' $? "$(tail -n 2 "$TMP/err")"
status 'the recorded part is complete' 0 "$W" replay --check "$TMP/limit.wlab"
status 'seed' 0 "$W" --seed 5 --record "$TMP/seed.wlab" -b -e 'generate two-moons n=30; task ssl labeled=4; algo wellsvm; step'
status 'seed replays' 0 "$W" replay --check "$TMP/seed.wlab"

# ---- the folder that scripts may write to ----
mkdir -p "$TMP/out-here" "$TMP/away"
ln -s "$TMP/away" "$TMP/out-here/link"
n=0
for path in /tmp/weaklab-evil.csv ../evil.csv a/../../evil.csv link/evil.csv .evil.csv a/.b/evil.csv evil.sh evil.wlab~ evil; do
    n=$((n + 1))
    printf '%s\n' "generate two-moons n=20" "task ssl labeled=4" "algo svm" "step" "export trace $path" >"$TMP/evil.wlab"
    status "a script may not write $path" 1 "$W" -b --out "$TMP/out-here" "$TMP/evil.wlab"
    "$W" -b --out "$TMP/out-here" <"$TMP/evil.wlab" >/dev/null 2>&1
    say "nor piped commands $path" $(($? != 1)) ''
    printf 'record %s\n' "$path" >"$TMP/evil2.wlab"
    status "nor record $path" 1 "$W" -b --out "$TMP/out-here" "$TMP/evil2.wlab"
done
[ -z "$(ls "$TMP/away")" ] && [ ! -e /tmp/weaklab-evil.csv ] && [ ! -e "$TMP/evil.csv" ] && [ ! -e "$TMP/evil.sh" ]
say 'nothing was written outside' $? "$(ls "$TMP" "$TMP/away")"
printf '%s\n' "generate two-moons n=20" "task ssl labeled=4" "algo svm" "step" "export trace deep/er/t.csv" >"$TMP/good.wlab"
status 'a script may write below --out' 0 "$W" -b --out "$TMP/new/folder" "$TMP/good.wlab"
[ -s "$TMP/new/folder/deep/er/t.csv" ]
say 'folders are made' $? ''
# what it wrote there is found again by its name, after what is beside the script
printf '%s\n' "generate two-moons n=20" "task ssl labeled=4" "algo svm" "record q.wlab" "step" "record stop" "new" "replay q.wlab" >"$TMP/again.wlab"
status 'a script replays what it has recorded' 0 "$W" -b --out "$TMP/new" "$TMP/again.wlab"
[ -s "$TMP/new/q.wlab" ] && grep -qF "recorded to $TMP/new/q.wlab: $(wc -l <"$TMP/new/q.wlab") lines" "$TMP/err"
say 'record stop says the path and the lines' $? "$(cat "$TMP/err")"
mkdir -p "$TMP/beside" && cp "$TMP/again.wlab" "$TMP/beside" && echo 'say the one beside the script' >"$TMP/beside/q.wlab"
status 'a script that has another file of that name' 0 "$W" -b --out "$TMP/new" "$TMP/beside/again.wlab"
has 'replays that one' out 'the one beside the script'
status 'a script that is nowhere' 1 "$W" -b --out "$TMP/new" -e 'replay gone.wlab'
has 'where it was looked for' err "neither at this path, nor beside the script, nor in the folder of --out, '$TMP/new', nor in .*, nor among the installed scripts"
status 'a script with nearly this name' 1 "$W" -b --out "$TMP/new" -e 'replay qq.wlab'
has 'which may be meant, and where it was looked for' err "did you mean 'q.wlab'\\? 'qq.wlab' is neither at this path"
status 'a person may write anywhere' 0 "$W" -b --out "$TMP/new" -e "generate two-moons n=20; task ssl labeled=4; algo svm; step; export trace $TMP/away/t.csv"
if [ "$(id -u)" -ne 0 ]; then
    mkdir -p "$TMP/readonly" && chmod a-w "$TMP/readonly"
    status 'a read-only folder' 1 "$W" -b --out "$TMP/readonly" "$TMP/good.wlab"
    chmod u+w "$TMP/readonly"
else
    status 'a folder that cannot be written' 1 "$W" -b --out /proc/self "$TMP/good.wlab"
fi
has 'which is reported' err 'error: cannot'

# ---- settings and state ----
mkdir -p "$TMP/config/weaklab"
echo 'say from init' >"$TMP/config/weaklab/init.wlab"
XDG_CONFIG_HOME=$TMP/config "$W" -b -e 'say x' >"$TMP/out" 2>/dev/null
has 'init.wlab is read' out '^from init$'
XDG_CONFIG_HOME=$TMP/config "$W" -b -n -e 'say x' >"$TMP/out" 2>/dev/null
! grep -q 'from init' "$TMP/out"
say '-n skips it' $? ''
XDG_STATE_HOME=$TMP/state "$W" -b -n -e "$moons; step" >/dev/null 2>&1
[ ! -e "$TMP/state" ]
say 'a batch run leaves no log' $? "$(find "$TMP/state")"
mkdir -p "$TMP/data"
printf 'x,y,class\n1,2,a\n2,1,b\n3,3,a\n4,1,b\n' >"$TMP/data/points.csv"
status 'data in --data' 0 "$W" -b --data "$TMP/data" -e 'load points.csv'
WEAKLAB_DATA=$TMP/data "$W" -b -e 'load points.csv' >/dev/null 2>&1
say 'data in WEAKLAB_DATA' $? ''
mkfifo "$TMP/data/fifo.csv"
status 'only ordinary files are loaded' 1 "$W" -b -e "load $TMP/data/fifo.csv"

mkdir -p "$TMP/person"
HOME=$TMP/person "$W" -b -e "$moons; step; export trace ~/deep/er/trace.csv" >/dev/null 2>"$TMP/err" </dev/null
[ -s "$TMP/person/deep/er/trace.csv" ]
say 'a typed path may begin with ~/' $? "$(cat "$TMP/err")"
has 'a folder that is made is named' err '^made the folder .*/person/deep/er$'

# ---- signals ----
the_program() { echo -p $pid; }
recorded() { grep -q "$1" "$TMP/sig.wlab" 2>/dev/null; }
long='generate topics n=4000 d=2000 seed=1; task ssl labeled=20; algo wellsvm kernel=rbf search=multistart; continue until iter >= 100000'
for pair in INT:130 TERM:143 HUP:129; do
    sig=${pair%:*} expected=${pair#*:}
    rm -f "$TMP/sig.wlab"
    # a shell without job control starts background programs with SIGINT ignored: env undoes that
    env --default-signal="$sig" "$W" -b --record "$TMP/sig.wlab" -e "$moons; step" -e "$long" >"$TMP/out" 2>"$TMP/err" </dev/null &
    pid=$!
    # after the second `algo`: `continue` runs, or will run next
    until_so the_program recorded '^algo .*multistart'
    kill -s "$sig" $pid
    wait $pid
    got=$?
    [ $sig != INT ] || has 'an interrupted run says so' err '^interrupted'
    say "SIG$sig ends with $expected" $((got != expected)) "status $got: $(tail -n 2 "$TMP/err")"
    status "what was recorded before SIG$sig replays" 0 "$W" replay --check "$TMP/sig.wlab"
done
rm -f "$TMP/sig.wlab"
"$W" -b --record "$TMP/sig.wlab" -e "$moons; step" -e "$long" >/dev/null 2>&1 </dev/null &
pid=$!
until_so the_program recorded '^step'
kill -9 $pid
wait $pid 2>/dev/null
status 'kill -9 loses no command that was carried out' 0 "$W" replay --check "$TMP/sig.wlab"
has 'the step is there' sig.wlab '^#@ run=a iter=1 '
