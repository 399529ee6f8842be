#!/usr/bin/env bash
# Translation quality for the same processor time: this program, PyTorch and JoeyNMT train the same Transformer on the
# same pieces, each on one thread until it has used MINUTES (20) of processor time, and translate the same test text.
#   same_time.sh PROGRAM TRAIN VALID TEST
# TRAIN, VALID and TEST are stems of English and German text: TRAIN.en.gz and TRAIN.de.gz.
# SIZE is tiny, or mini: 2 + 2 layers, d_model 64, d_ff 128, 2,000 pieces.
# DRAGOMAN_PYTHON names a python with torch, sentencepiece, sacrebleu and numpy, JOEYNMT_PYTHON one with joeynmt.
set -euo pipefail
program=$(realpath "$1") train=$2 valid=$3 test=$4
peers=$(cd "$(dirname "${BASH_SOURCE[0]}")/peers" && pwd)
python=${DRAGOMAN_PYTHON:-python3} joeynmt=${JOEYNMT_PYTHON:-python3} minutes=${MINUTES:-20} size=${SIZE:-tiny}
layers=4 width=128 inner=256 pieces=8000
if [ "$size" = mini ]; then layers=2 width=64 inner=128 pieces=2000; fi
work=$(mktemp -d)
trap '[ $? = 0 ] || tail -n 5 "$work"/*.log >&2 || true; rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PEERS_DATA=$work/data

# limited LOG COMMAND...: interrupts the command once its processor time is used up; it saves what it has.
limited() {
  local log=$1 ticks utime stime
  shift
  env --default-signal=INT "$@" > "$log" 2>&1 & # a shell makes its background ignore SIGINT
  ticks=$(($(getconf CLK_TCK) * 60 * minutes))
  while sleep 1 && read -r _ _ _ _ _ _ _ _ _ _ _ _ _ utime stime _ 2> /dev/null < "/proc/$!/stat"; do
    [ $((utime + stime)) -lt "$ticks" ] || { kill -INT $!; break; }
  done
  wait $! || [ $? = 130 ]
}

score() {  # score NAME UPDATES TRANSLATION
  echo "$1, $2 updates: $("$program" evaluate --hypothesis "$3" --reference "$PEERS_DATA/test_2016_flickr.de" --metrics bleu --log error)"
}

mkdir "$work/raw" # by the names that prep.py reads
for side in en de; do
  ln -s "$(realpath "$train.$side.gz")" "$work/raw/train.$side.gz"
  ln -s "$(realpath "$valid.$side.gz")" "$work/raw/val.$side.gz"
  ln -s "$(realpath "$test.$side.gz")" "$work/raw/test_2016_flickr.$side.gz"
done
"$python" "$peers/prep.py" "$work/raw" "$PEERS_DATA" "$pieces" > "$work/prep.log" 2>&1

limited "$work/dragoman.log" "$program" train --preset tiny --tokenizer "$PEERS_DATA/sp.model" -o "$work/run" \
  --train-source "$PEERS_DATA/train.en" --train-target "$PEERS_DATA/train.de" \
  --valid-source "$PEERS_DATA/val.en" --valid-target "$PEERS_DATA/val.de" \
  --set train.workers=1 train.precision=float32 train.batch_tokens=4096 train.warmup_steps=1000 train.max_steps=1000000 \
  train.validate_every=1000000 train.checkpoint_every=1000000 model.dropout=0.1 \
  model.encoder_layers="$layers" model.decoder_layers="$layers" model.d_model="$width" model.d_ff="$inner"
"$program" translate -m "$work/run" -i "$PEERS_DATA/test_2016_flickr.en" -o "$work/dragoman.txt" --log error
score dragoman "$(grep -o 'step [0-9]*' "$work/dragoman.log" | tail -n 1 | tr -dc 0-9)" "$work/dragoman.txt"

limited "$work/pytorch.log" "$python" "$peers/train_torch.py" --config "$size" --threads 1 --seconds 1e9 --warm 0 \
  --warmup 1000 --save "$work/pytorch.pt"
"$python" "$peers/decode_torch.py" --model "$work/pytorch.pt" --limit 1000000 --out "$work/pytorch.txt" > "$work/decode.log" 2>&1
score PyTorch "$(sed -n 's/.*"updates": \([0-9]*\).*/\1/p' "$work/pytorch.log")" "$work/pytorch.txt"

sed "s|WORK|$work|; s|DATA|$PEERS_DATA|; s|LAYERS|$layers|; s|WIDTH|$width|; s|INNER|$inner|" "$peers/joeynmt.yaml" > "$work/joeynmt.yaml"
limited "$work/joeynmt.log" "$joeynmt" -m joeynmt train "$work/joeynmt.yaml" --skip-test
"$joeynmt" -m joeynmt translate "$work/joeynmt.yaml" < "$PEERS_DATA/test_2016_flickr.en" > "$work/joeynmt.txt" 2> "$work/joeynmt-test.log"
score JoeyNMT "$(sed -n 's/.*step \([0-9]*\)\.$/\1/p' "$work/joeynmt.log" | tail -n 1)" "$work/joeynmt.txt"
