#include "convert/foreign_case.h"
#include "convert/sentencepiece_of.h"
#include "dragoman/convert/ctranslate2.h"
#include "support/skip.h"

#include <cstdlib>
#include <fstream>

namespace ctranslate2_published_test {

using namespace dragoman;
namespace fs = std::filesystem;
using test::Ids;

namespace {

/// What CTranslate2's own tests expect of the model.
struct Published {
  std::vector<std::string> source, prefix;
  std::string letters;
};

const std::vector<Published> published = {
    {{"آ", "ت", "ز", "م", "و", "ن"}, {}, "atzmon"},
    {{"آ", "ز", "ا"}, {}, "azza"},
    {{"آ", "ت", "ز", "م", "و", "ن"}, {"a", "t", "s"}, "atsumon"},
    {{"آ", "ت", "ز", "م", "و", "ن"}, {"a", "t", "z", "o"}, "atzomon"}};

std::string transliterated(const LoadedRun& run, const Ids& source, const Ids& prefix) {
  const auto model = inference_model(run.model);
  const auto worker = model->make_worker(
      {.source = run.vocabulary.source.special(), .target = run.vocabulary.target.special()});
  SearchOptions search;
  search.beam_size = 2;
  const std::span<const std::int32_t> view(source);
  const auto scorer = worker->start({&view, 1}, search);
  const std::vector<std::int64_t> limits{256};
  const std::vector<Ids> prefixes{prefix};
  const auto best =
      run_search(*scorer,
                 {.max_lengths = limits,
                  .prefixes = prefix.empty() ? ForcedPrefixes() : ForcedPrefixes(prefixes),
                  .special = run.vocabulary.target.special()},
                 search)[0][0];
  std::string letters;
  for (const auto id : best.ids) letters += run.vocabulary.target.piece(id);
  return letters;
}

}  // namespace

TEST_CASE("CTranslate2's own old models transliterate as its tests say", "[peer]") {
  const char* models = std::getenv("DRAGOMAN_CTRANSLATE2_MODELS");
  if (models == nullptr || *models == '\0')
    return test::skip(
        "DRAGOMAN_CTRANSLATE2_MODELS does not name tests/data/models of CTranslate2's repository");
  int count = 0;
  for (const std::string name :
       {"v1/aren-transliteration", "v1/aren-transliteration-i16", "v2/aren-transliteration",
        "v2/aren-transliteration-i16", "v2/aren-transliteration-i8"}) {
    CAPTURE(name);
    const auto folder = fs::path(models) / name;
    const auto tokenizer = [&](const char* file) {
      std::ifstream in(folder / file);
      std::vector<std::string> tokens;
      for (std::string line; std::getline(in, line);) tokens.push_back(line);
      return Tokenizer::from_bytes(test::sentencepiece_of(tokens), file);
    };
    const test::TemporaryDirectory made;
    import_ctranslate2({.model_dir = folder,
                        .tokenizers = Vocabulary{.source = tokenizer("source_vocabulary.txt"),
                                                 .target = tokenizer("target_vocabulary.txt"),
                                                 .joint = false}},
                       made / "run");
    const auto run = load_run(made / "run");
    for (const auto& answer : published) {
      Ids source, prefix;
      for (const auto& letter : answer.source) source.push_back(run.vocabulary.source.id(letter));
      for (const auto& letter : answer.prefix) prefix.push_back(run.vocabulary.target.id(letter));
      auto ended = source;
      run.vocabulary.source.end_source(ended);
      CHECK(ended == source);
      CHECK(transliterated(run, source, prefix) == answer.letters + "</s>");
    }
    ++count;
  }
  CHECK(count == 5);
}

}  // namespace ctranslate2_published_test
