#!/usr/bin/env bash
# make demo, after the build: trains configs/demo.json (3 minutes at most), translates the test set
# and shows what came out. A finished training is not repeated; one that was stopped goes on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=build/dragoman
run=runs/demo
data=data/demo
rows=${DEMO_ROWS:-12}

say() { printf '\n== %s\n' "$*"; }

finished() { [ -f "$run/train.jsonl" ] && tail -n 1 "$run/train.jsonl" | grep -q '"event":"end"'; }

train() {
  if finished; then
    say "Training: $run is finished and reused (rm -r $run trains again)"
    return
  fi
  say "Training a Transformer on $data (24,000 pairs), 3 minutes at most"
  "$program" train -c configs/demo.json -o "$run"
}

translate() {
  say "Translating $data/test.en.gz: 700 sentences with unseen combinations, beam 4"
  gzip -dc "$data/test.en.gz" > "$run/test.en"
  gzip -dc "$data/test.de.gz" > "$run/test.reference.de"
  "$program" translate -m "$run" -i "$run/test.en" -o "$run/test.output.de" --beam-size 4
}

# Some lines from the whole set: source, translation, reference where it differs.
table() {
  say "Some translations (ok = as the reference)"
  paste "$run/test.en" "$run/test.output.de" "$run/test.reference.de" | awk -F '\t' -v rows="$rows" '
    (NR - 1) % int(700 / rows) == 0 && shown < rows {
      shown++
      printf "%s\n  %s %s\n", $1, ($2 == $3 ? "ok " : "-->"), $2
      if ($2 != $3) printf "  ref %s\n", $3
    }
    $2 == $3 { same++ }
    END { printf "\n%d of %d sentences as the reference\n", same, NR }'
}

score() {
  say "Scores on the unseen test set"
  "$program" evaluate --hypothesis "$run/test.output.de" --reference "$run/test.reference.de" \
    --metrics bleu,chrf
}

farewell() {
  say "Where everything lies"
  cat << END
$run/                  the run: configuration, train.jsonl, checkpoints
$run/test.output.de    the translations; test.en and test.reference.de beside them
$data/README.md        what the corpus is

Translate a sentence:
  echo 'The old king cannot find his key.' | $program translate -m $run
Train on your own text, one sentence a line:
  $program train --preset small --train-source my.en --train-target my.de \\
    --valid-source dev.en --valid-target dev.de -o runs/my
END
}

train
translate
table
score
farewell
