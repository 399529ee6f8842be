#include "completion_scripts.h"

namespace dragoman::app {

// `place` is the chain of subcommands so far; the word after an option with a value (`valued`) is
// never taken for one. Bash splits words at '=' too, so that "--set model.norm=po" are four words.
const char* const bash_script = R"(# bash completion of dragoman
_dragoman_reply() {  # words to choose from
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}
_dragoman_settings() {  # keys, which a value follows
  compopt -o nospace 2>/dev/null
  _dragoman_reply "@settings@"
}
_dragoman_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
_dragoman() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="" place="dragoman" key="" valued="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ "$word" == "=" ]]; then key="$previous"; fi
    if [[ -n "$valued" ]]; then valued=""; else case "$place $word" in
@places@    esac; fi
    previous="$word"
  done
  if [[ "$current" == "=" ]]; then key="$previous"; current=""; previous="="; fi
  if [[ "$previous" == "=" ]]; then
    case "$key" in
@names@    esac
    case "$key" in
      -*) previous="$key" ;;
      *) return ;;
    esac
  fi
  case "$place $previous" in
@values@  esac
  case "$place" in
@words@  esac
}
complete -F _dragoman dragoman
)";

// The same in zsh, which leaves "model.norm=po" one word.
const char* const zsh_script = R"(#compdef dragoman
# zsh completion of dragoman
_dragoman_reply() { compadd -- ${=1} }
_dragoman_settings() { local keys="@settings@"; compadd -S '' -- ${=keys} }
_dragoman_files() { _files }
_dragoman() {
  local current="$PREFIX" previous="" place="dragoman" valued="" word i
  for ((i = 2; i < CURRENT; i++)); do
    word="${words[i]}"
    if [[ -n "$valued" ]]; then valued=""; else case "$place $word" in
@places@    esac; fi
    previous="$word"
  done
  if [[ "$previous" == "--set" && "$PREFIX" == *=* ]]; then
    local key="${PREFIX%%=*}"
    compset -P '*='
    case "$key" in
@names@    esac
    return
  fi
  case "$place $previous" in
@values@  esac
  case "$place" in
@words@  esac
}
if [[ "${funcstack[1]}" == "_dragoman" ]]; then _dragoman "$@"; else compdef _dragoman dragoman; fi
)";

const char* const fish_script = R"(# fish completion of dragoman
function __dragoman_at  # whether the words so far name this command
    set -l place dragoman
    set -l valued ""
    for word in (commandline -opc)[2..-1]
        if test -n "$valued"
            set valued ""
            continue
        end
        switch "$place $word"
@places@        end
    end
    test "$place" = "$argv"
end
function __dragoman_settings  # keys, which a value follows
    string split ' ' '@settings@'
end
complete -c dragoman -f
@lines@)";

}  // namespace dragoman::app
