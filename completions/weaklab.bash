# bash completion for weaklab
# SPDX-License-Identifier: GPL-3.0-or-later

_weaklab()
{
    local cur=$2 prev=$3 words files='*.wlab'
    COMPREPLY=()
    case $prev in
    --out | --data | --of)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --format)
        mapfile -t COMPREPLY < <(compgen -W 'text markdown latex csv json' -- "$cur")
        return
        ;;
    --record | --to | -o)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    -e | --execute | -j | --threads | --ranks | --seed | --tol | --pace | --shard)
        return
        ;;
    esac
    case $cur in
    -*)
        case ${COMP_WORDS[1]} in
        replay) words='--check --tol --pace --dashboard --data --out --json --quiet --threads --no-color --help' ;;
        sweep) words='--out --shard --retry --anew --threads --data --json --quiet --no-color --help' ;;
        table) words='--format --to --json --quiet --help' ;;
        merge) words='--out --json --quiet --help' ;;
        grade) words='-o --to --items --data --json --quiet --help' ;;
        report) words='-o --to --data --json --quiet --threads --help' ;;
        curve) words='--of --to --json --quiet --help' ;;
        cell) words='--of --to --dashboard --data --json --quiet --threads --no-color --help' ;;
        *) words='--batch --dashboard --execute --no-init --quiet --threads --ranks --seed --json --record --out --data
                --no-color --version --help' ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
        ;;
    esac
    [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == sweep ]] && files='*.wexp'
    [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == @(table|merge|cell) ]] && files='/' # only folders
    mapfile -t COMPREPLY < <(compgen -f -X "!$files" -- "$cur"; compgen -d -S / -- "$cur")
    if [[ $COMP_CWORD -eq 1 ]]; then
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W 'demo replay report grade sweep table merge cell curve' -- "$cur")
    fi
    compopt -o nospace 2>/dev/null
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} != */ ]] && compopt +o nospace 2>/dev/null
}
complete -o filenames -F _weaklab weaklab
