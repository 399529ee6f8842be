#!/usr/bin/env bash
# The table of speed: this program by turns with others on the same machine, and their ratio.
#   side_by_side.sh PROGRAM [RUN_DIR]
# RUN_DIR is a trained run to translate with. DATA names the folder with multi30k (data/corpora);
# DRAGOMAN_PYTHON a python with torch, sentencepiece, sacrebleu, numpy and ctranslate2; PAIRS (3)
# and SECONDS_EACH (20) say how often and how long. What is missing is said and left out.
# With KEEP=FILE, the figures of all pairs are added to FILE, a JSON object on a line for each row.
set -euo pipefail
program=$1 run=${2:-}
peers=$(cd "$(dirname "${BASH_SOURCE[0]}")/peers" && pwd)
multi30k=${DATA:-data/corpora}/multi30k python=${DRAGOMAN_PYTHON:-python3}
pairs=${PAIRS:-3} seconds=${SECONDS_EACH:-20}
work=$(mktemp -d)
trap '[ $? = 0 ] || tail -n 5 "$work/log" >&2 || true; rm -rf "$work"' EXIT

not_run() { echo "not run: $1: $2"; }
has() { "$python" -c "import $1" 2> "$work/why"; }
# The number behind a key of a JSON object on stdin.
number() { grep -o "\"$1\": *[0-9.]*" | tail -n 1 | sed 's/.*: *//'; }

# row NAME FUNCTION ARGUMENTS --- FUNCTION ARGUMENTS: ours and theirs by turns; each prints a figure.
row() {
  local name=$1 ours=() theirs=() figures=() ratios=() a b
  shift
  while [ "$1" != --- ]; do ours+=("$1"); shift; done
  shift
  theirs=("$@")
  for _ in $(seq "$pairs"); do
    a=$("${ours[@]}")  # on lines of their own: a failure ends the script
    b=$("${theirs[@]}")
    figures+=("[$a,$b]")
    ratios+=("$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.2f", a / b }')")
  done
  printf '%-52s ratio %s (%s), last pair %s and %s\n' "$name" \
    "$(printf '%s\n' "${ratios[@]}" | sort -n | sed -n "$(((pairs + 1) / 2))p")" "${ratios[*]}" "$a" "$b"
  [ -z "${KEEP:-}" ] || printf '{"row":"%s","pairs":[%s],%s}\n' "$name" "$(IFS=,; echo "${figures[*]}")" \
    "$(conditions)" >> "$KEEP"
}

