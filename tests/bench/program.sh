# SPDX-License-Identifier: GPL-3.0-or-later
#
# The whole program: start-up time, the cost of recording, WellSVM's linear kernel against one supervised training by
# LIBLINEAR on the same rows, supervised solves, and peak memory against the size of the data.
set -eu
measure=$BUILD/bench/measure
wl="$WEAKLAB -b -n -q"
line() # WHAT OURS REFERENCE UNIT
{
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4"
}

# Two classes, about 50 of 20000 columns per row; the parity of one column in ten depends on the class.
rows() # N
{
    awk -v n="$1" 'BEGIN {
        srand(1)
        for (i = 0; i < n; i++) {
            y = rand() < 0.5
            printf "%s", y ? "+1" : "-1"
            for (c = 1 - log(1 - rand()) * 400; c < 20000; c += 1 - log(1 - rand()) * 400) {
                k = int(c)
                if (rand() < 0.1 && k % 2 != y && k + 1 < c + 1)
                    k++
                if (k > last[i])
                    printf " %d:0.125", k
                last[i] = k
            }
            print ""
            delete last[i]
        }
    }'
}

read -r start _ < <($measure 10 $wl -e 'get')
read -r nothing _ < <($measure 10 true)
line 'start-up, against starting a process' "$start" "$nothing" s

moons='generate two-moons n=400 seed=1; task ssl labeled=10 seed=1; algo wellsvm kernel=rbf sigma=0.5x; step 10'
read -r plain _ < <($measure 5 $wl -e "$moons")
read -r recorded _ < <($measure 5 $wl --record "$TMP/s.wlab" -e "$moons")
line 'two moons, 10 steps, recorded, against unrecorded' "$recorded" "$plain" s

for n in 2000 8000 32000; do
    rows "$n" >"$TMP/x.libsvm"
    size=$(($(stat -c %s "$TMP/x.libsvm") / 1048576))
    read -r reference reference_peak < <($measure 3 liblinear-train -q -s 3 -c 1 -B -1 "$TMP/x.libsvm" "$TMP/x.model")
    read -r svm svm_peak < <($measure 3 $wl -e "load $TMP/x.libsvm; task supervised; algo svm kernel=linear C=1; continue")
    read -r well well_peak < <($measure 1 $wl -e "load $TMP/x.libsvm; task ssl labeled=100 seed=1; algo wellsvm kernel=linear; continue until iter >= 13")
    line "supervised, $n rows ($size MiB), against liblinear-train" "$svm" "$reference" s
    line "wellsvm linear, $n rows, 13 steps, against the same" "$well" "$reference" s
    line "peak memory of wellsvm, $n rows, against the same" "$well_peak" "$reference_peak" MiB
done
