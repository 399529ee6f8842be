#!/usr/bin/env bash
# make results, one row: trains configs/CONFIG.json, averages its last CHECKPOINTS, translates the test text and
# scores it, once with each of $SEEDS. TEXT is the stem of parallel files, TEXT.en.gz and TEXT.de.gz.
# With TEACHER=RUN it is trained on that run's translations of the training text: the row CONFIG-distilled. With
# INTERPOLATE=bleu besides, on those in a beam of 8 that are closest to the given ones: the row CONFIG-interpolated.
# A stopped training resumes; a finished one is reused ('rm -r runs/CONFIG-N*' makes seed N train again).
#
# $RUNS has the training runs. $RESULTS/ROW/seed-N keeps what shows the result: the configuration, the
# records of the training, the scores with their intervals, and the translations' SHA-256, or with OUTPUTS=text the
# translations.
#
# DRAGOMAN names the program, RESULT_SETTINGS further settings of the training ("train.max_steps=10"), which make
# another result.
set -euo pipefail

usage='usage: result.sh CONFIG SOURCE TARGET TRAIN_TEXT VALID_TEXT TEST_TEXT CHECKPOINTS [OPTIONS OF evaluate]'
[ $# -ge 7 ] || { echo "$usage" >&2; exit 2; }
config=$1 source=$2 target=$3 train=$4 valid=$5 test=$6 checkpoints=$7
shift 7
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=${DRAGOMAN:-build/dragoman}
runs=${RUNS:-runs}
results=${RESULTS:-$runs/results}
settings=${RESULT_SETTINGS:-}
row=$config
training=(train)
if [ -n "${TEACHER:-}" ]; then
  row=$config-distilled
  training=(distill -m "$TEACHER" --search search.precision=int8)
  if [ -n "${INTERPOLATE:-}" ]; then
    row=$config-interpolated
    training+=(search.beam_size=8 --interpolate "$INTERPOLATE")
  fi
fi

train() {  # train RUN SEED
  # shellcheck disable=SC2086
  "$program" "${training[@]}" -c "configs/$config.json" -o "$1" --set seed="$2" $settings \
    --train-source "$train.$source.gz" --train-target "$train.$target.gz" \
    --valid-source "$valid.$source.gz" --valid-target "$valid.$target.gz"
}

keep() {  # keep RUN FOLDER: what shows the result
  mkdir -p "$2"
  sed -E 's#"[^"]*/([^"/]*\.(gz|txt))"#"\1"#' "$1/config.json" > "$2/config.json"  # the texts without their folders
  cp "$1/train.jsonl" "$1-averaged/scores.json" "$2"
  if [ "${OUTPUTS:-}" = text ]; then
    gzip -nc "$1-averaged/test.$target" > "$2/test.$target.gz"
  else
    (cd "$1-averaged" && sha256sum "test.$target") > "$2/test.$target.sha256"
  fi
}

for seed in ${SEEDS:-1}; do
  run=$runs/$row-$seed
  train "$run" "$seed"
  [ -d "$run-averaged" ] || "$program" average -m "$run" --last "$checkpoints" -o "$run-averaged"
  "$program" translate -m "$run-averaged" -i "$test.$source.gz" -o "$run-averaged/test.$target"
  "$program" evaluate --hypothesis "$run-averaged/test.$target" --reference "$test.$target.gz" --confidence --json "$@" \
    > "$run-averaged/scores.json"
  keep "$run" "$results/$row/seed-$seed"
done

for metric in BLEU chrF2 TER; do
  { grep -h -A 1 "\"name\": \"$metric\"" "$results/$row"/seed-*/scores.json || true; } |
    sed -n 's/.*"score": //p' |
    awk -v metric="$metric" -F, '{ sum += $1; printf "%s %.2f", NR == 1 ? metric ":" : ",", $1 }
      END { if (NR > 0) print (NR > 1 ? sprintf("; mean of %d seeds %.2f", NR, sum / NR) : "") }'
done
