#include "dragoman/translate/translation_text.h"

#include "support/catch.h"
#include "translate/small_translation.h"

#include <algorithm>

namespace translation_text_test {

using namespace dragoman;

TEST_CASE("a source piece that is copied into a word does not begin it again", "[unit]") {
  const auto tokenizer = test::small_tokenizer(TokenizerType::bpe, 100);
  const Vocabulary vocabulary{.source = tokenizer, .target = tokenizer, .joint = true};
  const std::string text = "baten koru lamis vedo plonar shimu", word_begin = "\u2581";
  const auto source = tokenizer.pieces(text);
  const auto word = std::ranges::find_if(source, [&](const std::string& piece) {
    return piece.starts_with(word_begin) && piece.size() > word_begin.size();
  });
  REQUIRE(word != source.end());
  const AlignmentLink to_word{.source = word - source.begin(), .target = 1};
  const auto begin = tokenizer.id(word_begin);
  const auto unknown = static_cast<std::int32_t>(tokenizer.special().unk);
  REQUIRE(begin != unknown);

  const InferenceModels models;
  EnsembleWorkers workers(models, {}, 1);
  const LineTranslatorOptions options;
  const LinesContext context;
  const auto pieces = [&](UnknownRule rule, std::int32_t before) {
    const SearchOptions search{.unknown = rule};
    const TranslationTask task{.models = models,
                               .vocabulary = vocabulary,
                               .search = search,
                               .options = options,
                               .workers = workers,
                               .context = context};
    TranslationPart part;
    part.text = text;
    part.n_best = {{.ids = {before, unknown}}};
    part.alignments = {{{.source = 0, .target = 0}, to_word}};
    return pieces_of(task, part, 0);
  };
  using Pieces = std::vector<std::string>;
  const auto end = tokenizer.id(tokenizer.pieces("a").back());
  CHECK(pieces(UnknownRule::copy, begin) == Pieces{word_begin, word->substr(word_begin.size())});
  CHECK(pieces(UnknownRule::copy, end) == Pieces{tokenizer.piece(end), *word});
  CHECK(pieces(UnknownRule::keep, begin) == Pieces{word_begin, tokenizer.piece(unknown)});
}

}  // namespace translation_text_test
