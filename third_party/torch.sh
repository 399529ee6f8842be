# shellcheck shell=bash
# LibTorch: found or fetched. Sourced by bootstrap.sh; sets torch_folder.
#
# From, in this order: CMAKE_PREFIX_PATH; the torch of python3, only with DRAGOMAN_TORCH=python3; what
# was fetched before; pip, into .venv.

has_torch() { [ -f "$1/share/cmake/Torch/TorchConfig.cmake" ] || [ -f "$1/Torch/TorchConfig.cmake" ]; }

torch_of_prefix_path() {  # CMake takes it from the variable itself
  local folder
  local IFS=':;'
  for folder in ${CMAKE_PREFIX_PATH:-}; do
    if has_torch "$folder"; then
      torch_folder=$folder
      return 0
    fi
  done
  return 1
}

torch_of_venv() {
  local torch
  torch=$(pwd)/$venv/libtorch/torch
  torch_folder=$torch/share/cmake
  if [ "${DRAGOMAN_TORCH:-}" = cuda ] && [ ! -e "$torch/lib/libtorch_cuda.so" ]; then return 1; fi
  has_torch "$torch_folder"
}

torch_of_python() {  # without importing torch, which takes seconds
  have python3 || return 1
  local answer
  answer=$(python3 - 2> /dev/null << 'PYTHON'
import importlib.metadata, importlib.util
folder = importlib.util.find_spec("torch").submodule_search_locations[0]
print(importlib.metadata.version("torch").split("+")[0], folder + "/share/cmake")
PYTHON
  ) || return 1
  local version=${answer%% *}
  if ! at_least "$version" "$(pinned DRAGOMAN_TORCH_MINIMUM)"; then
    say "LibTorch: python3 has torch $version, older than $(pinned DRAGOMAN_TORCH_MINIMUM): not used"
    return 1
  fi
  torch_folder=${answer#* }
  has_torch "$torch_folder"
}

has_gpu() { [ -e /dev/nvidia0 ] || { have nvidia-smi && nvidia-smi -L 2> /dev/null | grep -q GPU; }; }

# One wheel for every Python: nothing of it that depends on Python is used. What it needs may be built for an
# older C library; pip tries the platforms that are named, and no other.
pip_for_torch() {
  local minor platforms=()
  for minor in $(seq 28 -1 17); do platforms+=(--platform "manylinux_2_${minor}_$(uname -m)"); done
  platforms+=(--platform "manylinux2014_$(uname -m)")
  "$venv/bin/pip" install -q --upgrade --disable-pip-version-check --only-binary :all: --implementation cp \
    --python-version 3.11 "${platforms[@]}" --target "$venv/libtorch.part" "$@" >&2
}

# Asks the package index, without fetching it, which build of torch it would give: "cpu SHA256" or
# "cuda SHA256".
offered_torch() {
  local report="$cache/torch-offered.json"
  mkdir -p "$cache"
  pip_for_torch --dry-run --no-deps --report "$report" \
    "torch==$(pinned DRAGOMAN_TORCH_VERSION)" || return 1
  "$venv/bin/python" - "$report" << 'PYTHON'
import json, sys
found = json.load(open(sys.argv[1]))["install"][0]
needs = found["metadata"].get("requires_dist", [])
cuda = any(name.startswith(("nvidia-", "cuda-", "triton")) for name in needs)
print("cuda" if cuda else "cpu", found["download_info"]["archive_info"]["hash"].split("=")[1])
PYTHON
}

# Without a GPU nobody wants 4 GB of CUDA; nobody gets it unasked.
check_offered_kind() {  # check_offered_kind KIND
  if [ "$1" = cpu ] && [ "${DRAGOMAN_TORCH:-}" = cuda ]; then
    die "DRAGOMAN_TORCH=cuda: your package index offers the build of torch for CPUs alone; name another index, or give CMAKE_PREFIX_PATH=FOLDER of a CUDA build"
  fi
  if [ "$1" = cpu ] || has_gpu || [ "${DRAGOMAN_TORCH:-}" = cuda ]; then return; fi
  say "LibTorch: there is no GPU here, and your package index offers torch with CUDA alone:"
  say "  4 GB unpacked; the build for the CPU takes 0.8 GB (0.2 GB to fetch)"
  die "choose one of
  PIP_EXTRA_INDEX_URL=ADDRESS make deps   ADDRESS: PyTorch's index of CPU builds, as its installation page
                                          gives it after --index-url for Linux, Pip, CPU
  CMAKE_PREFIX_PATH=FOLDER make deps      FOLDER: LibTorch's CPU archive, unpacked
  DRAGOMAN_TORCH=cuda make deps           take the build with CUDA all the same"
}

check_offered_sum() {  # check_offered_sum KIND SHA256
  if grep -q "sha256:$2" "third_party/torch-$1.txt" || [ "${DRAGOMAN_UNPINNED:-no}" = yes ]; then return; fi
  die "LibTorch: the $1 build of torch that your package index offers has SHA-256 $2, which third_party/torch-$1.txt does not list. If you trust this index, call: DRAGOMAN_UNPINNED=yes make deps"
}

torch_of_pip() {
  local version offer kind sum
  version=$(pinned DRAGOMAN_TORCH_VERSION)
  make_venv
  # Whole or not at all: a copy that was cut off would be taken for what was fetched before.
  rm -rf "$venv/libtorch.part"
  say "LibTorch: asking your package index for torch $version"
  offer=$(offered_torch) ||
    die "pip found no torch==$version for this processor; is there a network? Otherwise unpack LibTorch yourself and call: CMAKE_PREFIX_PATH=/path/to/libtorch make"
  kind=${offer% *}
  sum=${offer#* }
  check_offered_kind "$kind"
  check_offered_sum "$kind" "$sum"
  local what=("torch==$version")
  if [ "$kind" = cpu ]; then
    check_space . 1800 "LibTorch (unpacked 0.8 GB) and the build (0.8 GB)"
    check_space "${TMPDIR:-/tmp}" 300 "pip's download of LibTorch"
    say "LibTorch: fetching torch $version for the CPU (0.2 GB) into $venv, about a minute"
  else
    check_space . 5500 "LibTorch with CUDA (unpacked 4 GB) and the build (0.8 GB)"
    check_space "${TMPDIR:-/tmp}" 3500 "pip's download of LibTorch with CUDA"
    say "LibTorch: fetching torch $version with CUDA (unpacked 4 GB) into $venv, several minutes"
  fi
  if grep -q "sha256:$sum" "third_party/torch-$kind.txt"; then
    what=(--no-deps --require-hashes -r "third_party/torch-$kind.txt")
  elif [ "$kind" = cpu ]; then
    what=(--no-deps "torch==$version")
  fi
  pip_for_torch --progress-bar off "${what[@]}" ||
    die "pip could not install torch==$version; the lines above say why. Otherwise unpack LibTorch yourself and call: CMAKE_PREFIX_PATH=/path/to/libtorch make"
  rm -rf "$venv/libtorch"
  mv "$venv/libtorch.part" "$venv/libtorch"
  torch_of_venv
}

is_cuda_build() { [ -e "$torch_folder/lib/libtorch_cuda.so" ] || [ -e "$torch_folder/../../lib/libtorch_cuda.so" ]; }

find_torch() {
  if torch_of_prefix_path; then
    [ "${DRAGOMAN_TORCH:-}" != cuda ] || is_cuda_build ||
      die "DRAGOMAN_TORCH=cuda: the LibTorch in $torch_folder (CMAKE_PREFIX_PATH) is built for CPUs alone"
    say "LibTorch: $torch_folder (CMAKE_PREFIX_PATH)"
  elif [ "${DRAGOMAN_TORCH:-}" = python3 ]; then
    torch_of_python ||
      die "DRAGOMAN_TORCH=python3: python3 has no torch $(pinned DRAGOMAN_TORCH_MINIMUM) or newer; install one, or unset DRAGOMAN_TORCH"
    say "LibTorch: $torch_folder (torch of python3)"
  elif torch_of_venv; then
    say "LibTorch: $torch_folder (already fetched)"
  elif torch_of_pip; then
    say "LibTorch: $torch_folder"
  else
    die "LibTorch $(pinned DRAGOMAN_TORCH_MINIMUM) or newer: not found; unpack it and call: CMAKE_PREFIX_PATH=/path/to/libtorch make"
  fi
}
