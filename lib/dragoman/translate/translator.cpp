#include "dragoman/translate/translator.h"

#include "dragoman/core/error.h"
#include "dragoman/core/thread.h"
#include "dragoman/model/pack_weights.h"
#include "dragoman/search/ensemble.h"
#include "dragoman/search/ngram.h"
#include "dragoman/search/search.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/random_stream.h"
#include "dragoman/translate/alignment.h"
#include "dragoman/translate/length_batches.h"
#include "dragoman/translate/padding.h"
#include "dragoman/translate/source_line.h"
#include "dragoman/translate/workers.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dragoman {

namespace {

using Ids = std::vector<std::int32_t>;

/// A part of a line that is to be translated.
struct SourcePart {
  Ids ids;                   ///< EOS included
  Ids prefix;                ///< what its translation begins with
  std::uint64_t stream = 0;  ///< of its random numbers
};

/// The most tokens that each of the models can write, EOS included.
std::int64_t longest_target(std::span<const Transformer> models) {
  auto longest = std::numeric_limits<std::int64_t>::max();
  for (const auto& model : models)
    if (model->options().position == Position::learned)
      longest = std::min(longest, model->options().max_positions);
  return longest;
}

/// What the search has found for one part of a line.
struct TranslatedPart {
  std::vector<Hypothesis> n_best;
  std::vector<AlignmentLink> alignment;
};

/// One call of `Translator::translate`.
class TranslationJob {
 public:
  TranslationJob(std::span<const Transformer> models, const Vocabulary& vocabulary,
                 const SearchOptions& search, const TranslatorOptions& options,
                 const LinesContext& context)
      : models_(models),
        vocabulary_(vocabulary),
        source_special_(vocabulary.source.special()),
        target_special_(vocabulary.target.special()),
        search_(search),
        options_(options),
        context_(context),
        longest_target_(longest_target(models)) {}

  std::vector<Translation> run(std::span<const std::string> lines) {
    encode(lines);
    search_all();
    std::vector<Translation> translations(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) translations[i] = assemble(i);
    return translations;
  }

 private:
  void encode(std::span<const std::string> lines) {
    lines_.resize(lines.size());
    prefixes_.resize(context_.prefixes.size());
    constexpr std::int64_t chunk = 64;
    run_on_workers(options_.workers, (std::ssize(lines) + chunk - 1) / chunk, [&](std::int64_t c) {
      const auto end = std::min((c + 1) * chunk, std::ssize(lines));
      for (auto i = static_cast<std::size_t>(c * chunk); i < static_cast<std::size_t>(end); ++i) {
        lines_[i] = encode_source(lines[i], vocabulary_.source, options_.max_source_length);
        if (!prefixes_.empty()) prefixes_[i] = encode_prefix(i);
      }
    });
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      first_part_.push_back(sources_.size());
      for (std::size_t k = 0; k < lines_[i].parts.size(); ++k) add_part(i, k);
    }
  }

  Ids encode_prefix(std::size_t line) const {
    auto ids = vocabulary_.target.encode(context_.prefixes[line]);
    if (std::ssize(ids) < longest_target_) return ids;
    throw DataError(concat("target prefix: line ", number_of(line) + 1, ": has ", ids.size(),
                           " pieces, and the model writes at most ", longest_target_,
                           ", the end included; shorten it"));
  }

  std::int64_t number_of(std::size_t line) const {
    return context_.first_line + static_cast<std::int64_t>(line);
  }

  void add_part(std::size_t line, std::size_t part) {
    const auto of_line = mix(static_cast<std::uint64_t>(options_.seed),
                             static_cast<std::uint64_t>(number_of(line)));
    SourcePart source{std::move(lines_[line].parts[part]), {}, mix(of_line, part)};
    source.ids.push_back(static_cast<std::int32_t>(source_special_.eos));
    if (part == 0 && !prefixes_.empty()) source.prefix = std::move(prefixes_[line]);
    sources_.push_back(std::move(source));
  }

  void search_all() {
    std::vector<std::int64_t> lengths;
    for (const auto& source : sources_) lengths.push_back(std::ssize(source.ids));
    const auto all = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    // Few sentences are shared out all the same; many samples make no more rows than a beam.
    const auto samples = search_.sample ? search_.n_best : 1;
    const auto places = search_.batch_tokens * 4 / std::max<std::int64_t>(4, samples);
    const auto cells = std::min(places, all / options_.workers + 1);
    const auto batches = length_batches(lengths, cells);
    parts_.resize(sources_.size());
    run_on_workers(options_.workers, std::ssize(batches), [&](std::int64_t i) {
      search_batch(batches[static_cast<std::size_t>(i)]);
    }, options_.threads);
  }

  void search_batch(const std::vector<std::size_t>& batch) {
    std::vector<Ids> sources, prefixes;
    std::vector<std::int64_t> max_lengths;
    std::vector<std::uint64_t> streams;
    for (const auto i : batch) {
      sources.push_back(sources_[i].ids);
      prefixes.push_back(sources_[i].prefix);
      max_lengths.push_back(max_target_length(sources_[i]));
      streams.push_back(sources_[i].stream);
    }
    const auto padded = pad_rows(sources, source_special_.pad);
    const auto scorer =
        make_scorer(models_, {padded.ids, padded.mask},
                    {.cache = search_.cache, .coverage = search_.coverage_penalty > 0.0});
    auto found = run_search(*scorer, {max_lengths, prefixes, streams}, search_,
                            {target_special_.bos, target_special_.eos, target_special_.pad});
    for (std::size_t k = 0; k < batch.size(); ++k)
      parts_[batch[k]].n_best = std::move(found[k]);
    if (options_.alignment) align_batch(batch, sources);
  }

