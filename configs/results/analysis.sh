#!/usr/bin/env bash
# What tutorials say about attention, looked up in a trained English-German model. FOLDER gets heads.txt (what each
# head and layer attends to), alignment.txt (words that the best head joins), sentences.txt (the tutorials' sentences)
# and explanation.txt (whether attention explains predictions). TEXT is the stem of held-out parallel files,
# TEXT.en.gz and TEXT.de.gz; DRAGOMAN names the program.
set -euo pipefail

[ $# -eq 3 ] || { echo 'usage: analysis.sh RUN TEXT FOLDER' >&2; exit 2; }
run=$1 source=$2.en.gz target=$2.de.gz folder=$3
program=${DRAGOMAN:-$(dirname "${BASH_SOURCE[0]}")/../../build/dragoman}
pairs=500 shown=20

analyze() { "$program" analyze "$@" --log warning; }

mkdir -p "$folder"
analyze heads -m "$run" --source "$source" --target "$target" --limit $pairs > "$folder/heads.txt"
analyze sentences -m "$run" > "$folder/sentences.txt"
analyze explanation -m "$run" --source "$source" --target "$target" --limit $pairs > "$folder/explanation.txt"

aligned() { analyze alignment -m "$run" --source "$source" --target "$target" --limit $pairs "$@"; }
first() { sed -n "1,$1p"; }  # lines; reads all of them
{
  aligned --all-heads | first 5
  paste <(gzip -dc "$source" | first $shown) <(gzip -dc "$target" | first $shown) <(aligned | first $shown) |
    awk -F '\t' '{
      split($1, from, " "); split($2, to, " "); count = split($3, links, " "); joined = ""
      for (k = 1; k <= count; ++k) {
        split(links[k], pair, "-")
        joined = joined (k > 1 ? ", " : "") from[pair[1] + 1] " - " to[pair[2] + 1]
      }
      print "\n" $1 "\n" $2 "\n  " joined
    }'
} > "$folder/alignment.txt"
