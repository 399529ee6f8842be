# shellcheck shell=bash
# System packages: what is missing, what each package manager calls it, and how it is installed.
# Sourced by bootstrap.sh. Debian's and Ubuntu's names have been tried; Fedora's and Arch's have not,
# so for those the command is printed and not run.

compiles() {  # compiles TEXT: whether the C++20 compiler takes it
  printf '%s\n' "$1" | "${CXX:-g++}" -std=c++20 -fsyntax-only -x c++ - 2> /dev/null
}
has_compiler() { have "${CXX:-g++}"; }
has_header() {
  has_compiler && printf '#include <%s>\n' "$1" | "${CXX:-g++}" -std=c++20 -E -x c++ - > /dev/null 2>&1
}
has_catch() { has_header catch2/catch_all.hpp || has_header catch2/catch.hpp; }
has_venv() { have python3 && python3 -c 'import ensurepip, venv' 2> /dev/null; }

package_manager() {
  local manager
  for manager in apt-get dnf pacman; do
    if have "$manager"; then
      echo "$manager"
      return
    fi
  done
  echo none
}

# Each line: what is missing, in the order of the columns below.
#   apt-get             dnf             pacman         needed|optional  why
missing_packages() {
  has_compiler || echo 'g++ gcc-c++ gcc needed C++20 compiler'
  have make || echo 'make make make needed runs the build'
  # pip can fetch CMake.
  have cmake || echo "cmake cmake cmake $(has_venv && echo optional || echo needed) configures the build (3.25 or newer)"
  has_venv || echo 'python3-venv python3-pip python needed fetches SentencePiece, and LibTorch where needed'
  has_header zlib.h || echo 'zlib1g-dev zlib-devel zlib needed reads .gz text'
  has_header nlohmann/json.hpp || echo 'nlohmann-json3-dev json-devel nlohmann-json needed configuration files'
  is_off DRAGOMAN_BUILD_PROGRAM || has_header CLI/CLI.hpp || echo 'libcli11-dev cli11-devel cli11 needed command line'
  is_off DRAGOMAN_BUILD_TESTS || has_catch || echo 'catch2 catch-devel catch2 needed tests'
  has_header jemalloc/jemalloc.h ||
    echo 'libjemalloc-dev jemalloc-devel jemalloc optional training and translating take less memory'
}

# package_names LIST MANAGER: the names that MANAGER knows the packages of LIST by, in one line.
package_names() {
  local column=1
  case $2 in dnf) column=2 ;; pacman) column=3 ;; esac
  printf '%s\n' "$1" | cut -d' ' -f"$column" | tr '\n' ' ' | sed 's/ $//'
}

install_command() {  # install_command MANAGER NAMES
  case $1 in
    dnf) echo "dnf install $2" ;;
    pacman) echo "pacman -S --needed $2" ;;
    *) echo "apt-get install --no-install-recommends $2" ;;
  esac
}

# Ends the program unless all of LIST are optional; says the command in both cases.
leave_to_user() {  # leave_to_user LIST MANAGER REASON
  local command
  command=$(install_command "$2" "$(package_names "$1" "$2")")
  if printf '%s\n' "$1" | grep -q '^[^ ]* [^ ]* [^ ]* needed '; then
    die "$3. Install them as root, then call make again: $command"
  fi
  say "continuing without optional packages ($3); to install them, as root: $command"
}

apt_install() {  # apt_install NAMES, as root or through sudo
  local root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q
                 --no-install-recommends)
  # shellcheck disable=SC2086
  "${install[@]}" $1 >&2 && return
  say "trying again with fresh package lists (apt-get update)"
  # shellcheck disable=SC2086
  "${root[@]}" apt-get update -q >&2 && "${install[@]}" $1 >&2
}

install_packages() {
  local list manager names
  manager=$(package_manager)
  list=$(missing_packages)
  # Nobody is asked for a password because of an optional package alone, nor twice.
  if [ -f "$build/CMakeCache.txt" ]; then list=$(printf '%s\n' "$list" | grep ' needed ' || true); fi
  if [ -z "$list" ]; then
    say "system packages: all installed"
    return
  fi
  say "system packages missing:"
  printf '%s\n' "$list" | while read -r apt dnf pacman kind why; do
    case $manager in dnf) apt=$dnf ;; pacman) apt=$pacman ;; esac
    [ "$kind" = needed ] || why="optional: $why"
    printf '  %-20s %s\n' "$apt" "$why" >&2
  done
  [ "${DRAGOMAN_INSTALL:-yes}" = yes ] || { leave_to_user "$list" "$manager" "DRAGOMAN_INSTALL=$DRAGOMAN_INSTALL: nothing is installed" && return; }
  case $manager in
    apt-get) ;;
    none) die "no apt-get, dnf or pacman here; install what the list names (Debian's names), then call make again" ;;
    *) leave_to_user "$list" "$manager" "installing with $manager is left to you: these names have not been tried"; return ;;
  esac
  if [ "$(id -u)" -ne 0 ]; then
    if ! have sudo || ! printf '%s\n' "$list" | grep -q ' needed '; then
      leave_to_user "$list" "$manager" "not root"
      return
    fi
    say "sudo may ask for your password (DRAGOMAN_INSTALL=no installs nothing)"
  fi
  names=$(package_names "$list" "$manager")
  say "installing them with apt-get, a minute or two: $names"
  apt_install "$names" || leave_to_user "$(missing_packages)" "$manager" "apt-get failed; is there a network, and space?"
}
