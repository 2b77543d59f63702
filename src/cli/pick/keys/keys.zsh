# Keys that insert what `codedb pick` returns at the cursor. In ~/.zshrc:
#   eval "$(codedb completions --keys zsh)"
# Ctrl-G s: definitions, as path:line
# Ctrl-G f: files
# Ctrl-G l: lines that match what is typed, as path:line
# Ctrl-G alone, which gives up the line, keeps its meaning.
__codedb_pick() {
  local chosen
  # Standard input of a widget is not the terminal.
  chosen=$(codedb pick "$1" --print <"$TTY")
  if [[ $? -eq 0 ]]; then
    LBUFFER+="${(j: :)${(@q)${(@f)chosen}}} "
  fi
  zle reset-prompt
}
__codedb_pick_symbols() { __codedb_pick symbols }
__codedb_pick_files() { __codedb_pick files }
__codedb_pick_lines() { __codedb_pick lines }
if [[ -o interactive ]]; then
  () {
    local what
    for what in symbols files lines; do
      zle -N "__codedb_pick_$what"
      bindkey -M emacs "^G${what[1]}" "__codedb_pick_$what"
      bindkey -M viins "^G${what[1]}" "__codedb_pick_$what"
    done
  }
fi
