#include "dragoman/run_page/run_on_text.h"

namespace dragoman {

ScoringOptions page_scoring(const RunOnText& run) {
  ScoringOptions scoring{.confidence = true};
  scoring.bleu.tokenizer = tokenizer_named(run.files.options.train.bleu_tokenizer_name());
  return scoring;
}

}  // namespace dragoman
