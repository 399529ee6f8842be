#!/usr/bin/env bash
# Makes a fresh Debian 12 or Ubuntu 24.04 ready and configures the folder build/ (Release).
# Installs only what is missing, says what and why, and reuses everything that is there.
# Called by make; by hand: third_party/bootstrap.sh
#
# LibTorch is taken from, in this order: CMAKE_PREFIX_PATH; a torch of python3 that is new enough;
# without a GPU the CPU archive, if third_party/Versions.cmake has its checksum; pip, into .venv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build
cache=.cache
venv=.venv
space_needed_gb=3

say() { printf 'bootstrap: %s\n' "$*" >&2; }
die() { printf 'bootstrap: error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" > /dev/null 2>&1; }
pinned() { sed -n "s/^set($1 \(.*\))\$/\1/p" third_party/Versions.cmake | tr -d '"'; }
at_least() { printf '%s\n%s\n' "$2" "$1" | sort -C -V; }  # at_least VERSION MINIMUM

# --- what is missing ---------------------------------------------------------------------------

compiles() {  # compiles TEXT: whether the C++20 compiler takes it
  printf '%s\n' "$1" | "${CXX:-g++}" -std=c++20 -fsyntax-only -x c++ - 2> /dev/null
}
has_header() { printf '#include <%s>\n' "$1" | "${CXX:-g++}" -std=c++20 -E -x c++ - > /dev/null 2>&1; }
has_catch() { has_header catch2/catch_all.hpp || has_header catch2/catch.hpp; }
has_venv() { have python3 && python3 -c 'import ensurepip, venv' 2> /dev/null; }
cmake_version() { cmake --version 2> /dev/null | sed -n '1s/[^0-9]*//p'; }

# Debian's package for each thing that is not there, with the reason: "PACKAGE WHY..."
missing_packages() {
  have "${CXX:-g++}" || echo 'g++ C++20 compiler'
  have make || echo 'make runs the build'
  have cmake || echo 'cmake configures the build (3.25 or newer)'
  has_venv || echo 'python3-venv fetches SentencePiece and, where needed, LibTorch'
  have "${CXX:-g++}" && has_header zlib.h || echo 'zlib1g-dev reads .gz text'
  have "${CXX:-g++}" && has_header nlohmann/json.hpp || echo 'nlohmann-json3-dev configuration files'
  have "${CXX:-g++}" && has_header CLI/CLI.hpp || echo 'libcli11-dev command line'
  have "${CXX:-g++}" && has_catch || echo 'catch2 tests'
}

check_chosen_compiler() {
  [ -z "${CXX:-}" ] || have "$CXX" || die "CXX=$CXX: no such compiler here; install it, or unset CXX"
}

install_packages() {
  local list names
  list=$(missing_packages)
  if [ -z "$list" ]; then
    say "packages: all there"
    return
  fi
  say "packages missing:"
  printf '%s\n' "$list" | sed 's/^\([^ ]*\) \(.*\)/  \1 (\2)/' >&2
  names=$(printf '%s\n' "$list" | cut -d' ' -f1 | tr '\n' ' ')
  have apt-get || die "this system has no apt-get; install what the list above names, then call make again"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    have sudo || die "neither root nor sudo; ask an administrator for: apt-get install $names"
    root=(sudo)
    say "sudo may ask for your password"
  fi
  local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q
                 --no-install-recommends)
  # shellcheck disable=SC2086
  if ! "${install[@]}" $names >&2; then
    say "trying again with fresh package lists (apt-get update)"
    "${root[@]}" apt-get update -q >&2 ||
      die "apt-get update failed; is there a network? Then call make again"
    # shellcheck disable=SC2086
    "${install[@]}" $names >&2 ||
      die "apt-get could not install: $names- is there a network and space? Then call make again"
  fi
}

# The build goes without it, so nobody is asked for a password and nothing stops.
install_jemalloc() {
  if has_header jemalloc/jemalloc.h || [ -f "$build/CMakeCache.txt" ]; then return; fi
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends
                 libjemalloc-dev)
  if have apt-get && [ "$(id -u)" -eq 0 ]; then
    say "jemalloc (libjemalloc-dev) is not there: installing it"
    "${install[@]}" >&2 || { apt-get update -q >&2 && "${install[@]}" >&2; } || true
  fi
  has_header jemalloc/jemalloc.h ||
    say "going on without jemalloc (libjemalloc-dev), with which training takes less memory"
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

check_space() {
  local free_kb
  free_kb=$(df -Pk . | awk 'NR == 2 { print $4 }')
  if [ "$free_kb" -lt $((space_needed_gb * 1024 * 1024)) ]; then
    die "$(pwd): $((free_kb / 1024)) MB free; LibTorch and the build need $space_needed_gb GB. Make room, then call make again"
  fi
}

