#include "dragoman/train/given_vocabulary.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/train/same_run.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

/// A model that is trained further keeps its vocabulary.
void expect_languages(const Vocabulary& vocabulary, const DataOptions& data) {
  for (const auto* side : {&vocabulary.source, &vocabulary.target}) {
    side->expect_language();
    if (side->languages().empty()) continue;
    for (const auto& [name, tags] :
         {std::pair{"data.source_tag", &data.source_tag}, {"data.target_tag", &data.target_tag}})
      if (!tags->empty())
        throw OptionsError(
            concat(name,
                   ": a model with a token for each language is trained further for the two "
                   "languages that it was converted for; leave the option out"));
  }
  for (std::size_t file = 0; file < data.train_source.size(); ++file)
    with_languages(vocabulary, languages_of_file(data, file));
}

/// \throws OptionsError naming the options in which the model to be trained is not that of the
///     weights
void expect_same_model(const std::filesystem::path& checkpoint, const RunOptions& options) {
  if (const auto names = changed_model(checkpoint, options); !names.empty())
    throw OptionsError(concat("--start-from: ", checkpoint.string(),
                              ": its weights are of another ", joined(names),
                              "; leave the option out, or give --init-from instead, which "
                              "takes the weights that fit"));
}

}  // namespace

std::optional<Vocabulary> given_vocabulary(const TrainRequest& request) {
  if (!request.source_tokenizer) return std::nullopt;
  const auto source = Tokenizer::load(*request.source_tokenizer);
  const bool joint = !request.target_tokenizer;
  return with_language_tags({.source = source,
                             .target = joint ? source : Tokenizer::load(*request.target_tokenizer),
                             .joint = joint},
                            request.options.data);
}

std::optional<Vocabulary> known_vocabulary(const TrainRequest& request) {
  if (request.start_from) {
    auto vocabulary = load_vocabulary(request.start_from->checkpoint);
    expect_languages(vocabulary, request.options.data);
    if (!request.start_from->matching)
      expect_same_model(request.start_from->checkpoint, request.options);
    return vocabulary;
  }
  return given_vocabulary(request);
}

}  // namespace dragoman
