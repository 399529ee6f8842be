#include "dragoman/experiment/scored_lines.h"

#include "dragoman/metrics/bleu.h"

#include <algorithm>

namespace dragoman {

namespace {

using ScoredLines = std::vector<const ScoredLine*>;

double bleu_of(const ScoredLines& lines, BleuTokenizer tokenizer) {
  std::vector<std::string> translations, references;
  for (const auto* line : lines) {
    translations.push_back(line->translation);
    references.push_back(line->reference);
  }
  return corpus_bleu(translations, {references}, {.tokenizer = tokenizer}).score;
}

double nll_of(const ScoredLines& lines) {
  double nll = 0.0;
  std::int64_t pieces = 0;
  for (const auto* line : lines) {
    nll += line->nll;
    pieces += line->pieces;
  }
  return nll / static_cast<double>(pieces);
}

/// A measure of the lines with some numbers.
template <typename Score>
auto score_of(const ScoredLines& lines, const Score& score) {
  return [&lines, score](const std::vector<std::size_t>& numbers) {
    ScoredLines some;
    for (const auto number : numbers) some.push_back(lines[number]);
    return score(some);
  };
}

}  // namespace

std::vector<LengthBucket> length_buckets(std::span<const ScoredLine> lines,
                                         std::span<const std::int64_t> limits,
                                         BleuTokenizer tokenizer) {
  std::vector<ScoredLines> parts(limits.size() + 1);
  for (const auto& line : lines) {
    const auto bucket = std::ranges::lower_bound(limits, line.source_len) - limits.begin();
    parts[static_cast<std::size_t>(bucket)].push_back(&line);
  }
  std::vector<LengthBucket> buckets;
  for (std::size_t b = 0; b < parts.size(); ++b) {
    auto& bucket = buckets.emplace_back(LengthBucket{.first = b == 0 ? 1 : limits[b - 1] + 1,
                                                     .last = b < limits.size() ? limits[b] : 0,
                                                     .sentences = std::ssize(parts[b])});
    if (parts[b].empty()) continue;
    bucket.bleu = bleu_of(parts[b], tokenizer);
    bucket.nll = nll_of(parts[b]);
  }
  return buckets;
}

TrialRecord record_of_sides(std::span<const ScoredLine> lines, std::int64_t max_length,
                            BleuTokenizer tokenizer) {
  ScoredLines within, beyond;
  for (const auto& line : lines)
    (std::max(line.source_len, line.target_len) <= max_length ? within : beyond).push_back(&line);
  TrialRecord record;
  const auto bleu = [tokenizer](const ScoredLines& some) { return bleu_of(some, tokenizer); };
  const auto add = [&](const std::string& side, const ScoredLines& part) {
    if (part.empty()) return;
    add_test_measure("bleu_" + side, part.size(), score_of(part, bleu), record);
    add_test_measure("nll_" + side, part.size(), score_of(part, nll_of), record);
  };
  add("within", within);
  add("beyond", beyond);
  return record;
}

}  // namespace dragoman
