#!/usr/bin/env bash
# Formats the C++ sources as .clang-format says; with --check it changes nothing and fails if a file
# differs. Versions of clang-format disagree: where the pinned one is not installed, pip fetches it.
# Called by make format and make check-format.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'format: %s\n' "$*" >&2; }
die() { printf 'format: error: %s\n' "$*" >&2; exit 1; }

version=$(sed -n 's/^clang-format==\([0-9.]*\).*/\1/p' third_party/clang-format.txt)
venv=.venv

is_pinned() { [[ "$("$1" --version 2> /dev/null)" == *" $version"* ]]; }

find_formatter() {
  for formatter in clang-format "clang-format-${version%%.*}" "$venv/bin/clang-format"; do
    if is_pinned "$formatter"; then return; fi
  done
  say "fetching clang-format $version with pip into $venv (2 MB)"
  [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || die "python3 -m venv $venv failed; see the lines above"
  "$venv/bin/pip" install -q --disable-pip-version-check --require-hashes -r third_party/clang-format.txt ||
    die "pip could not fetch clang-format; is there a network? Or install clang-format $version yourself"
}

case ${1:-} in
  '') mode=(-i) ;;
  --check) mode=(--dry-run -Werror) ;;
  *) die "$1: unknown; use --check or nothing" ;;
esac
find_formatter
find app data lib tests \( -name '*.cpp' -o -name '*.h' \) -print0 |
  xargs -0 "$formatter" "${mode[@]}" || die "these files are not formatted; call 'make format'"
