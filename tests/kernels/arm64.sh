#!/usr/bin/env bash
# The products of arm64 on another computer: compiles them with their test, and runs it in qemu-user as on processors
# with bf16 and i8mm, with the dot product, and with neither. Where that is not installed it ends with 4 (skipped).
# arm64.sh FOLDER CATCH2_VERSION      FOLDER: of the build, for the objects
set -euo pipefail
objects=$1/arm64_kernels
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() { printf 'skipped: %s\n' "$1" >&2; exit 4; }
compiler=(aarch64-linux-gnu-g++)
for program in "${compiler[0]}" qemu-aarch64; do
  command -v $program > /dev/null || skip "$program is not installed"
done
case $2 in 2.*) ;; *) skip "Catch2 $2 is no longer headers alone" ;; esac
if command -v ccache > /dev/null; then compiler=(ccache "${compiler[@]}"); fi

mkdir -p "$objects"
compile() {  # compile FILE OPTIONS...
  local object=$objects/${1##*/}.o
  "${compiler[@]}" -std=c++20 -I lib -I tests -Wall -Wextra -Wshadow -Wconversion -Wno-psabi -Werror "${@:2}" -c "$1" -o "$object"
  linked+=("$object")
}
linked=()
products=(-O3 -ffp-contract=off)
for name in packed_kernel packed_plain packed_avx2 packed_rows beam_attention cached_attention \
    sparse_products; do
  compile lib/dragoman/kernels/$name.cpp "${products[@]}"
done
while read -r name option; do
  compile "lib/dragoman/kernels/packed_$name.cpp" "${products[@]}" "$option"
done < <(grep -o 'neon_[a-z0-9]* -march=[^"]*' lib/dragoman/kernels/CMakeLists.txt)
compile lib/dragoman/core/simd.cpp -O1
for name in beam_attention cached_attention instruction_sets packed_loops packed_rows \
    sparse_products; do
  compile tests/kernels/${name}_test.cpp -O1
done
compile tests/support/main.cpp -O0
"${compiler[@]}" "${linked[@]}" -o "$objects/test"

as() {  # as PROCESSOR INT8 BF16: the instruction sets that must be chosen there
  echo "as $1:"
  EXPECTED_INT8=$2 EXPECTED_BF16=$3 qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu "$1" "$objects/test"
}
as max 'NEON i8mm' 'NEON bf16'
as neoverse-n1 'NEON dot product' NEON
as cortex-a72 NEON NEON
