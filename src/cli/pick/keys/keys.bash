# Keys that insert what `codedb pick` returns at the cursor. In ~/.bashrc:
#   eval "$(codedb completions --keys bash)"
# Ctrl-G s: definitions, as path:line
# Ctrl-G f: files
# Ctrl-G l: lines that match what is typed, as path:line
# Ctrl-G alone, which only rings at a prompt, keeps its meaning. Needs bash 4.3 or newer.
__codedb_pick() {
  local chosen line quoted=
  chosen=$(codedb pick "$1" --print) || return 0
  while IFS= read -r line; do
    printf -v line '%q ' "$line"
    quoted+=$line
  done <<< "$chosen"
  READLINE_LINE=${READLINE_LINE:0:READLINE_POINT}$quoted${READLINE_LINE:READLINE_POINT}
  READLINE_POINT=$((READLINE_POINT + ${#quoted}))
}
if [[ $- == *i* ]]; then
  for __codedb_keymap in emacs-standard vi-insert; do
    bind -m "$__codedb_keymap" -x '"\C-gs": __codedb_pick symbols'
    bind -m "$__codedb_keymap" -x '"\C-gf": __codedb_pick files'
    bind -m "$__codedb_keymap" -x '"\C-gl": __codedb_pick lines'
  done
  unset __codedb_keymap
fi
