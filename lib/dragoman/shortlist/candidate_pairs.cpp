#include "dragoman/shortlist/candidate_pairs.h"

#include "dragoman/shortlist/chunks.h"

#include <algorithm>
#include <atomic>
#include <tuple>

namespace dragoman {

namespace {

/// Counters of co-occurrence in memory at once: 512 MiB.
constexpr std::size_t counters_at_once = std::size_t{1} << 27;
constexpr std::size_t pairs_at_once = 512;

std::vector<std::int32_t> distinct(Bitext::Ids ids) {
  std::vector<std::int32_t> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  return sorted;
}

void increment(std::uint32_t& counter) {
  std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
}

/// In how many sentences each piece occurs.
struct SentenceCounts {
  std::vector<std::uint32_t> source, target;
};

SentenceCounts count_sentences(const Bitext& text, const VocabularySizes& sizes,
                               std::int64_t threads) {
  SentenceCounts counts{
      .source = std::vector<std::uint32_t>(static_cast<std::size_t>(sizes.source)),
      .target = std::vector<std::uint32_t>(static_cast<std::size_t>(sizes.target))};
  for_chunks(text.size(), pairs_at_once, threads, [&](std::size_t begin, std::size_t end) {
    for (auto i = begin; i < end; ++i) {
      for (const auto id : distinct(text.source(i)))
        increment(counts.source[static_cast<std::size_t>(id)]);
      for (const auto id : distinct(text.target(i)))
        increment(counts.target[static_cast<std::size_t>(id)]);
    }
  });
  return counts;
}

/// How often the source pieces from `first` to `last` - 1 occur with each target piece.
/// \param together [last - first, target pieces], added to
void count_together(const Bitext& text, std::size_t first, std::size_t last,
                    std::size_t target_pieces, std::int64_t threads,
                    std::vector<std::uint32_t>& together) {
  for_chunks(text.size(), pairs_at_once, threads, [&](std::size_t begin, std::size_t end) {
    for (auto i = begin; i < end; ++i) {
      const auto targets = distinct(text.target(i));
      for (const auto id : distinct(text.source(i))) {
        const auto source = static_cast<std::size_t>(id);
        if (source < first || source >= last) continue;
        auto* row = together.data() + (source - first) * target_pieces;
        for (const auto target : targets) increment(row[target]);
      }
    }
  });
}

/// The target pieces most strongly associated with a source piece, ascending.
/// \param together how often each target piece occurs with it
std::vector<std::int32_t> best_partners(std::span<const std::uint32_t> together,
                                        std::uint32_t sentences,
                                        const std::vector<std::uint32_t>& target_sentences) {
  std::vector<std::int32_t> partners;
  for (std::size_t t = 0; t < together.size(); ++t)
    if (together[t] > 0) partners.push_back(static_cast<std::int32_t>(t));
  if (partners.size() <= CandidatePairs::most_of_source) return partners;
  const auto rank = [&](std::int32_t target) {
    const auto t = static_cast<std::size_t>(target);
    const auto dice = static_cast<double>(together[t]) /
                      (static_cast<double>(sentences) + static_cast<double>(target_sentences[t]));
    return std::tuple(-dice, target);
  };
  const auto last = partners.begin() + static_cast<std::ptrdiff_t>(CandidatePairs::most_of_source);
  std::nth_element(partners.begin(), last, partners.end(),
                   [&](std::int32_t a, std::int32_t b) { return rank(a) < rank(b); });
  partners.erase(last, partners.end());
  std::ranges::sort(partners);
  return partners;
}

}  // namespace

CandidatePairs::CandidatePairs(const Bitext& text, const VocabularySizes& sizes,
                               std::int64_t threads)
    : offsets_{0} {
  const auto sources = static_cast<std::size_t>(sizes.source);
  const auto target_pieces = static_cast<std::size_t>(sizes.target);
  const auto sentences = count_sentences(text, sizes, threads);
  const auto at_once = std::max<std::size_t>(1, counters_at_once / target_pieces);
  std::vector<std::uint32_t> together;
  for (std::size_t first = 0; first < sources; first += at_once) {
    const auto last = std::min(first + at_once, sources);
    together.assign((last - first) * target_pieces, 0);
    count_together(text, first, last, target_pieces, threads, together);
    std::vector<std::vector<std::int32_t>> partners(last - first);
    for_chunks(partners.size(), 16, threads, [&](std::size_t begin, std::size_t end) {
      for (auto i = begin; i < end; ++i)
        partners[i] = best_partners(std::span(together).subspan(i * target_pieces, target_pieces),
                                    sentences.source[first + i], sentences.target);
    });
    for (const auto& of_source : partners) {
      targets_.insert(targets_.end(), of_source.begin(), of_source.end());
      offsets_.push_back(targets_.size());
    }
  }
}

void CandidatePairs::find(Bitext::Ids source, Bitext::Ids target,
                          std::vector<std::uint32_t>& indices) const {
  indices.resize(source.size() * target.size());
  auto* index = indices.data();
  for (const auto id : source) {
    const auto* const begin = targets_.data() + offsets_[static_cast<std::size_t>(id)];
    const auto* const end = targets_.data() + offsets_[static_cast<std::size_t>(id) + 1];
    for (const auto piece : target) {
      const auto* found = std::lower_bound(begin, end, piece);
      *index++ = found == end || *found != piece
                     ? none
                     : static_cast<std::uint32_t>(found - targets_.data());
    }
  }
}

}  // namespace dragoman
