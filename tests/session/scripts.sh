# SPDX-License-Identifier: GPL-3.0-or-later
#
# The scripts of this project: each runs, its recording replays digit for digit, and it makes its figures.  A script with a
# line "# long" takes a minute or more, and only `make check-long` runs it.  Under sanitizers only the tour and one lesson run.
# needs gnuplot
set -u
figures() # NAME SCRIPT
{
    local figure base
    for figure in $(sed -n 's/^plot .* to \([^ ]*\).*/\1/p' "$2"); do
        base=${figure%.*}
        if [ -s "$TMP/$1/$figure" ] && [ -s "$TMP/$1/$base.gp" ] && [ -s "$TMP/$1/$base.dat" ]; then
            echo "ok figure $figure"
        else
            echo "not ok figure $figure: it, or its .gp or .dat, is missing or empty"
        fi
    done
}
scripts=$(ls scripts/*.wlab scripts/lessons/*.wlab)
! grep -qaE '__[at]san_init' "$WEAKLAB" || scripts="scripts/tour.wlab scripts/lessons/gap.wlab"
for script in $scripts; do
    name=$(basename "$script" .wlab)
    grep -q '^# long' "$script" && [ -z "${LONG:-}" ] && continue
    set -- $(sed -n 's/^# data: //p' "$script")
    options=
    if [ $# -gt 0 ]; then
        options="--data ../shared/datasets/$1"
        shift
        [ -f "${options#--data }/$1" ] || { echo "skipped script $name: no ../shared"; continue; }
    fi
    "$WEAKLAB" -b -n $options --out "$TMP/$name" --record "$TMP/$name.wlab" "$script" >"$TMP/log" 2>&1 </dev/null
    status=$?
    if [ $status -ne 0 ]; then
        echo "not ok script $name: status $status"
        tail -n 20 "$TMP/log"
        continue
    fi
    echo "ok script $name"
    figures "$name" "$script"
    "$WEAKLAB" replay --check $options --out "$TMP/$name-again" "$TMP/$name.wlab" >"$TMP/log" 2>&1 </dev/null
    status=$?
    if [ $status -eq 0 ]; then
        echo "ok replay of $name"
    else
        echo "not ok replay of $name: status $status"
        tail -n 20 "$TMP/log"
    fi
done

# if one digit of a digest is changed, the replay reports it, with status 3
if [ -s "$TMP/tour.wlab" ]; then
    sed '0,/objective=-\{0,1\}[0-9]*\.[0-9]/s/\(objective=-\{0,1\}[0-9]*\.\)\([0-9]\)/\1\2\2/' "$TMP/tour.wlab" >"$TMP/changed.wlab"
    "$WEAKLAB" replay --check --out "$TMP/changed" "$TMP/changed.wlab" >"$TMP/log" 2>&1 </dev/null
    status=$?
    if [ $status -eq 3 ] && grep -q objective "$TMP/log"; then
        echo "ok a changed digit is found"
    else
        echo "not ok a changed digit is found: status $status"
        tail -n 5 "$TMP/log"
    fi
fi