  /// The length limit leaves room for at least one token behind the prefix.
  std::int64_t max_target_length(const SourcePart& source) const {
    const auto wanted = search_.max_length > 0 ? search_.max_length
                                               : std::ssize(source.ids) + search_.max_length_offset;
    return std::min(std::max(wanted, std::ssize(source.prefix) + 1), longest_target_);
  }

  void align_batch(const std::vector<std::size_t>& batch, const std::vector<Ids>& sources) {
    std::vector<Ids> targets;
    for (const auto i : batch)
      targets.push_back(parts_[i].n_best.empty() ? Ids{} : parts_[i].n_best.front().ids);
    auto links = align(models_, sources, targets, source_special_, target_special_);
    for (std::size_t k = 0; k < batch.size(); ++k)
      parts_[batch[k]].alignment = std::move(links[k]);
  }

  /// One line from its parts.
  Translation assemble(std::size_t line) const {
    const auto& source = lines_[line];
    Translation translation;
    translation.split = source.split;
    translation.cut = source.cut;
    std::size_t count = 1;
    for (std::size_t k = 0; k < source.parts.size(); ++k)
      count = std::max(count, parts_[first_part_[line] + k].n_best.size());
    translation.n_best.resize(count);
    for (std::size_t k = 0; k < source.parts.size(); ++k)
      append_part(translation, first_part_[line] + k);
    return translation;
  }

  void append_part(Translation& translation, std::size_t index) const {
    const auto& part = parts_[index];
    if (part.n_best.empty()) return;
    const auto source_offset = std::ssize(translation.source_pieces);
    const auto target_offset = std::ssize(translation.n_best.front().pieces);
    for (std::size_t rank = 0; rank < translation.n_best.size(); ++rank)
      append(translation.n_best[rank], part.n_best[std::min(rank, part.n_best.size() - 1)]);
    for (const auto id : std::span(sources_[index].ids).first(sources_[index].ids.size() - 1))
      translation.source_pieces.push_back(vocabulary_.source.piece(id));
    for (const auto& [i, j] : part.alignment)
      translation.alignment.push_back({source_offset + i, target_offset + j});
    translation.truncated |= !part.n_best.front().finished;
    translation.looping |= has_loop(part.n_best.front().ids);
  }

  void append(Alternative& alternative, const Hypothesis& hypothesis) const {
    const auto ids = std::span(hypothesis.ids).first(hypothesis.ids.size() -
                                                     (hypothesis.finished ? 1 : 0));
    const auto text = vocabulary_.target.decode(ids);
    if (!alternative.text.empty() && !text.empty()) alternative.text += ' ';
    alternative.text += text;
    for (const auto id : ids) alternative.pieces.push_back(vocabulary_.target.piece(id));
    alternative.log_prob += hypothesis.log_prob;
    alternative.score += hypothesis.score;
  }

  const std::span<const Transformer> models_;
  const Vocabulary& vocabulary_;
  const SpecialIds source_special_, target_special_;
  const SearchOptions& search_;
  const TranslatorOptions& options_;
  const LinesContext& context_;
  const std::int64_t longest_target_;
  std::vector<SourceLine> lines_;        // their parts moved to sources_
  std::vector<Ids> prefixes_;            // of each line, moved to sources_; empty = there are none
  std::vector<std::size_t> first_part_;  // of each line, in sources_ and parts_
  std::vector<SourcePart> sources_;      // parts of all lines
  std::vector<TranslatedPart> parts_;
};

}  // namespace

Translator::Translator(Transformer model, Vocabulary vocabulary, const SearchOptions& search,
                       const TranslatorOptions& options)
    : Translator(std::vector{std::move(model)}, std::move(vocabulary), search, options) {}

Translator::Translator(std::vector<Transformer> models, Vocabulary vocabulary,
                       const SearchOptions& search, const TranslatorOptions& options)
    : models_(std::move(models)),
      vocabulary_(std::move(vocabulary)),
      search_(search),
      options_(options) {
  search_.validate();
  expect_thread_count("workers", options_.workers);
  expect_thread_count("threads", options_.threads);
  if (options_.threads < 1)
    throw OptionsError(concat("threads ", options_.threads, ": must be at least 1"));
  if (options_.max_source_length < 1)
    throw OptionsError(concat("max_source_length ", options_.max_source_length,
                              ": must be at least 1 piece"));
  options_.workers = worker_count(models_.front()->parameters().front().device(), options_.workers);
  expect_thread_count("workers x threads", options_.workers * options_.threads);
  for (auto& model : models_) {
    if (model->options().position == Position::learned)
      options_.max_source_length =
          std::min(options_.max_source_length, model->options().max_positions - 1);
    model->eval();
    if (options_.pack) pack_weights(*model, search_.precision);
  }
}

std::string Translator::description() const {
  const auto type = nlohmann::json(search_.precision).get<std::string>();
  return concat(options_.workers, options_.workers == 1 ? " worker" : " workers", " of ", options_.threads,
                options_.threads == 1 ? " thread" : " threads", ", batches of ", search_.batch_tokens,
                " source pieces, ", options_.pack ? type : "float32", " weights",
                !options_.pack                             ? " of LibTorch"
                : has_packed_kernel(search_.precision)     ? " packed for this processor's instructions"
                : search_.precision == WeightType::float32 ? " of LibTorch"
                                                           : " in plain loops, which float32 outruns here");
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines,
                                               const LinesContext& context) const {
  if (!context.prefixes.empty() && context.prefixes.size() != lines.size())
    throw ContractError(concat("Translator::translate: ", context.prefixes.size(), " prefixes for ",
                               lines.size(), " lines"));
  return TranslationJob(models_, vocabulary_, search_, options_, context).run(lines);
}

}  // namespace dragoman
