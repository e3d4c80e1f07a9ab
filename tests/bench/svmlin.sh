# SPDX-License-Identifier: GPL-3.0-or-later
#
# Large semi-supervised linear SVMs (`make bench-svmlin`; QUICK=1: fewer rounds, and fewer cases of the data set `big`;
# ONLY=NAME: only the data set whose name begins so).
#
# Whole processes, reading included: TSVM and mean field annealing against liblinear-train -s 2 -c 1 -e 0.0001 -B 1 on the
# same rows with all true labels.  The programs run alternately, and the smallest of several rounds counts; the median is
# printed too.  The numbers of the authors' program SVMlin 1.0 are copied from ../shared/bench/README.md (measured
# 2026-11-20 on a machine of this kind); they are for the data of ../shared/bench/topics.c and for pcmac.  If ../shared is
# missing our own generator makes the data, and there are no published numbers.
set -eu
measure=$BUILD/bench/measure
rounds=${ROUNDS:-$([ -n "${QUICK:-}" ] && echo 3 || echo 7)}
line() # WHAT OURS REFERENCE UNIT
{
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4"
}
note()
{
    printf '%s\n' "$*"
}

# smallest FILE COLUMN, median FILE COLUMN, largest FILE COLUMN
smallest()
{
    sort -g -k "$2,$2" "$1" | awk -v c="$2" 'NR == 1 { print $c }'
}
median()
{
    sort -g -k "$2,$2" "$1" | awk -v c="$2" '{ x[NR] = $c } END { print x[int((NR + 1) / 2)] }'
}
largest()
{
    sort -g -k "$2,$2" "$1" | awk -v c="$2" '{ x = $c } END { print x }'
}

# session DATA R ALGO: prints the commands of a session.  The variable columns holds a setting of `load` for pcmac.
session()
{
    printf 'load %s.ex labels=%s.lab truth=%s.truth %s; task ssl given=yes; algo %s r=%s; continue' \
        "$1" "$1" "$1" "$columns" "$3" "$2"
}

# field NAME FILE: the last value of a field in JSON lines
field()
{
    grep -o "\"$1\":[-0-9.eE+]*" "$2" | tail -n 1 | sed 's/.*://'
}

# against_liblinear NAME DATA R CASE...: times every case, alternately with liblinear-train, then runs it once more to
# get J and the error.  A case is THREADS|ALGO|authors' J or -|authors' error or -|authors' ratio or -|J at stationarity
# or -
against_liblinear()
{
    local name=$1 data=$2 r=$3 k c threads algo j error ratio exact
    shift 3
    [[ $name == "${ONLY:-}"* ]] || return 0
    rm -f "$TMP"/time.*
    for k in $(seq "$rounds"); do
        $measure 1 liblinear-train -q -s 2 -c 1 -e 0.0001 -B 1 "$data.all" "$TMP/model" >>"$TMP/time.liblinear"
        c=0
        for case in "$@"; do
            IFS='|' read -r threads algo _ <<<"$case"
            c=$((c + 1))
            $measure 1 "$WEAKLAB" -b -n -q -j "$threads" -e "$(session "$data" "$r" "$algo")" >>"$TMP/time.$c"
        done
    done
    line "$name: liblinear-train, all labels, median against smallest" "$(median "$TMP/time.liblinear" 1)" \
        "$(smallest "$TMP/time.liblinear" 1)" s
    c=0
    for case in "$@"; do
        IFS='|' read -r threads algo j error ratio exact <<<"$case"
        c=$((c + 1))
        what="$name: $algo, $threads thread$([ "$threads" = 1 ] || echo s)"
        line "$what: time, against liblinear-train" "$(smallest "$TMP/time.$c" 1)" \
            "$(smallest "$TMP/time.liblinear" 1)" s
        line "$what: median time, against the same" "$(median "$TMP/time.$c" 1)" \
            "$(median "$TMP/time.liblinear" 1)" s
        [ "$ratio" = - ] || line "$what: ratio to liblinear-train, against SVMlin 1.0's" \
            "$(awk -v a="$(smallest "$TMP/time.$c" 1)" -v b="$(smallest "$TMP/time.liblinear" 1)" 'BEGIN { print a / b }')" \
            "$ratio" ratio
        line "$what: peak memory, against the same" "$(largest "$TMP/time.$c" 2)" \
            "$(largest "$TMP/time.liblinear" 2)" MiB
        [ "$threads" = 1 ] || continue # the results are the same
        "$WEAKLAB" --json -b -n -j 2 -e "$held" -e "$(session "$data" "$r" "$algo"); info; eval $on" >"$TMP/json"
        case $algo in
        mfa*) line "$what: J, against SVMlin 1.0's" "$(field J_best "$TMP/json")" "$j" J ;;
        *) line "$what: J, against SVMlin 1.0's" "$(field J "$TMP/json")" "$j" J ;;
        esac
        [ "$exact" = - ] || line "$what: J, against its end at stationarity" "$(field J_best "$TMP/json")" "$exact" J
        line "$what: error, against the same" "$(awk -v a="$(field accuracy "$TMP/json")" 'BEGIN { print 1 - a }')" \
            "$error" "rate"
    done
}

