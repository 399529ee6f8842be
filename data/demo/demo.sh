#!/usr/bin/env bash
# make demo, after the build: trains configs/demo.json, translates the unseen test set, scores the translations
# and says whether the result is what it should be; ends with 1 if it is not. The number of updates is fixed, so
# that a slow computer takes longer and gets as good. A finished training is reused; a stopped one resumes.
#
# DRAGOMAN names the program, DEMO_RUN the run folder, DEMO_SETTINGS further settings of the training
# ("train.max_steps=10"), which make another result.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=${DRAGOMAN:-build/dragoman}
run=${DEMO_RUN:-runs/demo}
settings=${DEMO_SETTINGS:-}
data=data/demo
expected_bleu=92

say() { printf '\n== %s\n' "$*"; }

finished() { [ -f "$run/train.jsonl" ] && tail -n 1 "$run/train.jsonl" | grep -q '"event":"end"'; }

train() {
  if finished; then
    say "1 of 3: training: $run is finished and reused ('rm -r $run' trains it again)"
    return
  fi
  say "1 of 3: training a Transformer on 24,000 sentence pairs: 1,500 updates,"\
    "about 4 CPU-minutes divided among the cores"
  # shellcheck disable=SC2086
  "$program" train -c configs/demo.json -o "$run" ${settings:+--set $settings}
}

translate() {
  say "2 of 3: translating 700 sentences with combinations of words that the training text lacks"
  gzip -dc "$data/test.en.gz" > "$run/test.en"
  gzip -dc "$data/test.de.gz" > "$run/test.reference.de"
  "$program" translate -m "$run" -i "$run/test.en" -o "$run/test.output.de" --beam-size 4
}

score() {  # score METRIC: the number alone
  "$program" evaluate --hypothesis "$run/test.output.de" --reference "$run/test.reference.de" --metrics "$1" |
    sed 's/^[^=]* = \([0-9.]*\).*/\1/'
}

# Some lines from the whole set: source, translation, and the reference where it differs.
samples() {
  paste "$run/test.en" "$run/test.output.de" "$run/test.reference.de" | awk -F '\t' '
    $2 == $3 { same++ }
    NR % 200 == 53 {
      printf "  %s\n  -> %s\n", $1, $2
      if ($2 != $3) printf "     (reference: %s)\n", $3
    }
    END { printf "\n  %d of %d translations equal the reference.\n", same, NR }'
}

result() {
  local bleu chrf verdict
  bleu=$(score bleu)
  chrf=$(score chrf)
  verdict=$(awk -v bleu="$bleu" -v expected="$expected_bleu" 'BEGIN { print (bleu + 0 >= expected + 0 ? "good" : "bad") }')
  say "3 of 3: the result"
  samples
  if [ "$verdict" = good ]; then
    printf '  BLEU %s, chrF2 %s: as expected (BLEU %s or more).\n' "$bleu" "$chrf" "$expected_bleu"
  else
    printf '  BLEU %s, chrF2 %s: BELOW what is expected (BLEU %s or more).\n' "$bleu" "$chrf" "$expected_bleu"
  fi
  cat << END

  translate a sentence   echo 'The old king cannot find his key.' | $program translate -m $run
  look inside            $program analyze attention -m $run 'The old king cannot find his key.'
  your own text          $program train --preset auto --train-source my.en --train-target my.de \\
                           --valid-source dev.en --valid-target dev.de -o runs/my
  the manual             app/README.md
END
  if [ "$verdict" = bad ]; then
    printf '\nThe demo did not reach its result: something is wrong with this build or these settings.\n' >&2
    printf 'Look at %s/train.jsonl; "rm -r %s" and "make demo" try again.\n' "$run" "$run" >&2
    exit 1
  fi
}

train
translate
result
