#include "commands/analyze.h"
#include "commands/explain.h"
#include "commands/language_options.h"
#include "dragoman/analysis/walk_through.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/lines.h"
#include "dragoman/translate/module_models.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>
#include <optional>
#include <tuple>
#include <vector>

namespace dragoman::app {

namespace {

constexpr std::int64_t most_pieces = 1024;  // a square of so many numbers is printed

}  // namespace

void explain_sentence(const ExplainedSentence& sentence, const ExplainOutput& output) {
  LinePair pair = {clean_argument("sentence", sentence.text),
                   clean_argument("--target", sentence.target)};
  if (pair.source.empty())
    throw OptionsError("explain: -m needs a sentence; put it in quotes after the options");
  auto run = load_run(sentence.model, sentence.checkpoint);
  choose_named_languages(run.vocabulary, sentence.languages);
  const auto kind = attention_part(sentence.kind);
  if (kind == AttentionPart::encoder && !pair.target.empty())
    throw OptionsError(
        "--target: the encoder does not read it; add --kind decoder or --kind cross, or leave it "
        "out");
  for (const auto& [place, side, text] :
       {std::tuple("sentence", &run.vocabulary.source, &pair.source),
        std::tuple("--target", &run.vocabulary.target, &pair.target)})
    if (const auto pieces = std::ssize(side->encode(*text)); pieces > most_pieces)
      throw OptionsError(concat(place, ": has ", pieces, " pieces, but attention between at most ",
                                most_pieces, " is shown; shorten it"));
  TargetReminder(run.vocabulary.source, run.options.data, "sentence").tell(1, pair.source);
  std::optional<Translation> translation;
  if (pair.target.empty() && kind != AttentionPart::encoder)
    translation = translations_by(run, std::vector{pair.source}).front();
  if (translation) pair.target = translation->text();
  if (const auto fault = fault_of_length(run, pair, translation ? &*translation : nullptr);
      !fault.empty())
    log_warning("sentence: " + fault);
  const auto walk = walk_through(run, pair, {kind, sentence.layer - 1, sentence.head - 1});
  if (output.json) {
    const nlohmann::ordered_json object = {
        {"source", pair.source},         {"target", pair.target}, {"kind", sentence.kind},
        {"layer", sentence.layer},       {"head", sentence.head}, {"steps", steps_json(walk.steps)},
        {"difference", walk.difference},
    };
    std::cout << object.dump() << '\n';
    return;
  }
  std::cout << sentence.kind << " attention, layer " << sentence.layer << ", head " << sentence.head
            << '\n'
            << pair.source << '\n'
            << (pair.target.empty() ? "" : pair.target + '\n') << '\n';
  print_steps(walk.steps, output.format);
  std::cout << "largest difference from the weights of the model's own pass: " << walk.difference
            << '\n';
}

}  // namespace dragoman::app
