# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions over exhibits.tsv, the list of the papers' tables and figures, for docs/tables and scripts/reproduce.
#
# Its columns, with tabs between them:
#   name         for `make reproduce EXHIBIT=name`
#   paper        which rows of the list a page shows
#   exhibit      what people call it
#   experiments  files of scripts/experiments, without .wexp; "-": none
#   setting      only this setting of them; "-": all
#   table        settings of `table`; "-": none
#   verdict      how the results compare; "agree" counts the published numbers that agree
#   why          the reason for what differs
list=scripts/exhibits.tsv

# counted RESULTS SETTING WORD...: "AGREE COMPARED", the published numbers in the table of these results
counted()
{
    local results=$1 setting=$2
    shift 2
    [ "$*" = - ] && set --
    "$program" table "$results" "$@" --json 2>/dev/null |
        awk -v RS='"' -v only="$setting" '
            # the text between two quotation marks; what follows a number begins with ":"
            $0 == "setting" { word = "setting"; next }
            $0 == "compared" || $0 == "agree" { word = $0; next }
            word == "setting" && $0 !~ /^[:, ]*$/ { setting = $0; word = ""; next }
            (word == "compared" || word == "agree") && /^:/ {
                if ((only == "-" || setting == only) && !((setting, word) in seen)) {
                    seen[setting, word] = 1
                    split(substr($0, 2), part, /[,}]/)
                    sum[word] += part[1]
                }
                word = ""
            }
            END { print sum["agree"] + 0, sum["compared"] + 0 }'
}

# computed FILE.cells: how many per cent of the experiment's cells it has, "100"
computed()
{
    local missing
    missing=$("$program" table "$1" --json 2>/dev/null | grep -o '"missing":[0-9]*' | head -n 1 | cut -d : -f 2)
    grep -c '^[0-9]' "$1" | awk -v missing="${missing:-0}" '{ printf "%d\n", 100 * $1 / ($1 + missing) }'
}

# hours FILE.cells SETTING: the processor hours of its cells
hours()
{
    awk -F '\t' -v only="$2" '
        /^number\t/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        /^[0-9]/ && (only == "-" || $at["setting"] == only) { s += $at["seconds"] + $at["tuning_seconds"] }
        END { printf "%.3f\n", s / 3600 }' "$1"
}
