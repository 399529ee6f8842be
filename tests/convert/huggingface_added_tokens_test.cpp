#include "convert/huggingface_copy.h"
#include "dragoman/core/concat.h"
#include "dragoman/run/loaded_run.h"

#include <algorithm>
#include <vector>

namespace huggingface_added_tokens_test {

using namespace dragoman;
using namespace huggingface_copy;

namespace {

using Ids = std::vector<std::int32_t>;

LoadedRun imported(const Copy& copy, const Languages& languages = {}) {
  const test::TemporaryDirectory made;
  import_huggingface(copy / "", languages, made / "run");
  return load_run(made / "run");
}

/// A MarianMT model with room for a token: the last piece before padding is taken away.
struct Roomy {
  Copy copy{test::one_vocabulary_folder()};
  std::int64_t id = -1;

  Roomy() {
    const auto pad = test::read_json(copy / "config.json").at("pad_token_id").get<std::int64_t>();
    copy.edit("vocab.json", [&](json& pieces) {
      std::string last;
      for (const auto& [piece, value] : pieces.items())
        if (value != pad && value.get<std::int64_t>() > id)
          id = value.get<std::int64_t>(), last = piece;
      pieces.erase(last);
    });
    copy.edit("tokenizer_config.json", [](json& config) { config.erase("added_tokens_decoder"); });
  }

  /// Adds one as newer files do.
  std::string refusal(const json& token, const std::string& key) {
    copy.edit("tokenizer_config.json",
              [&](json& config) { config["added_tokens_decoder"] = {{key, token}}; });
    return copy.refusal();
  }
  std::string refusal(const json& token) { return refusal(token, std::to_string(id)); }
};

/// Ids of texts and tokens one after the other.
Ids joined(const std::vector<Ids>& parts) {
  Ids all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The place of a token in a model's tokenizer.json.
std::int32_t id_in(const Copy& copy, const std::string& token) {
  const auto file = test::read_json(copy / "tokenizer.json");
  for (const auto& entry : file.at("added_tokens"))
    if (entry.at("content") == token) return entry.at("id").get<std::int32_t>();
  return -1;
}

}  // namespace

TEST_CASE("tokens that were added to a MarianTokenizer are cut out of texts, and are text",
          "[unit]") {
  Roomy model;
  write_file_atomically(model.copy / "added_tokens.json", json{{"QQ", model.id}}.dump());
  const auto run = imported(model.copy);
  const auto id = static_cast<std::int32_t>(model.id);
  const auto& [source, target, joint] = run.vocabulary;
  CHECK(source.piece(id) == "QQ");
  CHECK(source.encode("The oldQQking") ==
        joined({source.encode("The old"), {id}, source.encode("king")}));
  CHECK(target.decode(Ids{id}) == "QQ");
  const test::TemporaryDirectory folder;
  export_huggingface(run, folder / "model");
  import_huggingface(folder / "model", {}, folder / "run");
  CHECK(load_run(folder / "run").vocabulary.source.bytes() == source.bytes());
}

TEST_CASE("special added tokens are no text, and those that cannot be are refused", "[unit]") {
  Roomy model;
  const json mask{{"content", "<mask>"}, {"special", true}, {"lstrip", true}};
  CHECK(model.refusal(mask).empty());
  const auto run = imported(model.copy);
  const auto id = static_cast<std::int32_t>(model.id);
  const auto& [source, target, joint] = run.vocabulary;
  CHECK(std::ranges::count(source.encode("a <mask> b"), id) == 1);
  CHECK(target.decode(Ids{id}).empty());

  CHECK_THAT(model.refusal({{"content", "QQ"}, {"single_word", true}}),
             test::contains("tokenizer_config.json: the added token QQ is cut out of texts only"));
  CHECK_THAT(model.refusal({{"content", "QQ"}}, "1000000"), test::contains("has only"));
  CHECK_THAT(model.refusal({{"content", "QQ"}}, std::to_string(model.id - 1)),
             test::contains(concat("and QQ have the id ", model.id - 1)));
  CHECK_THAT(model.refusal({{"content", "QQ"}}, "x"),
             test::contains("added_tokens_decoder has the entry x, which is not an id"));
  CHECK_THAT(model.refusal({{"special", true}}), test::contains("has a special token that is no"));
  const auto known = test::read_json(model.copy / "vocab.json").items().begin().key();
  CHECK_THAT(model.refusal({{"content", known}}), test::contains("; keep one of the two"));
}

TEST_CASE("tokens that were added to M2M100 are no languages", "[unit]") {
  const auto folder = test::folder_of_family("m2m100");
  const auto languages = languages_of(folder);
  Copy copy(folder);
  const auto codes = target_languages(imported(copy, languages).vocabulary);
  const auto last = test::read_json(copy / "config.json").at("vocab_size").get<std::int32_t>() - 1;
  if (!imported(copy, languages).vocabulary.source.piece(last).starts_with("madeupword"))
    return test::skip("the model has no row without a token");
  copy.edit("tokenizer_config.json", [&](json& config) {
    config["added_tokens_decoder"] = {
        {std::to_string(last), {{"content", "QQ"}, {"special", false}}}};
  });
  const auto vocabulary = imported(copy, languages).vocabulary;
  CHECK(target_languages(vocabulary) == codes);
  CHECK(std::ranges::count(vocabulary.source.encode("aQQb"), last) == 1);
  CHECK(vocabulary.target.decode(Ids{last}) == "QQ");
}

TEST_CASE("of the tokens of tokenizer.json only those that look so are languages", "[unit]") {
  const auto folder = test::folder_of_family("nllb");
  const auto languages = languages_of(folder);
  Copy copy(folder);
  const auto codes = target_languages(imported(copy, languages).vocabulary);
  CHECK(std::ranges::count(codes, "<mask>") == 0);
  const auto last = test::read_json(copy / "config.json").at("vocab_size").get<std::int32_t>() - 1;
  if (id_in(copy, "<mask>") >= last - 1)
    return test::skip("the model has no two rows without a token");
  copy.edit("tokenizer.json", [&](json& file) {
    file["added_tokens"].push_back({{"content", "QQ"}, {"id", last}, {"special", false}});
    file["added_tokens"].push_back({{"content", "tyv_Cyrl"}, {"id", last - 1}, {"special", true}});
  });
  const auto vocabulary = imported(copy, languages).vocabulary;
  auto more = codes;
  more.push_back("tyv_Cyrl");
  std::ranges::sort(more);
  CHECK(target_languages(vocabulary) == more);
  CHECK(std::ranges::count(vocabulary.source.encode("aQQb"), last) == 1);
  CHECK(vocabulary.target.decode(Ids{last}) == "QQ");
  const auto mask = id_in(copy, "<mask>");
  REQUIRE(mask > 0);
  CHECK(std::ranges::count(vocabulary.source.encode("a <mask> b"), mask) == 1);
  CHECK(vocabulary.target.decode(Ids{mask}).empty());
  fs::remove(copy / "tokenizer.json");  // then its place follows from the others
  CHECK(imported(copy, languages).vocabulary.source.piece(mask) == "<mask>");
}

TEST_CASE("a missing SentencePiece model is asked for by name", "[unit]") {
  const auto folder = test::folder_of_family("nllb");
  Copy copy(folder);
  fs::remove(copy / "sentencepiece.bpe.model");
  CHECK_THAT(copy.refusal(languages_of(folder)),
             test::contains("sentencepiece.bpe.model: is missing") &&
                 test::contains("copy it from the folder of the original model"));
}

}  // namespace huggingface_added_tokens_test
