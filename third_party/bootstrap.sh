#!/usr/bin/env bash
# Fetches what the build needs and configures the folder build/ (Release): system packages, LibTorch and
# SentencePiece's sources. Only what is missing; each step says what it does and why.
# Called by make; alone: make deps
#
#   DRAGOMAN_INSTALL=no      installs no system packages; says the command, and stops if one is needed
#   DRAGOMAN_TORCH=cuda      takes a CUDA build of LibTorch, also without a GPU, and no other
#   DRAGOMAN_TORCH=python3   takes LibTorch from the torch of python3
#   DRAGOMAN_UNPINNED=yes    takes a build of torch whose checksum is not listed in third_party/
#   CMAKE_PREFIX_PATH=FOLDER takes LibTorch from there
#   CMAKE_ARGUMENTS="-D..."  further arguments of CMake
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build
cache=.cache
venv=.venv

say() { printf 'setup: %s\n' "$*" >&2; }
die() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" > /dev/null 2>&1; }
pinned() { sed -n "s/^set($1 \(.*\))\$/\1/p" third_party/Versions.cmake | tr -d '"'; }
at_least() { printf '%s\n%s\n' "$2" "$1" | sort -C -V; }  # at_least VERSION MINIMUM

# shellcheck source=third_party/packages.sh
. third_party/packages.sh
# shellcheck source=third_party/torch.sh
. third_party/torch.sh

check_chosen_compiler() {
  [ -z "${CXX:-}" ] || have "$CXX" || die "CXX=$CXX: no such compiler here; install it, or unset CXX"
}

check_compiler() {
  compiles '#include <span>
#include <compare>
#if __cplusplus < 202002L
#error old
#endif
enum class E { a }; int main() { using enum E; return a == E::a ? 0 : 1; }' ||
    die "${CXX:-g++} $(${CXX:-g++} -dumpversion) cannot compile C++20; install g++ 11 or newer, or set CXX"
}

check_space() {  # check_space FOLDER MEGABYTES WHAT
  local free
  free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$2" ] ||
    die "$(cd "$1" && pwd): $free MB free; $3 need $2 MB. Make room there, then call make again"
}

make_venv() {
  [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" ||
    die "python3 -m venv $venv failed; see the lines above"
}

check_cmake() {
  local version
  version=$(cmake --version 2> /dev/null | sed -n '1s/[^0-9]*//p' || true)
  if at_least "${version:-0}" 3.25; then return; fi
  say "CMake ${version:-is missing}: 3.25 or newer is needed; fetching one with pip into $venv (28 MB)"
  make_venv
  "$venv/bin/pip" install -q --disable-pip-version-check --no-deps --require-hashes \
    -r third_party/cmake.txt ||
    die "pip could not fetch CMake; is there a network? Or install CMake 3.25 yourself"
  mkdir -p "$venv/cmake"  # without the venv's Python
  ln -sf ../bin/cmake ../bin/ctest ../bin/cpack "$venv/cmake/"
  PATH="$(pwd)/$venv/cmake:$PATH"
}

is_off() {  # is_off OPTION: whether the build is, or will be, configured without it
  local word value
  value=$(sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" 2> /dev/null || true)
  for word in ${CMAKE_ARGUMENTS:-}; do
    case $word in "-D$1="* | "-D$1:"*=*) value=${word#*=} ;; esac
  done
  case ${value^^} in OFF | 0 | FALSE | NO | N) ;; *) return 1 ;; esac
}

torch_folder=

configure() {
  local prefixes=$torch_folder${CMAKE_PREFIX_PATH:+;${CMAKE_PREFIX_PATH//:/;}}
  local arguments=(-S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON
                   "-DDRAGOMAN_CACHE=$(pwd)/$cache"
                   "-DCMAKE_PREFIX_PATH=${prefixes#;}")
  local folder
  for folder in "$torch_folder/share/cmake/Torch" "$torch_folder/Torch"; do  # CMake would keep the one of before
    if [ -n "$torch_folder" ] && [ -d "$folder" ]; then arguments+=("-DTorch_DIR=$folder"); fi
  done
  if [ -f "$build/CMakeCache.txt" ]; then
    say "$build/: configured before; only what changed is built"
  else
    have ninja && arguments+=(-G Ninja)
    have ccache && arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    check_space . 1000 "SentencePiece's sources and the build"
    say "$build/: configuring, half a minute (log: $cache/configure.log)"
  fi
  mkdir -p "$cache"
  # shellcheck disable=SC2206 # several words
  arguments+=(${CMAKE_ARGUMENTS:-})
  if ! cmake "${arguments[@]}" > "$cache/configure.log" 2>&1; then
    tail -n 30 "$cache/configure.log" >&2
    die "CMake could not configure $build/; the lines above say why (all of it: $cache/configure.log)"
  fi
}

case ${DRAGOMAN_INSTALL:-yes} in
  yes | no) ;;
  *) die "DRAGOMAN_INSTALL=$DRAGOMAN_INSTALL: unknown; use yes or no" ;;
esac
case ${DRAGOMAN_TORCH:-} in
  '' | cuda | python3) ;;
  *) die "DRAGOMAN_TORCH=$DRAGOMAN_TORCH: unknown; use cuda (the CUDA build) or python3 (its installed torch)" ;;
esac
check_chosen_compiler
install_packages
check_compiler
check_cmake
is_off DRAGOMAN_WITH_TORCH || find_torch
configure
