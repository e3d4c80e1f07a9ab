# SPDX-License-Identifier: GPL-3.0-or-later
#
# datasets/fetch from a local folder: which files it keeps, which it refuses, and its messages.
# not under sanitizers: a shell script

export XDG_DATA_HOME=$TMP/data
data=$XDG_DATA_HOME/weaklab
mkdir -p "$TMP/tool" "$TMP/mirror/pages.example/sets"
cp datasets/fetch "$TMP/tool/fetch"
fetch=$TMP/tool/fetch
printf '+1 1:1 2:0.5\n-1 1:2\n' >"$TMP/mirror/pages.example/sets/plain"
printf '+1 1:1\r\n\r\n-1 1:2\r\n' >"$TMP/mirror/dos"
printf '+1 1:1\n-1 1:2\n' >"$TMP/dos.lf"
printf '1 1:3\n' >"$TMP/mirror/ready.libsvm"
printf '1 1:4\n' >"$TMP/mirror/wrong"
sum() { sha256sum "$1" | cut -d ' ' -f 1; }
plain=$(sum "$TMP/mirror/pages.example/sets/plain")
{
    printf 'name\tfile\turl\tsha256_original\tconversion\tsha256\tnote\n'
    printf 'plain\tplain\thttps://pages.example/sets/plain\t%s\tnone\t%s\ta note\n' "$plain" "$plain"
    printf 'dos\tdos\thttps://pages.example/sets/dos\t-\tlf\t%s\tother line ends\n' "$(sum "$TMP/dos.lf")"
    printf 'pair\tready.libsvm\thttps://pages.example/sets/x,y=1.zip\t-\tnone\t%s\tconverted\n' \
        "$(sum "$TMP/mirror/ready.libsvm")"
    printf 'pair\tplain2\thttps://pages.example/sets/plain\t%s\tnone\t%s\tthe same\n' "$plain" "$plain"
    printf 'wrong\twrong\thttps://pages.example/sets/wrong\t%s\tnone\t%s\tanother file\n' "$plain" "$plain"
    printf 'gone\tgone\thttps://pages.example/sets/gone\t-\tnone\t%s\tnowhere\n' "$plain"
} >"$TMP/tool/catalogue.tsv"
export WEAKLAB_FETCH_BASE=$TMP/mirror

check() # NAME CONDITION-COMMAND...
{
    local name=$1
    shift
    if "$@"; then echo "ok $name"; else echo "not ok $name: $(tail -n 3 "$TMP/out" | tr '\n' ' ')"; fi
}
run() # STATUS ARGS...
{
    local expected=$1
    shift
    "$fetch" "$@" >"$TMP/out" 2>&1
    local got=$?
    [ $got -eq "$expected" ] || { echo "status $got instead of $expected" >>"$TMP/out"; return 1; }
}
has() { grep -qF -- "$1" "$TMP/out"; }
lists() { run 0 && has plain && has "(2 files)"; }
check "fetch lists its catalogue" lists
keeps() { run 0 plain && cmp -s "$data/plain" "$TMP/mirror/pages.example/sets/plain" && run 0 plain && has "is there"; }
check "fetch keeps a file with the right checksum" keeps
converts() { run 0 dos && cmp -s "$data/dos" "$TMP/dos.lf" && has "converted (lf)" && has "checksum is not known"; }
check "fetch converts" converts
uses() { run 0 pair && has "using the converted file" && cmp -s "$data/ready.libsvm" "$TMP/mirror/ready.libsvm" &&
    [ -f "$data/plain2" ]; }
check "fetch uses a converted file if the original is missing" uses
refuses() { run 1 wrong && has "but the catalogue says" && [ ! -e "$data/wrong" ]; }
check "fetch refuses a file with another checksum" refuses
reports() { run 1 gone && has "cannot get https://pages.example/sets/gone" && [ ! -e "$data/gone" ]; }
check "fetch reports what it cannot get" reports
unknown() { run 1 plian && has "no data set 'plian'" && run 2 --what && run 0 --help && has WEAKLAB_FETCH_BASE; }
check "fetch knows its names" unknown
rest() { WEAKLAB_FETCH_BASE=file://$TMP/mirror run 1 all && [ -z "$(ls -A "$data" | grep fetch)" ]; }
check "fetch leaves nothing half done" rest
loads() { "$WEAKLAB" -n -b -e 'load plain' >"$TMP/out" 2>&1 && has "plain: 2 rows, 2 columns"; }
check "load finds fetched files" loads

columns() { awk -F '\t' '!/^#/ && NF != 7 { exit 1 }' datasets/catalogue.tsv && [ "$(grep -c . datasets/catalogue.tsv)" -gt 40 ]; }
check "the catalogue is well formed" columns
if [ -f ../shared/datasets/SOURCES.tsv ]; then
    fetch=datasets/fetch
    mkdir -p "$TMP/pages"
    find ../shared/datasets -type f ! -path '*/mil/*' -exec ln -s "$PWD/{}" "$TMP/pages/" \; 2>/dev/null
    xz -dc ../shared/datasets/libsvm/cod-rna.xz >"$TMP/pages/cod-rna"
    xz -dc ../shared/datasets/libsvm/cod-rna.t.xz >"$TMP/pages/cod-rna.t"
    WEAKLAB_FETCH_BASE=$TMP/pages
    real() { run 0 all && [ "$(ls "$data" | wc -l)" -gt 40 ]; }
    check "every file of the real catalogue has its checksum" real
else
    echo "skipped the real catalogue: ../shared/datasets is not here"
fi
