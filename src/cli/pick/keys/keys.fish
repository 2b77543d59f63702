# Keys that insert what `codedb pick` returns at the cursor. In ~/.config/fish/config.fish:
#   codedb completions --keys fish | source
# Ctrl-G s: definitions, as path:line
# Ctrl-G f: files
# Ctrl-G l: lines that match what is typed, as path:line
# Ctrl-G alone keeps its meaning.
function __codedb_pick
    set -l chosen (codedb pick $argv[1] --print)
    and commandline -i -- (string join ' ' -- (string escape -- $chosen))' '
    commandline -f repaint
end
if status is-interactive
    for mode in default insert
        bind -M $mode \cgs '__codedb_pick symbols'
        bind -M $mode \cgf '__codedb_pick files'
        bind -M $mode \cgl '__codedb_pick lines'
    end
end