held=get columns='' on=unlabeled
if [ -f ../shared/bench/topics.c ] && cc -O2 -w -o "$TMP/topics" ../shared/bench/topics.c -lm; then
    "$TMP/topics" "$TMP/big" 36000 21000 56 6 0.35 0.10 0.10 0.08 100 1 >/dev/null
    "$TMP/topics" "$TMP/small" 1460 7511 62 3 0.5 0.10 0.10 0.08 50 2 >/dev/null
    for d in big small; do
        paste -d ' ' "$TMP/$d.truth" "$TMP/$d.ex" >"$TMP/$d.all"
    done
    published=yes
else
    note "../shared/bench is absent: data of our own generator, and no published figures"
    $BUILD/bench/rows "$TMP/big" topics given n=36000 d=21000 meanlen=56 topics=6 positive=0.35 labeled=100 seed=1
    $BUILD/bench/rows "$TMP/small" topics given n=1460 d=7511 meanlen=62 topics=3 positive=0.5 labeled=50 seed=2
    published=no
fi
$BUILD/bench/rows "$TMP/codrna" blobs 100 n=59535 dims=8 spread=2 box=1 seed=1

known() # THREADS|ALGO J ERROR RATIO EXACT: prints a case; without the numbers if those are of other data
{
    [ "$published" = yes ] && echo "$1|$2|$3|$4|$5" || echo "$1|-|-|-|-"
}
svmlin='schedule=svmlin'
big=("$(known "2|tsvm S=max lambda_u=1 $svmlin" 0.243071 0.1282 9.6 -)"
    "$(known "2|mfa lambda_u=1 $svmlin" 0.242931 0.1295 16.4 -)"
    "$(known "1|tsvm S=max lambda_u=1 $svmlin" 0.243071 0.1282 9.6 -)"
    "$(known "1|mfa lambda_u=1 $svmlin" 0.242931 0.1295 16.4 -)"
    "2|tsvm S=max lambda_u=1|-|-|-|-" "1|tsvm S=max lambda_u=1|-|-|-|-"
    "2|mfa lambda_u=1|-|-|-|-" "1|mfa lambda_u=1|-|-|-|-")
if [ -z "${QUICK:-}" ]; then
    big+=("$(known "1|tsvm S=10 lambda_u=1 $svmlin" 0.243070 0.1280 - -)"
        "$(known "1|tsvm S=1 lambda_u=1 $svmlin" 0.243072 0.1281 - -)"
        "$(known "2|tsvm S=10 lambda_u=1 $svmlin" 0.243070 0.1280 - -)"
        "$(known "2|tsvm S=1 lambda_u=1 $svmlin" 0.243072 0.1281 - -)"
        "$(known "1|tsvm S=max lambda_u=10 $svmlin" 0.747665 0.1226 - -)"
        "$(known "1|mfa lambda_u=10 $svmlin" 0.735924 0.1219 - 0.735766)"
        "1|tsvm S=max lambda_u=10|-|-|-|-" "1|mfa lambda_u=10|-|-|-|-")
