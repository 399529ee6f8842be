#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/data/batch.h"
#include "dragoman/text/subword_sampler.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dragoman {

/// Varies training examples each time they are read, as regularisation: other pieces for the same
/// text, and masked tokens. Everything is determined by the keys.
class Augmentation {
 public:
  /// \throws OptionsError as `SubwordSampler` does
  Augmentation(const Vocabulary& vocabulary, const DataOptions& options);

  /// `data.subword_sampling`. A side that would exceed `data.max_length` is left unchanged.
  void change_pieces(Example& example, std::uint64_t key) const;

  /// `data.token_dropout`: tokens of `source` and `target_input` become unknown; the tokens to be
  /// predicted are left unchanged, as are BOS, EOS, padding and languages.
  void drop_tokens(Batch& batch, std::uint64_t key) const;

 private:
  /// Ids that tokens may be dropped from, and the unknown one.
  struct Side {
    explicit Side(const Tokenizer& tokenizer);
    void drop(at::Tensor& ids, double share, std::uint64_t key) const;

    SpecialIds special;
    std::vector<std::int32_t> languages;
  };
  Side source_, target_;
  std::optional<SubwordSampler> source_sampler_;
  std::optional<SubwordSampler> target_sampler_;
  std::int64_t max_length_;
  bool ends_sources_;
  double token_dropout_;
};

}  // namespace dragoman
