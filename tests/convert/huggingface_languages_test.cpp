#include "convert/huggingface_copy.h"
#include "dragoman/core/concat.h"
#include "dragoman/run/loaded_run.h"

namespace huggingface_languages_test {

using namespace dragoman;
using namespace huggingface_copy;

namespace {

fs::path m2m100() { return test::folder_of_family("m2m100"); }
fs::path nllb() { return test::folder_of_family("nllb"); }

}  // namespace

TEST_CASE("languages belong to the texts where a model has many, and to the run if they are given",
          "[unit]") {
  CHECK_THAT(Copy(test::one_vocabulary_folder()).refusal({.target = "de"}),
             test::contains("leave the option out"));
  const auto of_m2m = languages_of(m2m100()), of_nllb = languages_of(nllb());
  CHECK_THAT(Copy(m2m100()).refusal({.source = of_m2m.source, .target = "xx"}),
             test::contains("xx: the model translates into"));
  CHECK(Copy(m2m100())
            .refusal({.source = concat("__", of_m2m.source, "__"), .target = of_m2m.target})
            .empty());
  const auto with_legacy = [&](const json& value) {
    return Copy(nllb())
        .edit("tokenizer_config.json", [&](json& c) { c["legacy_behaviour"] = value; })
        .refusal(of_nllb);
  };
  CHECK_THAT(with_legacy(true), test::contains("legacy_behaviour is true"));
  CHECK_THAT(with_legacy("true"), test::contains("it should be true or false"));
  Copy old(nllb());  // without tokenizer.json the languages follow the pieces
  fs::remove(old / "tokenizer.json");
  CHECK(old.refusal(of_nllb).empty());
}

TEST_CASE("one run translates between all languages of its model", "[unit]") {
  for (const auto& model : {m2m100(), nllb()}) {
    CAPTURE(model.string());
    const auto languages = languages_of(model);
    Copy copy(model);
    copy.edit("generation_config.json", [](json& config) { config.erase("forced_bos_token_id"); });
    copy.edit("tokenizer_config.json", [](json& config) {
      for (const char* key : {"src_lang", "tgt_lang"}) config.erase(key);
    });
    const test::TemporaryDirectory made;
    import_huggingface(copy / "", {}, made / "any");
    import_huggingface(copy / "", languages, made / "two");
    const auto any = load_run(made / "any").vocabulary, two = load_run(made / "two").vocabulary;
    const auto codes = target_languages(any);
    CHECK(codes.size() > 1);
    CHECK(std::ranges::count(codes, languages.target) == 1);
    CHECK(source_languages(any) == codes);
    const std::string text = "a b";
    CHECK_THROWS_WITH(with_languages(any, {.source = languages.source}),
                      test::contains("none is chosen for this text"));
    const auto chosen = with_languages(any, languages);
    CHECK(chosen.source.encode(text) == two.source.encode(text));
    CHECK(chosen.target.prefix() == two.target.prefix());
    const auto back = with_languages(two, {.source = languages.target, .target = languages.source});
    CHECK(back.source.prefix() == two.target.prefix());
    CHECK(back.target.prefix() == two.source.prefix());
  }
}

TEST_CASE("tokens of languages that are none are refused", "[unit]") {
  const auto with_tokens = [](const json& tokens) {
    return Copy(nllb())
        .edit("tokenizer.json", [&](json& file) { file["added_tokens"] = tokens; })
        .refusal(languages_of(nllb()));
  };
  const auto token = [](const json& content, const json& id) {
    return json::array({{{"content", content}, {"id", id}}});
  };
  CHECK_THAT(with_tokens(token(5, 3)), test::contains("tokenizer.json: has a special token that"));
  CHECK_THAT(with_tokens(token("x", "3")), test::contains("has an entry without an id"));
  CHECK_THAT(with_tokens("x"), test::contains("has an entry without an id"));
  CHECK_THAT(with_tokens(token("x", std::int64_t{1} << 40)), test::contains("has only"));
}

TEST_CASE("the language that generate forces is the target unless another is named", "[unit]") {
  const auto languages = languages_of(nllb());
  std::int64_t id = -1;
  const auto tokenizer = read_part(nllb(), "tokenizer.json");
  for (const auto& token : tokenizer.at("added_tokens"))
    if (token.at("content").get<std::string>() == languages.source) id = token.at("id");
  Copy copy(nllb());
  const auto force = [&](std::int64_t forced) {
    copy.edit("generation_config.json",
              [&](json& config) { config["forced_bos_token_id"] = forced; });
  };
  force(id);
  const test::TemporaryDirectory made;
  import_huggingface(copy / "", {.source = languages.source, .target = {}}, made / "run");
  const auto prefix = load_run(made / "run").vocabulary.target.prefix();
  CHECK(prefix == std::vector{static_cast<std::int32_t>(id)});
  force(0);
  CHECK_THAT(copy.refusal({.source = languages.source, .target = {}}),
             test::contains("forced_bos_token_id is 0: it is not one of the model's languages"));
  CHECK(copy.refusal(languages).empty());
}

}  // namespace huggingface_languages_test