fi
against_liblinear big "$TMP/big" 0.3506 "${big[@]}"

against_liblinear small "$TMP/small" 0.5 \
    "$(known "2|tsvm S=max lambda_u=1 $svmlin" 0.200512 0.2454 - -)" \
    "$(known "1|tsvm S=max lambda_u=1 $svmlin" 0.200512 0.2454 - -)" \
    "$(known "1|mfa lambda_u=1 $svmlin" 0.160570 0.1220 - 0.160502)" \
    "$(known "1|tsvm S=max lambda_u=10 $svmlin" 0.378872 0.2454 - -)" \
    "$(known "1|mfa lambda_u=10 $svmlin" 0.414406 0.3078 - -)" \
    "1|mfa lambda_u=1|-|-|-|-"

pcmac=../shared/datasets/ssl/svmlin_pcmac
if [ -f $pcmac/training_examples ]; then
    cp $pcmac/training_examples "$TMP/pcmac.ex"
    cp $pcmac/training_labels "$TMP/pcmac.lab"
    cp $pcmac/training_labels_true "$TMP/pcmac.truth"
    paste -d ' ' "$TMP/pcmac.truth" "$TMP/pcmac.ex" >"$TMP/pcmac.all"
    columns=columns=7511 on=held
    held="load $pcmac/test_examples as held labels=$pcmac/test_labels columns=7511"
    against_liblinear pcmac "$TMP/pcmac" 0.5 \
        "2|tsvm S=max lambda_u=1 $svmlin|0.133878|0.0720|-|-" \
        "1|tsvm S=max lambda_u=1 $svmlin|0.133878|0.0720|-|-" \
        "2|mfa lambda_u=1 $svmlin|0.123867|0.0597|-|-" \
        "1|mfa lambda_u=1 $svmlin|0.123867|0.0597|-|-" \
        "1|tsvm S=max lambda_u=10 $svmlin|0.239119|-|-|-" \
        "1|mfa lambda_u=10 $svmlin|0.307800|-|-|0.307765" \
        "1|mfa lambda_u=1|-|-|-|-"
    held=get columns='' on=unlabeled
else
    note "pcmac: skipped, ../shared/datasets is absent"
fi

against_liblinear "8 columns, 59535 rows" "$TMP/codrna" 0.5 \
    "2|tsvm S=max|-|-|-|-" "1|tsvm S=max|-|-|-|-" "2|mfa|-|-|-|-" "1|mfa|-|-|-|-"

[ -z "${ONLY:-}" ] || exit 0

# growth: four times the rows; both have 2 threads
sizes=$([ -n "${QUICK:-}" ] && echo 9000 36000 || echo 9000 36000 144000)
for algo in 'tsvm S=max' mfa; do
    before=
    for n in $sizes; do
        rows="generate topics n=$n d=21000 meanlen=56 topics=6 positive=0.35 labeled=100 seed=1"
        read -r made _ < <($measure 3 "$WEAKLAB" -b -n -q -j 2 -e "$rows; task ssl given=yes")
        read -r all peak < <($measure 3 "$WEAKLAB" -b -n -q -j 2 -e "$rows; task ssl given=yes; algo $algo r=0.35; continue")
        now=$(awk -v a="$all" -v b="$made" 'BEGIN { print a - b }')
        [ -z "$before" ] || line "training by $algo, $n rows, against a fourth of them" "$now" "$before" s
        line "peak memory of $algo, $n rows" "$peak" - MiB
        before=$now
    done
done
