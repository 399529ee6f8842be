#include "dragoman/inference/short_generator.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

/// Not infinity: an ensemble subtracts logits from each other.
constexpr float no_probability = -1e30F;

}  // namespace

ShortGenerator::ShortGenerator(const PackedOutputs& generator,
                               std::shared_ptr<const Shortlist> shortlist)
    : generator_(generator), shortlist_(std::move(shortlist)) {}

void ShortGenerator::choose(Sentences sources, ForcedPrefixes prefixes) {
  const auto vocab_size = shortlist_->vocabulary.sizes.target;
  PieceSet any(vocab_size), own(vocab_size);
  tokens_.clear();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    own.clear();
    shortlist_->allow(sources[i], own);
    if (!prefixes.empty())
      for (const auto token : prefixes[i]) own.insert(token);
    any.insert_all(own);
    tokens_.push_back(own.pieces());
  }
  chose_all_ = std::ranges::all_of(
      tokens_, [&](const auto& tokens) { return std::ssize(tokens) == vocab_size; });
  if (!chose_all_) find_places(any);
}

/// \param any the pieces that any sentence may use
void ShortGenerator::find_places(const PieceSet& any) {
  const auto chosen = any.pieces();
  generator_.select(chosen, matrix_);
  std::vector<std::int32_t> place_of(static_cast<std::size_t>(shortlist_->vocabulary.sizes.target));
  for (std::size_t place = 0; place < chosen.size(); ++place)
    place_of[static_cast<std::size_t>(chosen[place])] = static_cast<std::int32_t>(place);
  places_.resize(tokens_.size());
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    places_[i].clear();
    for (const auto token : tokens_[i])
      places_[i].push_back(place_of[static_cast<std::size_t>(token)]);
    longest = std::max(longest, std::ssize(tokens_[i]));
  }
  width_ = (longest + logits_block - 1) / logits_block * logits_block;
}

void ShortGenerator::take(std::size_t sentence, const float* product, float* logits) const {
  const auto& places = places_[sentence];
  for (std::size_t i = 0; i < places.size(); ++i) logits[i] = product[places[i]];
  std::fill(logits + places.size(), logits + width_, no_probability);
}

}  // namespace dragoman
