# SPDX-License-Identifier: GPL-3.0-or-later
#
# make install copies everything to its place, the installed program finds its scripts and data from any folder, programs
# in C, C++ and Python use the library, and uninstall leaves nothing.
# not under sanitizers: it builds with the plain flags
# needs gnuplot
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

# a separate build folder, so that the tree's program keeps its prefix; only main.o differs
mkdir -p "$TMP/build"
for f in "$BUILD"/*; do # not `check`, which contains the copy: cp fails if it meets its own target
    case ${f##*/} in check | asan | tsan | fuzz | tests | bench) ;; *) cp -a "$f" "$TMP/build/" ;; esac
done
check "make install" make BUILD="$TMP/build" PREFIX="$prefix" install
check "datasets/fetch can be run" test -x "$prefix/share/weaklab/datasets/fetch"
for f in bin/weaklab lib/libweaklab.a lib/libweaklab.so lib/pkgconfig/weaklab.pc include/weaklab/base.h include/weaklab/run.h \
    share/man/man1/weaklab.1 share/man/man5/weaklab-script.5 share/man/man5/weaklab-data.5 \
    share/man/man7/weaklab-algorithms.7 share/bash-completion/completions/weaklab \
    share/zsh/site-functions/_weaklab share/fish/vendor_completions.d/weaklab.fish \
    share/weaklab/scripts/tour.wlab share/weaklab/plots/style.gp share/doc/weaklab/README.md share/doc/weaklab/docs/tour.md \
    share/doc/weaklab/docs/gallery/view-gap.svg; do
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
# bash, zsh and fish complete the same options: those of --help, and those of the subcommands
long_options() # FILE PATTERN: the long options in the file, where they match the pattern
{
    sed 's/#.*//' "$1" | grep -oE "$2" | sed -E 's/^(--|-l )//' | sort -u
}
long_options completions/weaklab.bash '\-\-[a-z][a-z-]+' >"$TMP/bash"
long_options completions/_weaklab '\-\-[a-z][a-z-]+' >"$TMP/zsh"
long_options completions/weaklab.fish '\-l [a-z][a-z-]+' >"$TMP/fish"
check "zsh completes what bash completes" diff "$TMP/bash" "$TMP/zsh"
check "fish completes what bash completes" diff "$TMP/bash" "$TMP/fish"
"$WEAKLAB" --help | grep -oE '\-\-[a-z][a-z-]+' | sed 's/^--//' | sort -u >"$TMP/help"
check "they complete every option of --help" test -z "$(comm -23 "$TMP/help" "$TMP/bash")"
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
for exercise in scripts/exercises/*.wlab; do
    check "$exercise" test -s "$prefix/share/weaklab/$exercise"
done
solved() { in_elsewhere "$prefix/bin/weaklab" grade exercises/cutting-planes.wlab "$prefix/share/weaklab/scripts/exercises/cutting-planes.solution.wlab" >"$TMP/grade" 2>&1 && grep -q ',10,10,' "$TMP/grade"; }
check "an installed exercise is graded from another folder" solved
data=$(cd "$prefix/share/weaklab/datasets" 2>/dev/null && ls | grep -vE '^(fetch|MADE|README)|\.(md|tsv)$' | head -n 1)
if [ -n "$data" ]; then
    check "bundled data from another folder: $data" in_elsewhere "$prefix/bin/weaklab" -b -e "load $data"
else
    echo "not ok install: no bundled data set"
fi
# the library and its headers: programs that embed it
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
examples=$prefix/share/doc/weaklab/docs/examples
build_c()
{
    local flags
    flags=$(pkg-config --cflags --libs weaklab) || return 1
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -o "$TMP/$1" "$examples/$1.c" $flags
}
build_cpp()
{
    local flags
    flags=$(pkg-config --cflags --libs weaklab) || return 1
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -o "$TMP/$1.cpp.out" -x c++ "$examples/$1.c" -x none $flags
}
says() # PROGRAM TEXT ARGUMENT...: it succeeds and prints TEXT, and so does the one built as C++
{
    local program=$1 text=$2
    shift 2
    "$TMP/$program" "$@" >"$TMP/$program.says" 2>&1 || { cat "$TMP/$program.says"; return 1; }
    grep -qF "$text" "$TMP/$program.says" || { cat "$TMP/$program.says"; return 1; }
    "$TMP/$program.cpp.out" "$@" 2>&1 | cmp - "$TMP/$program.says"
}
for e in step until predict compare; do
    check "docs/examples/$e.c builds by pkg-config" build_c "$e"
    check "docs/examples/$e.c builds as C++" build_cpp "$e"
done
check "no other examples" test "$(ls "$examples" | xargs)" = "CMakeLists.txt compare.c moons.cc moons.py predict.c step.c until.c"
build_static() # as docs/embedding.md says
{
    local flags
    flags="$(pkg-config --cflags weaklab) $(pkg-config --variable=libdir weaklab)/libweaklab.a \
        $(pkg-config --libs $(pkg-config --print-requires-private weaklab)) -llinear -lsvm -lm -pthread" || return 1
    ${CC:-cc} -o "$TMP/until.static" "$examples/until.c" $flags
}
check "docs/examples/until.c builds with the static library" build_static
no_so() { ! ldd "$TMP/until.static" | grep weaklab && env -u LD_LIBRARY_PATH "$TMP/until.static" "iter >= 2"; }
check "and runs without the shared one" no_so
check "step loads, steps and goes back" says step "step 2 again: the same bits" "$prefix/share/weaklab/datasets/two-moons.libsvm"
check "until stops when the condition holds" says until "flips == 0 or iter >= 30 after 3 steps: holds"
check "until stops when another condition holds" says until "iter >= 2 after 2 steps: holds" "iter >= 2"
unknown() { "$TMP/until" 'flipss == 0' 2>&1 | grep -qF 'did you mean "flips"'; }
check "until reports a wrong condition" unknown
check "predict reads back the model that it wrote" says predict "the model from the file predicts 0 rows otherwise" "$TMP/model"
check "compare chooses, trains, scores and tests" says compare "paired t-test: t = "
# the same program in C++, built by pkg-config and by CMake, and in Python
build_moons()
{
    local flags
    flags=$(pkg-config --cflags --libs weaklab) || return 1
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -o "$TMP/moons" "$examples/moons.cc" $flags && "$TMP/moons" >"$TMP/moons.says"
}
moons_py() { python3 "$examples/moons.py" | diff "$TMP/moons.says" -; }
moons_cmake()
{
    cmake -S "$examples" -B "$TMP/cmake" && cmake --build "$TMP/cmake" || return 1
    env -u LD_LIBRARY_PATH "$TMP/cmake/moons" | diff "$TMP/moons.says" -
}
check "docs/examples/moons.cc" build_moons
check "it steps" grep -q '^step 2: objective -0\.0' "$TMP/moons.says"
if command -v python3 >/dev/null; then check "docs/examples/moons.py prints the same" moons_py; else echo "skipped moons.py: no python3"; fi
if command -v cmake >/dev/null; then check "docs/examples/CMakeLists.txt" moons_cmake; else echo "skipped CMakeLists.txt: no cmake"; fi
# the installed libraries export exactly the names that the installed headers declare
exported() { nm -g --defined-only "$prefix/lib/libweaklab.a" | awk 'NF == 3 { print $3 }' | sort; }
own_names()
{
    exported >"$TMP/exported"
    [ -s "$TMP/exported" ] || return 1
    ! grep -v '^wlab_' "$TMP/exported" || return 1
    comm -23 "$TMP/exported" <(cat "$prefix"/include/weaklab/*.h | grep -oE '\bwlab_[a-z0-9_]+' | sort -u) >"$TMP/private"
    [ ! -s "$TMP/private" ] || { cat "$TMP/private"; return 1; }
}
check "the library exports what its headers declare, all wlab_" own_names
shared() { nm -D --defined-only "$prefix/lib/libweaklab.so" | sed -n 's/.* [A-Z] \(wlab_[a-z0-9_]*\)@@libweaklab\.so\.[0-9]*$/\1/p' | sort | diff "$TMP/exported" -; }
check "the shared library the same, with its version" shared
all_declared()
{
    local h
    for h in "$prefix"/include/weaklab/*.h; do echo "#include <weaklab/${h##*/}>"; done >"$TMP/all.c"
    if ${CC:-cc} --version | grep -q clang; then # which takes -aux-info for the name of another file
        ${CC:-cc} -std=c11 -I"$prefix/include" -fsyntax-only -Xclang -ast-dump "$TMP/all.c" >"$TMP/declared" || return 1
        grep FunctionDecl "$TMP/declared" | grep -v "' static" | grep -oE "\bwlab_[a-z0-9_]+ '" | tr -d " '" | sort -u >"$TMP/functions"
    else
        ${CC:-cc} -std=c11 -I"$prefix/include" -fsyntax-only -aux-info "$TMP/declared" "$TMP/all.c" || return 1
        grep '/include/weaklab/' "$TMP/declared" | grep ' extern ' | grep -oE '\bwlab_[a-z0-9_]+ \(' | tr -d ' (' | sort -u >"$TMP/functions"
    fi
    [ "$(wc -l <"$TMP/functions")" -gt 100 ] || return 1
    comm -23 "$TMP/functions" "$TMP/exported" >"$TMP/missing"
    [ ! -s "$TMP/missing" ] || { cat "$TMP/missing"; return 1; }
}
check "every function that they declare is there" all_declared
check "DESTDIR" make BUILD="$TMP/build" PREFIX="$prefix" DESTDIR="$TMP/stage" install
same_files()
{
    diff <(cd "$prefix" && find . ! -type d | sort) <(cd "$TMP/stage$prefix" && find . ! -type d | sort)
}
check "DESTDIR holds the same files" same_files
check "make uninstall" make BUILD="$TMP/build" PREFIX="$prefix" uninstall
nothing_left()
{
    [ -z "$(find "$prefix" ! -type d)" ] || { find "$prefix" ! -type d; return 1; }
}
check "uninstall leaves nothing" nothing_left
