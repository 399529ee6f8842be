#include "dragoman/text/subword_sampler.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/mix.h"
#include "dragoman/core/utf8.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dragoman {

namespace {

constexpr std::string_view word_begin = "\u2581";
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// Where the characters of UTF-8 begin, and the end.
std::vector<std::size_t> character_bounds(std::string_view text) {
  std::vector<std::size_t> bounds;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!utf8::is_continuation(text[i])) bounds.push_back(i);
  bounds.push_back(text.size());
  return bounds;
}

}  // namespace

struct SubwordSampler::Pieces {
  struct Plain {
    std::int32_t id;
    double score;
  };
  std::vector<std::string> texts;                     ///< by id; empty for what is not text
  std::unordered_map<std::string_view, Plain> plain;  ///< views of `texts`
  Segmentation segmentation;
  std::size_t longest = 0;  ///< bytes

  explicit Pieces(const Tokenizer& tokenizer)
      : texts(static_cast<std::size_t>(tokenizer.vocab_size())),
        segmentation(tokenizer.segmentation()) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto id = static_cast<std::int32_t>(i);
      const auto score = tokenizer.score(id);
      if (!score) continue;
      texts[i] = tokenizer.piece(id);
      plain.emplace(texts[i], Plain{id, *score});
      longest = std::max(longest, texts[i].size());
    }
  }

  const Plain* find(std::string_view text) const {
    const auto found = plain.find(text);
    return found == plain.end() ? nullptr : &found->second;
  }

  std::vector<std::int32_t> merge_some(std::string_view word, double dropout,
                                       std::mt19937_64& random) const;
  std::vector<std::int32_t> draw_path(std::string_view word, double power,
                                      std::mt19937_64& random) const;
};

/// Merges neighbours, the highest score first, as BPE does; each time each merge may be left out.
/// \return nothing if a part that is left is not a piece
std::vector<std::int32_t> SubwordSampler::Pieces::merge_some(std::string_view word, double dropout,
                                                             std::mt19937_64& random) const {
  auto bounds = character_bounds(word);
  const auto span = [&](std::size_t from, std::size_t to) {
    return find(word.substr(bounds[from], bounds[to] - bounds[from]));
  };
  for (;;) {
    std::size_t best = 0;
    double best_score = minus_infinity;
    for (std::size_t i = 0; i + 2 < bounds.size(); ++i) {
      const auto* merged = span(i, i + 2);
      if (merged == nullptr || uniform(random()) < dropout || merged->score <= best_score) continue;
      best = i + 1;
      best_score = merged->score;
    }
    if (best == 0) break;
    bounds.erase(bounds.begin() + static_cast<std::ptrdiff_t>(best));
  }
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const auto* piece = span(i, i + 1);
    if (piece == nullptr) return {};
    ids.push_back(piece->id);
  }
  return ids;
}

/// Draws a segmentation with the probability p^power / sum of all: sums forward, draws backward.
std::vector<std::int32_t> SubwordSampler::Pieces::draw_path(std::string_view word, double power,
                                                            std::mt19937_64& random) const {
  const auto bounds = character_bounds(word);
  struct Step {
    std::size_t from;
    std::int32_t id;
    double weight;  ///< log of the sum over all ways that end with this piece
  };
  std::vector<std::vector<Step>> steps(bounds.size());
  std::vector<double> sums(bounds.size(), minus_infinity);
  sums[0] = 0.0;
  for (std::size_t to = 1; to < bounds.size(); ++to) {
    double largest = minus_infinity;
    for (std::size_t from = to; from-- > 0 && bounds[to] - bounds[from] <= longest;) {
      const auto* piece = find(word.substr(bounds[from], bounds[to] - bounds[from]));
      if (piece == nullptr || sums[from] == minus_infinity) continue;
      steps[to].push_back({from, piece->id, sums[from] + power * piece->score});
      largest = std::max(largest, steps[to].back().weight);
    }
    double sum = 0.0;
    for (const auto& step : steps[to]) sum += std::exp(step.weight - largest);
    if (sum > 0.0) sums[to] = largest + std::log(sum);
  }
  std::vector<std::int32_t> ids;
  for (std::size_t at = bounds.size() - 1; at > 0;) {
    if (steps[at].empty()) return {};
    double left = uniform(random());
    auto chosen = steps[at].front();
    for (const auto& step : steps[at]) {
      chosen = step;
      left -= std::exp(step.weight - sums[at]);
      if (left < 0.0) break;
    }
    ids.push_back(chosen.id);
    at = chosen.from;
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}

SubwordSampler::SubwordSampler(const Tokenizer& tokenizer, double amount)
    : pieces_(std::make_shared<const Pieces>(tokenizer)), amount_(amount) {
  const auto kind = tokenizer.segmentation();
  if (kind != Segmentation::bpe && kind != Segmentation::unigram)
    throw OptionsError(
        "data.subword_sampling: the tokenizer has one segmentation only; choose a "
        "tokenizer of type bpe or unigram, or 0");
}

std::vector<std::int32_t> SubwordSampler::sample(std::span<const std::int32_t> ids,
                                                 std::uint64_t key) const {
  std::mt19937_64 random(key);
  std::vector<std::int32_t> sampled;
  const auto text_of = [&](std::int32_t id) -> std::string_view {
    if (id < 0 || static_cast<std::size_t>(id) >= pieces_->texts.size())
      throw ContractError(concat("SubwordSampler: id ", id, " is outside the vocabulary"));
    return pieces_->texts[static_cast<std::size_t>(id)];
  };
  for (std::size_t begin = 0; begin < ids.size();) {
    std::string word(text_of(ids[begin]));
    bool is_plain = !word.empty();
    std::size_t end = begin + 1;
    for (; is_plain && end < ids.size(); ++end) {
      const auto text = text_of(ids[end]);
      if (text.empty() || text.starts_with(word_begin)) break;
      word += text;
    }
    std::vector<std::int32_t> other;
    if (is_plain)
      other = pieces_->segmentation == Segmentation::bpe
                  ? pieces_->merge_some(word, amount_, random)
                  : pieces_->draw_path(word, amount_, random);
    if (other.empty())
      other.assign(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                   ids.begin() + static_cast<std::ptrdiff_t>(end));
    sampled.insert(sampled.end(), other.begin(), other.end());
    begin = end;
  }
  return sampled;
}

}  // namespace dragoman
