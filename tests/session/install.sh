# SPDX-License-Identifier: GPL-3.0-or-later
#
# make install puts everything in its place, the installed program finds its scripts and data from any folder,
# a C program builds against the library by pkg-config, and uninstall leaves nothing.
# not under sanitizers: it builds with the plain flags
set -u
root=$PWD
prefix=$TMP/usr
quietly()
{
    "$@" >"$TMP/log" 2>&1 || { tail -n 20 "$TMP/log"; return 1; }
}
check() # NAME COMMAND...
{
    local name=$1
    shift
    if quietly "$@"; then echo "ok install: $name"; else echo "not ok install: $name"; fi
}

# a build folder of its own, so that the tree's program keeps its prefix; nothing but main.o differs
mkdir -p "$TMP/build" && cp -a "$BUILD/." "$TMP/build/" 2>/dev/null
rm -rf "$TMP/build/check" "$TMP/build/asan" "$TMP/build/tsan" "$TMP/build/fuzz"
check "make install" make BUILD="$TMP/build" PREFIX="$prefix" install
check "datasets/fetch can be run" test -x "$prefix/share/weaklab/datasets/fetch"
for f in bin/weaklab lib/libweaklab.a lib/pkgconfig/weaklab.pc include/weaklab/base.h include/weaklab/run.h \
    share/man/man1/weaklab.1 share/man/man5/weaklab-script.5 share/man/man5/weaklab-data.5 \
    share/man/man7/weaklab-algorithms.7 share/bash-completion/completions/weaklab \
    share/weaklab/scripts/tour.wlab share/weaklab/plots/style.gp share/doc/weaklab/README.md share/doc/weaklab/docs/tour.md; do
    check "$f" test -s "$prefix/$f"
done
if [ -e "$BUILD/weaklab-mpi.so" ]; then
    check "the MPI plugin" test -x "$prefix/lib/weaklab/weaklab-mpi.so"
    if command -v mpirun >/dev/null; then
        printf 'generate blobs n=40\ntask ssl labeled=4\nmethod SVM algo svm\nrepeat 3\n' >"$TMP/mpi.wexp"
        check "MPI when installed" mpirun --allow-run-as-root --oversubscribe -n 2 "$prefix/bin/weaklab" sweep \
            "$TMP/mpi.wexp" --out "$TMP/mpi"
    fi
fi
same_build()
{
    [ "$("$WEAKLAB" --version | grep '^build')" = "$("$prefix/bin/weaklab" --version | grep '^build')" ]
}
check "the installed program is the same build" same_build
mkdir -p "$TMP/elsewhere"
in_elsewhere()
{
    (cd "$TMP/elsewhere" && "$@" </dev/null)
}
check "the version" in_elsewhere "$prefix/bin/weaklab" --version
demo() { in_elsewhere "$prefix/bin/weaklab" demo >"$TMP/demo" 2>&1 && grep -q '^run a: wellsvm on two-moons' "$TMP/demo"; }
check "weaklab demo, from any folder" demo
check "a bundled script from another folder" in_elsewhere "$prefix/bin/weaklab" -b --out figures -e 'source tour.wlab'
for lesson in scripts/lessons/*.wlab; do
    check "$lesson" test -s "$prefix/share/weaklab/$lesson"
    check "lesson $(basename "$lesson" .wlab) from another folder" in_elsewhere "$prefix/bin/weaklab" -b -e "lesson $(basename "$lesson" .wlab)"
done
data=$(cd "$prefix/share/weaklab/datasets" 2>/dev/null && ls | grep -vE '^(fetch|MADE|README)|\.(md|tsv)$' | head -n 1)
if [ -n "$data" ]; then
    check "bundled data from another folder: $data" in_elsewhere "$prefix/bin/weaklab" -b -e "load $data"
else
    echo "not ok install: no bundled data set"
fi
build_example()
{
    local flags
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    flags=$(pkg-config --cflags --libs weaklab) || return 1
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -o "$TMP/example" docs/example.c $flags
}
check "docs/example.c builds by pkg-config" build_example
check "docs/example.c runs" "$TMP/example"
in_cpp()
{
    local flags
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    flags=$(pkg-config --cflags --libs weaklab) || return 1
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -o "$TMP/example.cpp.out" -x c++ "$prefix/share/doc/weaklab/docs/example.c" $flags &&
        "$TMP/example.cpp.out" | cmp - <("$TMP/example")
}
check "the installed one as C++" in_cpp
check "DESTDIR" make BUILD="$TMP/build" PREFIX="$prefix" DESTDIR="$TMP/stage" install
same_files()
{
    diff <(cd "$prefix" && find . -type f | sort) <(cd "$TMP/stage$prefix" && find . -type f | sort)
}
check "DESTDIR holds the same files" same_files
check "make uninstall" make BUILD="$TMP/build" PREFIX="$prefix" uninstall
nothing_left()
{
    [ -z "$(find "$prefix" -type f)" ] || { find "$prefix" -type f; return 1; }
}
check "uninstall leaves nothing" nothing_left
