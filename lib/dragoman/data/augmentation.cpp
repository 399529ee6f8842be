#include "dragoman/data/augmentation.h"

#include "dragoman/core/mix.h"
#include "dragoman/text/language_tags.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

/// \param max_length with EOS
void change(std::vector<std::int32_t>& ids, const SubwordSampler& sampler, std::int64_t max_length,
            std::uint64_t key) {
  auto other = sampler.sample(ids, key);
  if (std::ssize(other) <= max_length) ids = std::move(other);
}

}  // namespace

Augmentation::Side::Side(const Tokenizer& tokenizer)
    : special(tokenizer.special()), languages(language_tokens(tokenizer)) {}

void Augmentation::Side::drop(at::Tensor& ids, double share, std::uint64_t key) const {
  auto* id = ids.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < ids.numel(); ++i) {
    const double draw = uniform(mix(key, static_cast<std::uint64_t>(i)));
    const bool is_special = id[i] == special.pad || id[i] == special.bos || id[i] == special.eos ||
                            std::ranges::find(languages, id[i]) != languages.end();
    if (draw < share && !is_special) id[i] = special.unk;
  }
}

Augmentation::Augmentation(const Vocabulary& vocabulary, const DataOptions& options)
    : source_(vocabulary.source),
      target_(vocabulary.target),
      max_length_(options.max_length),
      ends_sources_(vocabulary.source.ends_sources()),
      token_dropout_(options.token_dropout) {
  if (options.subword_sampling == 0.0) return;
  source_sampler_.emplace(vocabulary.source, options.subword_sampling);
  target_sampler_.emplace(vocabulary.target, options.subword_sampling);
}

void Augmentation::change_pieces(Example& example, std::uint64_t key) const {
  if (!source_sampler_) return;
  // `max_length_` is without EOS.
  change(example.source_ids, *source_sampler_, max_length_ + (ends_sources_ ? 1 : 0), mix(key, 0));
  change(example.target_ids, *target_sampler_, max_length_ + 1, mix(key, 1));
}

void Augmentation::drop_tokens(Batch& batch, std::uint64_t key) const {
  if (token_dropout_ == 0.0) return;
  source_.drop(batch.source, token_dropout_, mix(key, 0));
  target_.drop(batch.target_input, token_dropout_, mix(key, 1));
}

}  // namespace dragoman