make_venv() {
  [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" ||
    die "python3 -m venv $venv failed; see the lines above"
}

check_cmake() {
  local version
  version=$(cmake_version)
  if at_least "${version:-0}" 3.25; then return; fi
  say "cmake $version is too old (3.25 is needed): fetching one with pip into $venv"
  make_venv
  "$venv/bin/pip" install -q --disable-pip-version-check 'cmake>=3.25,<4' ||
    die "pip could not fetch cmake; is there a network? Or install CMake 3.25 yourself"
  PATH="$(pwd)/$venv/bin:$PATH"
}

# --- LibTorch ----------------------------------------------------------------------------------

has_torch() { [ -f "$1/share/cmake/Torch/TorchConfig.cmake" ] || [ -f "$1/Torch/TorchConfig.cmake" ]; }

torch_of_prefix_path() {  # CMake takes it from the variable itself
  local folder found=1
  local IFS=':;'
  for folder in ${CMAKE_PREFIX_PATH:-}; do
    if has_torch "$folder"; then
      torch_folder=$folder
      found=0
      break
    fi
  done
  return $found
}

torch_of_python() {  # torch_of_python PYTHON: without importing torch, which takes seconds
  have "$1" || return 1
  local answer
  answer=$("$1" - 2> /dev/null <<'PYTHON'
import importlib.metadata, importlib.util
folder = importlib.util.find_spec("torch").submodule_search_locations[0]
print(importlib.metadata.version("torch").split("+")[0], folder + "/share/cmake")
PYTHON
  ) || return 1
  local version=${answer%% *}
  if ! at_least "$version" "$(pinned DRAGOMAN_TORCH_MINIMUM)"; then
    say "LibTorch: $1 has torch $version, which is older than $(pinned DRAGOMAN_TORCH_MINIMUM): not used"
    return 1
  fi
  torch_folder=${answer#* }
  has_torch "$torch_folder"
}

has_gpu() { [ -e /dev/nvidia0 ] || { have nvidia-smi && nvidia-smi -L 2> /dev/null | grep -q GPU; }; }

torch_of_archive() {
  local url sum
  url=$(pinned DRAGOMAN_LIBTORCH_CPU_URL)
  sum=${DRAGOMAN_LIBTORCH_SHA256:-$(pinned DRAGOMAN_LIBTORCH_CPU_SHA256)}
  torch_folder=$(pwd)/$cache/libtorch
  if has_torch "$torch_folder"; then return 0; fi
  if has_gpu || [ "$(uname -m)" != x86_64 ]; then return 1; fi
  if [ -z "$sum" ]; then
    say "LibTorch: the CPU archive is passed over, because its checksum is not known here;"
    say "  with DRAGOMAN_LIBTORCH_SHA256=... set, it is fetched from $url"
    return 1
  fi
  say "LibTorch: fetching the CPU archive $url"
  mkdir -p "$cache"
  cmake -DURL="$url" -DSHA256="$sum" -DFOLDER="$cache" -P third_party/fetch_archive.cmake >&2 || {
    say "LibTorch: the archive could not be fetched"
    return 1
  }
  has_torch "$torch_folder"
}

torch_of_pip() {
  local version
  version=$(pinned DRAGOMAN_TORCH_VERSION)
  say "LibTorch: fetching torch==$version with pip into $venv. Depending on your package index this is"
  say "  the CPU build (0.2 GB, unpacked 0.7 GB) or the large CUDA build (3 GB, unpacked 7 GB)"
  make_venv
  "$venv/bin/pip" install --disable-pip-version-check --progress-bar off -q "torch==$version" >&2 ||
    die "pip could not fetch torch==$version; is there a network and space? Otherwise unpack LibTorch yourself and call: CMAKE_PREFIX_PATH=/path/to/libtorch make"
  torch_of_python "$venv/bin/python"
}

find_torch() {
  if torch_of_prefix_path; then
    say "LibTorch: $torch_folder (CMAKE_PREFIX_PATH)"
  elif torch_of_python python3; then
    say "LibTorch: $torch_folder (installed torch of python3)"
  elif [ -x "$venv/bin/python" ] && torch_of_python "$venv/bin/python"; then
    say "LibTorch: $torch_folder (reused)"
  elif check_space && torch_of_archive; then
    say "LibTorch: $torch_folder"
  elif torch_of_pip; then
    say "LibTorch: $torch_folder"
  else
    die "LibTorch $(pinned DRAGOMAN_TORCH_MINIMUM) or newer: not found; unpack it and call: CMAKE_PREFIX_PATH=/path/to/libtorch make"
  fi
}

# --- the build folder --------------------------------------------------------------------------

configure() {
  local arguments=(-S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON
                   "-DDRAGOMAN_CACHE=$(pwd)/$cache"
                   "-DCMAKE_PREFIX_PATH=$torch_folder${CMAKE_PREFIX_PATH:+;${CMAKE_PREFIX_PATH//:/;}}")
  if [ -f "$build/CMakeCache.txt" ]; then
    say "$build/: reused; only what changed is built"
  else
    have ninja && arguments+=(-G Ninja)
    have ccache && arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    [ -d "$build" ] || check_space
  fi
  mkdir -p "$cache"
  if ! cmake "${arguments[@]}" > "$cache/configure.log" 2>&1; then
    tail -n 30 "$cache/configure.log" >&2
    die "cmake could not configure $build/; the lines above say why (all of it: $cache/configure.log)"
  fi
}

check_chosen_compiler
install_packages
install_jemalloc
check_compiler
check_cmake
find_torch
configure
