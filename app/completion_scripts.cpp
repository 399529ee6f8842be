#include "completion_scripts.h"

namespace dragoman::app {

// `place` is the chain of subcommands so far; the word after an option with a value (`valued`) is
// never taken for one, and `list` is an option that further values may follow. Bash splits words at
// '=' too, so that "--set model.norm=po" are four words.
const char* const bash_script = R"(# bash completion of dragoman
_dragoman_reply() {  # words to choose from
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}
_dragoman_keys() {  # of the configuration, which a value follows
  compopt -o nospace 2>/dev/null
  _dragoman_reply "$1"
}
_dragoman_settings() { _dragoman_keys "@settings@"; }
_dragoman_search() { _dragoman_keys "@search@"; }
_dragoman_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
_dragoman() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="" place="dragoman"
  local key="" valued="" list="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ "$word" == "=" ]]; then key="$previous"; fi
    if [[ -n "$valued" ]]; then valued=""; else
      if [[ "$word" == -* ]]; then list=""; fi
      case "$place $word" in
@places@      esac
    fi
    previous="$word"
  done
  if [[ "$current" == "=" ]]; then key="$previous"; current=""; previous="="; fi
  if [[ "$previous" == "=" ]]; then
    case "$key" in
@names@    esac
    case "$key" in
      -*) previous="$key" list="" ;;
      *) return ;;
    esac
  fi
  if [[ -n "$list" && "$current" != -* ]]; then previous="$list"; fi
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
_dragoman_search() { local keys="@search@"; compadd -S '' -- ${=keys} }
_dragoman_files() { _files }
_dragoman() {
  local current="$PREFIX" previous="" place="dragoman" valued="" list="" word i
  for ((i = 2; i < CURRENT; i++)); do
    word="${words[i]}"
    if [[ -n "$valued" ]]; then valued=""; else
      if [[ "$word" == -* ]]; then list=""; fi
      case "$place $word" in
@places@      esac
    fi
    previous="$word"
  done
  if [[ -n "$list" && "$current" != -* ]]; then previous="$list"; fi
  if [[ "$previous" == (--set|--search) && "$PREFIX" == *=* ]]; then
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
function __dragoman_at  # whether the words so far name this command, and one of these lists
    set -l place dragoman
    set -l valued ""
    set -l list ""
    for word in (commandline -opc)[2..-1]
        if test -n "$valued"
            set valued ""
            continue
        end
        if string match -q -- '-*' "$word"
            set list ""
        end
        switch "$place $word"
@places@        end
    end
    test "$place" = "$argv[1]"; or return
    test (count $argv) -eq 1; or contains -- "$list" $argv[2..-1]
end
function __dragoman_keys  # or the values of one whose "=" is there
    set -l parts (commandline -ct | string replace -r -- '^--[a-z]+=' '' | string split -m 1 =)
    if test (count $parts) -eq 1
        string split ' ' $argv
        return
    end
    set -l names
    switch $parts[1]
@names@    end
    for name in $names
        echo $parts[1]=$name
    end
end
function __dragoman_settings
    __dragoman_keys '@settings@'
end
function __dragoman_search
    __dragoman_keys '@search@'
end
function __dragoman_add  # what is offered at $__dragoman_place
    complete -c dragoman -n "__dragoman_at '$__dragoman_place'" $argv
end
function __dragoman_add_list  # the same for further values of these options
    complete -c dragoman -n "__dragoman_at '$__dragoman_place' $argv[1]" $argv[2..-1]
end
complete -c dragoman -f
@lines@set -e __dragoman_place
functions -e __dragoman_add __dragoman_add_list
)";

}  // namespace dragoman::app
