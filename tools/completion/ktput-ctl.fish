# SPDX-License-Identifier: GPL-2.0
# Completion of ktput-ctl and ktput-report for fish: the program itself tells what may
# follow.

function __ktput_ctl
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete $words[2..-1] 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end

complete -c ktput-ctl -f -a '(__ktput_ctl)'
complete -c ktput-report -f -a '(__ktput_ctl)'