# When, where and with which versions a row was measured, as members of a JSON object.
conditions() {
  local others
  others=$("$python" -c 'import importlib.metadata as m
found = {d.name: d.version for d in m.distributions()}
print(", ".join(n + " " + found[n] for n in ("torch", "ctranslate2") if n in found))')
  printf '"date":"%s","program":"%s","others":"%s","kernels":"%s"' "$(date -I)" \
    "$("$program" --version | head -n 1)" "$others" "$("$program" --version | sed -n 's/^kernels: //p')"
}

train_here() {
  "$program" bench train --preset "$1" --source "$work/train.en" --target "$work/train.de" --seconds "$seconds" --json \
    --set train.precision="$2" train.batch_tokens=4096 model.dropout=0.1 model.attention_dropout=0 \
    model.activation_dropout=0 model.layer_norm_eps=1e-6 tokenizer.vocab_size=8000 2> "$work/log" |
    number target_tokens_per_second
}
train_pytorch() { peer train_torch.py --config "$1" --seconds "$seconds" | number tgt_tok_s; }

translate_here() {  # TYPE BEAM [OPTION...]
  local type=$1 beam=$2
  shift 2
  "$program" bench translate -m "$run" --source "$work/test_2016_flickr.en" --seconds "$seconds" --json \
    --set search.precision="$type" search.beam_size="$beam" search.length_penalty=0.6 search.batch_tokens=512 "$@" \
    2> "$work/log" | number sentences_per_second
}
translate_ctranslate2() {  # TYPE BEAM [OPTION...]
  local type=$1 beam=$2
  shift 2
  peer bench_ct2.py "$work/ct2" --type "$type" --beam "$beam" --batch 64 --inter 2 --intra 1 "$@" | number sent_s
}

# Makes $run and $work/ct2 the model `base` after one update, on the vocabulary that the others train with.
use_base() {
  local side
  [ -e "$work/prepared.model" ] || cp "$work/sp.model" "$work/prepared.model"
  for side in en de; do [ -e "$work/train.$side" ] || gzip -cd "$multi30k/train.$side.gz" > "$work/train.$side"; done
  "$program" train --preset base --train-source "$work/train.en" --train-target "$work/train.de" -o "$work/base" \
    --tokenizer "$work/prepared.model" \
    --set train.max_steps=1 train.batch_tokens=1024 2> "$work/log" > "$work/log"
  run=$work/base
  rm -rf "$work/ct2"
  use_run
}

# What CTranslate2 translates with: the weights of $run, and its pieces of the text.
use_run() {
  "$program" convert --to ctranslate2 "$run" -o "$work/ct2" 2> "$work/log" > "$work/log"
  "$program" tokenize encode -m "$run" -i "$work/test_2016_flickr.en" -o "$work/test_2016_flickr.sp.en" 2> "$work/log"
  cp "$work/ct2/tokenizer.model" "$work/sp.model"
}

decode_pytorch() { peer decode_torch.py --model "$work/base.pt" --force | number sent_s; }

on_one_core() { (taskset -pc 0 "$BASHPID" > "$work/log" && "$@"); }
one_by_one_ctranslate2() { peer bench_ct2.py "$work/ct2" --type "$1" --beam 4 --batch 1 --inter 1 --intra 1 --reps 1 | number sent_s; }

peer() {  # SCRIPT ARGUMENTS
  local script=$1
  shift
  PEERS_DATA=$work PYTHONDONTWRITEBYTECODE=1 "$python" "$peers/$script" "$@" 2> "$work/log"
}

if [ ! -e "$multi30k/train.en.gz" ]; then
  not_run "all comparisons" "$multi30k/train.en.gz is missing; 'make corpora' fetches it"
  "$program" bench train --preset tiny --seconds "$seconds"
  "$program" bench translate --preset tiny --seconds "$seconds"
  exit
fi

if has torch && has sentencepiece; then
  peer prep.py "$multi30k" "$work" > "$work/prepared"
  cp "$work/sp.model" "$work/prepared.model"
  row "training tiny, float32 / PyTorch float32" train_here tiny float32 --- train_pytorch tiny
  row "training base, float32 / PyTorch float32" train_here base float32 --- train_pytorch base
  if "$program" --version | grep -q "bf16 [A-Z0-9-]* bf16"; then
    row "training base, bf16 / PyTorch float32" train_here base bf16 --- train_pytorch base
  else
    not_run "training base, bf16" "this processor has no instructions for it"
  fi
  [ -z "$run" ] || peer train_torch.py --config base --seconds 1 --warm 1 --save "$work/base.pt" > "$work/saved"
else
  not_run "training beside PyTorch" "$(tail -n 1 "$work/why") (DRAGOMAN_PYTHON)"
fi

if [ -z "$run" ]; then
  not_run "translation beside CTranslate2" "no trained run was named"
elif ! has ctranslate2 || ! has sacrebleu || ! has sentencepiece; then
  not_run "translation beside CTranslate2" "$(tail -n 1 "$work/why") (DRAGOMAN_PYTHON)"
else
  for side in en de; do gzip -cd "$multi30k/test_2016_flickr.$side.gz" > "$work/test_2016_flickr.$side"; done
  use_run
  row "translating, beam 4, float32 / CTranslate2 float32" translate_here float32 4 --- translate_ctranslate2 float32 4
  row "translating, beam 4, int8 / CTranslate2 int8" translate_here int8 4 --- translate_ctranslate2 int8 4
  # This program's search ends when no better hypothesis can come; CTranslate2's earlier.
  row "the same, by the rules of CTranslate2's search" translate_here int8 4 search.early_stopping=beam \
    search.strict_beam=true search.length_penalty_kind=power --- translate_ctranslate2 int8 4
  row "translating, beam 1, int8 / CTranslate2 int8" translate_here int8 1 --- translate_ctranslate2 int8 1
  for type in float32 int8; do
    row "one sentence at a time, one core, $type / CTranslate2" on_one_core translate_here $type 4 search.batch_tokens=1 \
      --- on_one_core one_by_one_ctranslate2 $type
  done
  use_base
  row "translating with base, beam 4, int8, 15 pieces each / CTranslate2" translate_here int8 4 search.max_length=15 \
    search.early_stopping=beam search.strict_beam=true search.length_penalty_kind=power \
    --- translate_ctranslate2 int8 4 --force --reps 1
  if [ -e "$work/base.pt" ]; then
    row "translating with base, beam 4, float32, 15 pieces each / PyTorch" translate_here float32 4 search.max_length=15 \
      search.early_stopping=beam search.strict_beam=true search.length_penalty_kind=power --- decode_pytorch
  fi
fi
