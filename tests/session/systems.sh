# SPDX-License-Identifier: GPL-3.0-or-later
#
# Other systems: install-deps with package managers that only record how they are called; the build without matio, MPI and
# gnuplot; and the lists of files in debian/ against what `make install` installs.
# not under sanitizers: it builds with the plain flags
set -u
. tests/checks.sh

# ---- install-deps ----
# In a PATH without package managers, those of a test are put into $TMP/managers.
mkdir -p "$TMP/tools" "$TMP/managers"
for tool in bash awk cat fold mktemp rm sed tr; do ln -s "$(command -v $tool)" "$TMP/tools/$tool"; done
# fake NAME LINES: a program that records its arguments
fake()
{
    printf '#!/bin/bash\necho "%s $*" >>"%s"\n%s\n' "$1" "$TMP/calls" "$2" >"$TMP/managers/$1"
    chmod +x "$TMP/managers/$1"
}
# system USER NAME...: no other package managers than these, and it runs as user number USER
system()
{
    rm -f "$TMP"/managers/* "$TMP/calls"
    fake id "echo $1"
    shift
    for manager in "$@"; do fake "$manager" 'exit 0'; done
}
deps() # STATUS ARGS...
{
    local expected=$1
    shift
    PATH="$TMP/managers:$TMP/tools" scripts/install-deps "$@" >"$TMP/out" 2>&1 </dev/null
    [ $? -eq "$expected" ]
}
calls() { grep -v '^id ' "$TMP/calls"; }

# manager, the program that says whether a package is installed, and its words for "install"
while IFS='|' read -r manager query install; do
    system 0 "$manager"
    fake "$query" 'case "$1 $2" in "install "* | "-S "* | "--non-interactive install") exit 0 ;; esac; exit 1'
    if [ "$manager" = brew ]; then
        check "install-deps: brew, but not as root" deps 1
        check "install-deps: says so" grep -q 'run this as another user than root' "$TMP/out"
        fake id 'echo 1000'
    fi
    check "install-deps: $manager" deps 0
    check "install-deps: $manager installs" bash -c "grep '^$manager $install' '$TMP/calls' | grep libarchive | grep gsl | grep -qvw tmux"
    check "install-deps: $manager, for the tests too" deps 0 --check
    check "install-deps: $manager installs them" bash -c "grep '^$manager $install' '$TMP/calls' | grep -qw tmux"
    check "install-deps: $manager lists" deps 0 --check --list
    check "install-deps: each name once" test -z "$(tr ' ' '\n' <"$TMP/out" | sort | uniq -d)"
done <<'END'
apt-get|dpkg-query|-q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 install -y --no-install-recommends
dnf|rpm|install -y
pacman|pacman|-S --needed --noconfirm
zypper|rpm|--non-interactive install
brew|brew|install
END
system 1000 dnf
fake rpm 'exit 1'
check "install-deps: without root it prints the command" deps 1
check "install-deps: which is dnf's" grep -q '^  dnf makecache && dnf install gcc glibc-devel ' "$TMP/out"
check "install-deps: and installs nothing" test -z "$(grep '^dnf' "$TMP/calls")"
system 0 zypper
fake rpm 'exit 0'
check "install-deps: nothing is missing" deps 0
check "install-deps: then nothing is done" test ! -s "$TMP/out" -a -z "$(grep '^zypper' "$TMP/calls")"
system 0 dnf
fake rpm 'exit 1'
fake dnf '[ "$1" = makecache ] || { echo "no package libsvm-devel"; exit 1; }'
check "install-deps: dnf fails, also with new lists" deps 1
check "install-deps: its message is shown" grep -q 'no package libsvm-devel' "$TMP/out"
system 0 apt-get dnf
fake dpkg-query 'exit 1'
check "install-deps: the system's own manager is first" deps 0
check "install-deps: apt" test -z "$(grep '^dnf' "$TMP/calls")"
system 0
check "install-deps: a system with none of them" deps 1
check "install-deps: prints Debian's names" grep -q 'libncurses-dev' "$TMP/out"

# ---- without matio, MPI and gnuplot ----
mkdir -p "$TMP/build" "$TMP/bin"
for f in "$BUILD"/*; do
    case ${f##*/} in check | asan | tsan | fuzz | tests | bench) ;; *) cp -a "$f" "$TMP/build/" ;; esac
done
ln -s -t "$TMP/bin" $(find /usr/local/bin /usr/bin /bin -maxdepth 1 ! -type d ! -name '*gnuplot*' | awk -F/ '!seen[$NF]++') 2>"$TMP/out"
lean() { PATH=$TMP/bin make BUILD="$TMP/build" HAS_MATIO= MPI= all >"$TMP/out" 2>&1; }
check "a build without matio and MPI" lean
check "says what is missing, in one line" grep -qxF \
    '  missing: matio (no MAT-files) MPI (no sweeps over MPI) gnuplot (no figures in files): see scripts/install-deps --check' "$TMP/out"
{ printf '%-124s' 'MATLAB 5.0 MAT-file'; printf '\0\1IM'; } >"$TMP/X.mat"
WEAKLAB=$TMP/build/weaklab
check "a MAT-file is refused" run 1 -b -e "load $TMP/X.mat"
check "with what to install" grep -q 'built without matio, which reads MAT-files; install it' "$TMP/out"
check "other files are read" run 0 -b -e 'load datasets/rings.libsvm'

# ---- debian/ ----
# Each installed file is in one package.  The lists are patterns, as those of dh_install.
stage()
{
    make BUILD="$TMP/build" HAS_MATIO= MPI="$(ls "$BUILD"/weaklab-mpi.so 2>/dev/null)" \
        PREFIX=/usr LIBDIR=/usr/lib/some-linux-gnu DESTDIR="$TMP/stage" install >"$TMP/out" 2>&1
}
check "make install as the packages do" stage
packaged()
{
    local list pattern rest status=0
    (cd "$TMP/stage" && find . ! -type d | sed 's|^\./||' | sort) >"$TMP/files"
    : >"$TMP/out"
    for list in debian/*.install; do
        while read -r pattern rest; do
            # a folder stands for what is in it
            (cd "$TMP/stage" && find $pattern ! -type d 2>/dev/null) >"$TMP/matched"
            [ -s "$TMP/matched" ] || case $pattern in
            usr/lib/\*/weaklab) [ ! -e "$BUILD/weaklab-mpi.so" ] ;; # only with MPI
            *) false ;;
            esac || { echo "$list: nothing is $pattern" >>"$TMP/out"; status=1; }
            cat "$TMP/matched" >>"$TMP/in-packages"
        done <"$list"
    done
    diff "$TMP/files" <(sort "$TMP/in-packages") >>"$TMP/out" && return $status
}
check "debian/: each installed file is in one package" packaged
version=$(sed -n 's/.*WLAB_VERSION "\(.*\)"/\1/p' include/weaklab/base.h)
check "debian/changelog has the version" grep -q "^weaklab ($version) " debian/changelog
so=$(sed -n 's/^SOVERSION *= *//p' Makefile)
check "debian/ has the library's number" test -f "debian/libweaklab$so.install"
names() { sed -n 's/^Package: //p' debian/control; }
check "debian/control has these packages" test "$(names | sort | xargs)" = "$(ls debian/*.install | sed 's|debian/||; s|\.install||' | sort | xargs)"
