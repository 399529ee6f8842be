#include "dragoman/config/option_rows.h"

namespace dragoman::options {

namespace {

Rows file_rows() {
  return {
      {"data.train_source",
       "",
       {},
       "Training text, source side: files, plain or .gz, relative to the working folder."},
      {"data.train_target",
       "",
       {},
       "Training text, target side: as many files, parallel line by line."},
      {"data.weights", "times", OptionRange{.low = 0, .high = 1000, .above = true},
       "For each pair of files, how often its pairs occur in an epoch: 2 = twice, 0.5 = a new "
       "random half in each epoch; none = all once.",
       "choose how often the file's pairs occur in an epoch"},
      {"data.source_tag",
       "",
       {},
       "For each pair of files, the language of its source, such as en: a tag in front of the text "
       "for models that translate from several languages; none = no tag."},
      {"data.target_tag",
       "",
       {},
       "For each pair of files, the language of its target, such as de: a tag in front of the "
       "source "
       "text for models that translate into several languages; none = no tag."},
      {"data.valid_source",
       "",
       {},
       "Validation text, source side, one file; empty = no validation."},
      {"data.valid_target", "", {}, "Validation text, target side."},
  };
}

}  // namespace

Rows data_rows() {
  Rows rows = file_rows();
  const Rows others = {
      {"data.max_length", "pieces", OptionRange{1, 65536},
       "Pairs with a longer side are left out."},
      {"data.max_ratio", "ratio", OptionRange{.low = 1, .high = 1e6, .or_else = 0.0},
       "Pairs whose longer side has more than this many times the pieces of the shorter are left "
       "out; 0 = none.",
       "choose a ratio such as 3, or 0 to keep all pairs"},
      {"data.drop_duplicates", "", {}, "Keep only the first of equal pairs."},
      {"data.prefetch", "updates", OptionRange{1, 1024},
       "Updates whose batches are prepared ahead of training."},
      {"data.subword_sampling", "share", OptionRange{0, 1},
       "Subword regularisation of the training text: for bpe the share of merges left out "
       "(BPE-dropout), 0.1 is usual; for unigram the power of a segmentation's probability, 0.2 to "
       "0.5 is usual; 0 = off. Batches exceed train.batch_tokens by the pieces that this adds.",
       "choose 0.1 for bpe, 0.2 for unigram, or 0 for one segmentation"},
      {"data.token_dropout", "share", rate,
       "Share of the tokens read by the model that are replaced by unknown.",
       "choose a share such as 0.1, or 0 to keep all tokens"},
  };
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace dragoman::options
