# fish completion for weaklab
# SPDX-License-Identifier: GPL-3.0-or-later

set --local commands demo replay report grade sweep table merge cell curve

function __weaklab_command # the subcommand on the line is one of these; without arguments: there is none
    set --local words (commandline -opc)
    if test (count $argv) -eq 0
        not contains -- "$words[2]" demo replay report grade sweep table merge cell curve
    else
        contains -- "$words[2]" $argv
    end
end

complete -c weaklab -f
complete -c weaklab -n "test (count (commandline -opc)) -eq 1" -a "$commands"
complete -c weaklab -n "not __weaklab_command sweep table merge cell curve demo" -k -a "(__fish_complete_suffix .wlab)"
complete -c weaklab -n "__weaklab_command sweep" -k -a "(__fish_complete_suffix .wexp)"
complete -c weaklab -n "__weaklab_command table merge cell" -a "(__fish_complete_directories)"

complete -c weaklab -n __weaklab_command -s b -l batch -d "end after the scripts and commands"
complete -c weaklab -n __weaklab_command -s e -l execute -x -d "execute a line of commands"
complete -c weaklab -n __weaklab_command -s n -l no-init -d "do not read init.wlab"
complete -c weaklab -n __weaklab_command -l seed -x -d "the seed of commands without seed="
complete -c weaklab -n __weaklab_command -l record -r -F -d "record the session"
complete -c weaklab -n __weaklab_command -l version -d "print the version"
complete -c weaklab -n "__weaklab_command; or __weaklab_command replay cell" -s d -l dashboard -d "the full-screen view"
complete -c weaklab -n "__weaklab_command; or __weaklab_command replay report sweep cell" -s j -l threads -x -d "threads that compute"
complete -c weaklab -n "__weaklab_command" -l ranks -x -d "processes that share data"
complete -c weaklab -n "__weaklab_command; or __weaklab_command replay report grade sweep cell" -l data -x -a "(__fish_complete_directories)" -d "a folder in which load finds files"
complete -c weaklab -n "__weaklab_command; or __weaklab_command replay sweep cell" -l no-color -d "no colours"
complete -c weaklab -n "__weaklab_command; or __weaklab_command replay sweep merge" -l out -x -a "(__fish_complete_directories)" -d "the folder for results"
complete -c weaklab -n "not __weaklab_command demo" -s q -l quiet -d "print results and errors only"
complete -c weaklab -n "not __weaklab_command demo" -l json -d "results as JSON"
complete -c weaklab -n "not __weaklab_command demo" -s h -l help -d "print the options"
complete -c weaklab -n "__weaklab_command replay" -l check -d "compare the results with the recorded ones"
complete -c weaklab -n "__weaklab_command replay" -l tol -x -d "the relative difference that is allowed"
complete -c weaklab -n "__weaklab_command replay" -l pace -x -d "seconds between commands"
complete -c weaklab -n "__weaklab_command sweep" -l shard -x -d "I/N: only every N-th cell from the I-th on"
complete -c weaklab -n "__weaklab_command sweep" -l retry -d "compute failed cells once more"
complete -c weaklab -n "__weaklab_command sweep" -l anew -d "the folder may hold another experiment"
complete -c weaklab -n "__weaklab_command table" -l format -x -a "text markdown latex csv json" -d "the format"
complete -c weaklab -n "__weaklab_command table curve cell" -l to -r -F -d "the file to write"
complete -c weaklab -n "__weaklab_command grade" -s o -l to -r -F -d "the table to write: .csv"
complete -c weaklab -n "__weaklab_command grade" -l items -d "one row for each item"
complete -c weaklab -n "__weaklab_command report" -s o -l to -r -F -d "the file to write: .html, .md or .tex"
complete -c weaklab -n "__weaklab_command curve cell" -l of -x -a "(__fish_complete_directories)" -d "the folder of the results"
