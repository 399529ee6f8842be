#include "dragoman/analysis/alignment_heads.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/analysis/word_relations.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace dragoman {

namespace {

/// How many ids stand before a text's own.
struct Prefixes {
  std::int64_t source, target;
};

/// Of one pair. \param strongest [target_len] int64, the source position at each step
AlignedSources aligned_sources(const at::Tensor& strongest, std::int64_t target_ids, bool when_read,
                               const Prefixes& prefixes) {
  const auto positions = strongest.to(at::kCPU).contiguous();
  const auto* first = positions.const_data_ptr<std::int64_t>() + (when_read ? 1 : 0);
  AlignedSources sources;
  sources.reserve(static_cast<std::size_t>(target_ids));
  for (auto j = prefixes.target; j < target_ids; ++j)
    sources.push_back(static_cast<std::int32_t>(first[j] - prefixes.source));
  return sources;
}

/// The source piece with the largest weight at each step: [batch, num_heads, target_len].
/// \param text [batch, source_len] bool: false for languages, EOS and padding
at::Tensor strongest_sources(const at::Tensor& weights, const at::Tensor& text) {
  return weights
      .masked_fill(text.logical_not().unsqueeze(1).unsqueeze(1),
                   -std::numeric_limits<float>::infinity())
      .argmax(-1);
}

std::set<std::pair<std::int64_t, std::int64_t>> as_set(const Links& links) {
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const auto& [source, target] : links) pairs.emplace(target, source);
  return pairs;
}

}  // namespace

std::vector<HeadAlignment> alignments_of_heads(const LoadedRun& run,
                                               std::span<const LinePair> pairs) {
  std::vector<HeadAlignment> all;
  const auto& options = run.model->options();
  const auto eos = run.vocabulary.source.special().eos;
  const Prefixes prefixes{.source = std::ssize(run.vocabulary.source.prefix()),
                          .target = std::ssize(run.vocabulary.target.prefix())};
  for (std::int64_t layer = 0; layer < options.decoder_layers; ++layer)
    for (const auto head : remaining_heads(options, {AttentionPart::cross, layer}))
      for (const bool when_read : {false, true})
        all.push_back({{layer, head, when_read}, std::vector<AlignedSources>(pairs.size()), 0.0});
  record_corpus(run, pairs, [&](const RecordedBatch& batch) {
    const auto lengths = batch.data.target_mask.sum(-1);
    auto text = (batch.data.source_mask & batch.data.source.ne(eos)).to(at::kCPU);
    text.narrow(1, 0, std::min(prefixes.source, text.size(1))).fill_(false);
    std::vector<at::Tensor> strongest;
    for (const auto& weights : batch.record.cross)
      strongest.push_back(strongest_sources(weights, text));
    for (auto& alignment : all)
      for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
        const auto r = static_cast<std::int64_t>(row);
        if (!text[r].any().item<bool>()) continue;
        alignment.sources[batch.pairs[row]] = aligned_sources(
            strongest[static_cast<std::size_t>(alignment.place.layer)][r][alignment.place.head],
            lengths[r].item<std::int64_t>() - 1, alignment.place.when_read, prefixes);
      }
  });
  return all;
}

Links piece_links(std::span<const std::int32_t> sources) {
  Links links;
  for (std::size_t j = 0; j < sources.size(); ++j)
    links.push_back({sources[j], static_cast<std::int64_t>(j)});
  return links;
}

Links word_links(const Links& links, std::span<const std::string> source_pieces,
                 std::span<const std::string> target_pieces) {
  const auto source = words_of(source_pieces), target = words_of(target_pieces);
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const auto& [i, j] : links)
    pairs.emplace(target[static_cast<std::size_t>(j)], source[static_cast<std::size_t>(i)]);
  Links words;
  for (const auto& [j, i] : pairs) words.push_back({i, j});
  return words;
}

double agreement(std::span<const Links> links, std::span<const Links> gold) {
  std::size_t common = 0, all = 0;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const auto found = as_set(links[k]), wanted = as_set(gold[k]);
    all += found.size() + wanted.size();
    for (const auto& link : found) common += wanted.count(link);
  }
  return all > 0 ? 2.0 * static_cast<double>(common) / static_cast<double>(all) : 1.0;
}

double translation_score(std::span<const AlignedSources> sources,
                         std::span<const std::vector<std::string>> source_pieces,
                         std::span<const std::vector<std::string>> target_pieces) {
  std::map<std::string, std::map<std::string, double>> counts;
  std::map<std::string, double> totals;
  std::set<std::string> targets;
  const auto each_link = [&](std::size_t first, const auto& use) {
    for (std::size_t k = first; k < sources.size(); k += 2)
      for (std::size_t j = 0; j < sources[k].size(); ++j)
        use(source_pieces[k][static_cast<std::size_t>(sources[k][j])], target_pieces[k][j]);
  };
  each_link(0, [&](const std::string& source, const std::string& target) {
    counts[source][target] += 1.0;
    totals[source] += 1.0;
    targets.insert(target);
  });
  double sum = 0.0, number = 0.0;
  const auto classes = static_cast<double>(targets.size() + 1);
  each_link(1, [&](const std::string& source, const std::string& target) {
    sum += std::log((counts[source][target] + 1.0) / (totals[source] + classes));
    number += 1.0;
  });
  return number > 0.0 ? sum / number : 0.0;
}

std::string pharaoh_text(const Links& links) {
  std::string text;
  for (const auto& [source, target] : links) {
    if (!text.empty()) text += ' ';
    text += concat(source, '-', target);
  }
  return text;
}

std::optional<AlignmentLink> link_of(std::string_view text) {
  AlignmentLink link;
  const auto* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, link.source);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, link.target);
  const bool is_link = second.ec == std::errc() && second.ptr == end;
  return is_link && link.source >= 0 && link.target >= 0 ? std::optional(link) : std::nullopt;
}

Links read_pharaoh(const std::string& line, const std::string& place) {
  Links links;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto link = link_of(word);
    if (!link)
      throw FormatError(concat(place, ": \"", word, "\" is not a link; write I-J, both from 0"));
    links.push_back(*link);
  }
  return links;
}

}  // namespace dragoman
