# bash completion for weaklab
# SPDX-License-Identifier: GPL-3.0-or-later

_weaklab()
{
    local cur=$2 prev=$3 words
    COMPREPLY=()
    case $prev in
    --out | --data)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --record)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    -e | --execute | -j | --threads | --seed | --tol | --pace)
        return
        ;;
    esac
    case $cur in
    -*)
        if [[ ${COMP_WORDS[1]} == replay ]]; then
            words='--check --tol --pace --dashboard --data --out --json --quiet --threads --no-color --help'
        else
            words='--batch --dashboard --execute --no-init --quiet --threads --seed --json --record --out --data
                --no-color --version --help'
        fi
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -f -X '!*.wlab' -- "$cur"; compgen -d -S / -- "$cur")
    if [[ $COMP_CWORD -eq 1 && replay == "$cur"* ]]; then
        COMPREPLY+=(replay)
    fi
    compopt -o nospace 2>/dev/null
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} != */ ]] && compopt +o nospace 2>/dev/null
}
complete -o filenames -F _weaklab weaklab
