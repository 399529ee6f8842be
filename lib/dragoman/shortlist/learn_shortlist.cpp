#include "dragoman/shortlist/learn_shortlist.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/thread.h"
#include "dragoman/shortlist/aligner.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

/// Of a pair that is nowhere aligned; there are many less probable ones.
constexpr float least_probability = 0.001F;

/// The most frequent target pieces, as translations of EOS: every sentence has it.
std::vector<LexicalEntry> frequent_pieces(const Bitext& text, const ShortlistVocabulary& vocabulary,
                                          std::int64_t wanted) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(vocabulary.sizes.target));
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const auto id : text.target(i)) {
      ++counts[static_cast<std::size_t>(id)];
      ++all;
    }
  std::vector<LexicalEntry> entries;
  for (std::size_t id = 0; id < counts.size(); ++id)
    if (counts[id] > 0)
      entries.push_back(
          {static_cast<std::int32_t>(vocabulary.source.eos), static_cast<std::int32_t>(id),
           static_cast<float>(static_cast<double>(counts[id]) / static_cast<double>(all))});
  std::ranges::sort(entries, [&](const LexicalEntry& a, const LexicalEntry& b) {
    const auto count = [&](const LexicalEntry& entry) {
      return counts[static_cast<std::size_t>(entry.target)];
    };
    return std::tuple(count(b), a.target) < std::tuple(count(a), b.target);
  });
  if (std::ssize(entries) > wanted) entries.resize(static_cast<std::size_t>(wanted));
  return entries;
}

}  // namespace

void LearnShortlistOptions::validate() const {
  if (first < 0) throw OptionsError(concat("first ", first, ": must be at least 0"));
  if (best < 1) throw OptionsError(concat("best ", best, ": must be at least 1"));
  if (!(threshold >= 0.0 && threshold < 1.0))
    throw OptionsError(
        concat("threshold ", threshold, ": is outside [0, 1); choose at least 0 and below 1"));
  if (threads < 1) throw OptionsError(concat("threads ", threads, ": must be at least 1"));
  expect_thread_count("threads", threads);
}

Shortlist learn_shortlist(const Bitext& text, const ShortlistVocabulary& vocabulary,
                          const LearnShortlistOptions& options) {
  options.validate();
  if (text.size() == 0)
    throw DataError(concat("shortlist: there is no sentence pair of at most ", Bitext::longest_side,
                           " pieces a side; give a text with shorter lines"));
  Aligner aligner(text, vocabulary.sizes, options.threads);
  aligner.train();
  const auto links = aligner.count_links();
  const auto& pairs = aligner.pairs();
  auto entries = frequent_pieces(text, vocabulary, options.first);
  for (std::size_t s = 0; s < pairs.sources(); ++s) {
    std::uint64_t all = 0;
    for (auto k = pairs.begin_of(s); k < pairs.begin_of(s + 1); ++k) all += links[k];
    for (auto k = pairs.begin_of(s); k < pairs.begin_of(s + 1); ++k) {
      const auto share =
          links[k] == 0
              ? 0.0F
              : static_cast<float>(static_cast<double>(links[k]) / static_cast<double>(all));
      const auto probability = std::max(share, aligner.to_target().probability[k]);
      if (links[k] > 0 || probability >= least_probability)
        entries.push_back(
            {static_cast<std::int32_t>(s), pairs.target_of(k), std::min(probability, 1.0F)});
    }
  }
  return cut_down(make_shortlist(vocabulary, std::move(entries)),
                  {.best = options.best, .threshold = options.threshold});
}

}  // namespace dragoman
