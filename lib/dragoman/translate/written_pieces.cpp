#include "dragoman/translate/written_pieces.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/translate/source_line.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace dragoman {

namespace {

std::vector<std::string> names_of_ids(const Tokenizer& tokenizer,
                                      const std::vector<std::int32_t>& ids) {
  std::vector<std::string> names;
  for (const auto id : ids) names.push_back(tokenizer.piece(id));
  return names;
}

/// A source piece that was copied in place of the unknown piece is read as itself, if the
/// vocabulary has it; else it is unknown again.
std::vector<std::int32_t> ids_of_written(const Tokenizer& tokenizer,
                                         const Alternative& translation) {
  std::vector<std::int32_t> ids;
  for (const auto& piece : translation.pieces) ids.push_back(tokenizer.id(piece));
  if (!translation.truncated) ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  return ids;
}

}  // namespace

WrittenPieces written_pieces(const InferenceModel& model, const Vocabulary& vocabulary,
                             std::string_view line, const Translation& translation) {
  auto encoded = encode_source(line, vocabulary.source, std::numeric_limits<std::int64_t>::max());
  if (encoded.parts.size() != 1)
    throw ContractError(concat("written_pieces: a line of ", encoded.parts.size(), " parts"));
  auto& source = encoded.parts.front();
  vocabulary.source.end_source(source);
  const auto target = ids_of_written(vocabulary.target, translation.n_best.front());
  const std::span<const std::int32_t> source_ids(source), target_ids(target);
  const Sentences sources(&source_ids, 1), targets(&target_ids, 1);
  const auto worker = model.make_worker(
      {.source = vocabulary.source.special(), .target = vocabulary.target.special()});
  WrittenPieces written{.source = names_of_ids(vocabulary.source, source),
                        .pieces = translation.n_best.front().pieces};
  if (!translation.n_best.front().truncated)
    written.pieces.push_back(vocabulary.target.piece(target.back()));
  const auto log_probs = worker->log_probs(sources, targets);
  for (const auto log_prob : log_probs.front())
    written.probabilities.push_back(std::exp(static_cast<double>(log_prob)));
  written.attention = worker->attention(sources, targets).front().weights;
  return written;
}

}  // namespace dragoman
