#include "dragoman/analysis/word_relations.h"

#include "dragoman/analysis/alignment_heads.h"
#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/text/text_file.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>

namespace dragoman {

namespace {

/// "1-0:determiner-noun"
WordPair word_pair_of(const std::string& text, const std::string& place) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto words = link_of(std::string_view(text).substr(0, colon));
  if (!words || colon + 1 >= text.size())
    throw FormatError(
        concat(place, ": \"", text, "\" is not a pair of words; write I-J:RELATION, words from 0"));
  return {.from = words->source, .to = words->target, .relation = text.substr(colon + 1)};
}

/// The positions of one word. \param prefix ids before the text's own
std::vector<std::int64_t> positions_of_word(const std::vector<std::int64_t>& words,
                                            std::int64_t word, std::int64_t prefix,
                                            std::size_t sentence) {
  std::vector<std::int64_t> pieces;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) pieces.push_back(prefix + static_cast<std::int64_t>(i));
  if (pieces.empty())
    throw DataError(concat("sentence ", sentence + 1, ": has no word ", word,
                           "; words are separated by spaces and counted from 0"));
  return pieces;
}

/// Adds one pair's weights. \param layers of one sentence, [num_heads, len, len] each
void add_pair(RelationReport& report, const std::vector<at::Tensor>& layers,
              const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  report.pairs += 1;
  report.chance += static_cast<double>(to.size()) / static_cast<double>(layers.front().size(-1));
  report.shares.resize(layers.size());
  const auto keys = at::tensor(to, at::kLong);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const auto weights = layers[layer].select(1, from.back()).index_select(-1, keys).sum(-1);
    auto& heads = report.shares[layer];
    heads.resize(static_cast<std::size_t>(weights.size(0)));
    for (std::size_t h = 0; h < heads.size(); ++h)
      heads[h] += weights[static_cast<std::int64_t>(h)].item<double>();
  }
}

}  // namespace

std::vector<std::int64_t> words_of(std::span<const std::string> pieces) {
  constexpr std::string_view blank = "\u2581";
  std::vector<std::int64_t> words;
  std::int64_t word = -1;
  for (const auto& piece : pieces) {
    if (word < 0 || piece.starts_with(blank)) ++word;
    words.push_back(word);
  }
  return words;
}

std::vector<std::vector<WordPair>> read_word_pairs(const std::filesystem::path& file) {
  std::vector<std::vector<WordPair>> sentences;
  auto reader = open_text(file.string(), LineUse::scoring);
  while (const auto line = reader.next()) {
    const auto place = concat(reader.place(), ": line ", line->number);
    auto& pairs = sentences.emplace_back();
    std::istringstream words(line->text);
    for (std::string word; words >> word;) pairs.push_back(word_pair_of(word, place));
  }
  return sentences;
}

std::vector<RelationReport> relation_shares(const LoadedRun& run,
                                            std::span<const LinePair> sentences,
                                            std::span<const std::vector<WordPair>> relations) {
  expect_attention(run.options.model, AttentionPart::encoder);
  if (sentences.size() != relations.size())
    throw DataError(concat("word pairs: ", relations.size(), " lines for ", sentences.size(),
                           " sentences; give one for each"));
  const auto prefix = std::ssize(run.vocabulary.source.prefix());
  std::map<std::string, RelationReport> by_name;
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    if (relations[s].empty()) continue;
    const auto words = words_of(text_pieces(run.vocabulary.source, sentences[s].source));
    record_corpus(run, sentences.subspan(s, 1), [&](const RecordedBatch& batch) {
      std::vector<at::Tensor> layers;
      for (const auto& weights : batch.record.encoder_self) layers.push_back(weights[0]);
      for (const auto& pair : relations[s])
        add_pair(by_name[pair.relation], layers, positions_of_word(words, pair.from, prefix, s),
                 positions_of_word(words, pair.to, prefix, s));
    });
  }
  std::vector<RelationReport> reports;
  for (auto& [name, report] : by_name) {
    report.relation = name;
    const auto pairs = static_cast<double>(report.pairs);
    report.chance /= pairs;
    for (std::size_t layer = 0; layer < report.shares.size(); ++layer) {
      std::vector<double> shares(report.shares[layer].size(),
                                 std::numeric_limits<double>::quiet_NaN());
      for (const auto head : remaining_heads(
               run.options.model, {AttentionPart::encoder, static_cast<std::int64_t>(layer)}))
        shares[static_cast<std::size_t>(head)] =
            report.shares[layer][static_cast<std::size_t>(head)] / pairs;
      report.shares[layer] = std::move(shares);
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

namespace {

/// NaN if all are.
double largest_share(const std::vector<double>& shares) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const double share : shares) largest = std::fmax(largest, share);
  return largest;
}

}  // namespace

std::vector<double> relation_weights(std::span<const RelationReport> reports) {
  std::vector<double> weights;
  double pairs = 0.0;
  for (const auto& report : reports) {
    weights.resize(report.shares.size());
    pairs += static_cast<double>(report.pairs);
    for (std::size_t layer = 0; layer < weights.size(); ++layer)
      weights[layer] +=
          static_cast<double>(report.pairs) * (largest_share(report.shares[layer]) - report.chance);
  }
  for (auto& weight : weights) weight /= pairs;
  return weights;
}

}  // namespace dragoman
