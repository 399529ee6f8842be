#include "convert/foreign_case.h"
#include "dragoman/search/token_rules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace huggingface_test {

using namespace dragoman;
using test::for_foreign_cases;
using test::ForeignCase;
using test::Ids;

namespace {

/// The ids of a prefix of texts: none, or that of a language.
Ids prefix_of(const nlohmann::json& language_id) {
  return language_id.is_null() ? Ids() : Ids{language_id.get<std::int32_t>()};
}

/// Each sentence twice: with early_stopping and without.
std::vector<std::pair<nlohmann::json, bool>> searches_of(const nlohmann::json& golden) {
  std::vector<std::pair<nlohmann::json, bool>> searches;
  for (const auto& sentence : golden.at("sentences"))
    for (const bool early : {false, true}) searches.emplace_back(sentence, early);
  return searches;
}

}  // namespace

TEST_CASE("special tokens, languages and rules of search are those of the model's folder",
          "[golden]") {
  for_foreign_cases([](const ForeignCase& foreign) {
    const auto& golden = foreign.golden;
    const auto& rules = golden.at("search");
    const auto& target = foreign.run.vocabulary.target;
    for (const auto& special : {target.special(), foreign.run.vocabulary.source.special()}) {
      CHECK(special.pad == golden.at("pad_id"));
      CHECK(special.bos == golden.at("start_id"));
      CHECK(special.eos == golden.at("eos_id"));
    }
    const bool has_languages = golden.at("family") != "marian";
    const auto language = [&](const char* key) {
      return prefix_of(has_languages ? golden.at(key) : nlohmann::json());
    };
    CHECK(foreign.run.vocabulary.source.prefix() == language("source_language_id"));
    CHECK(target.prefix() == language("target_language_id"));
    CHECK(target.prefix() == prefix_of(rules.at("forced_first_id")));
    const auto& search = foreign.run.options.search;
    CHECK(search.renormalize == rules.at("renormalize_logits"));
    CHECK(search.force_eos == !rules.at("forced_last_id").is_null());
    if (search.force_eos) CHECK(rules.at("forced_last_id") == target.special().eos);
    const auto never = token_rules(target.special(), search).forbidden();
    const auto banned = rules.at("banned_ids").get<std::vector<std::int64_t>>();
    for (const auto id : banned) CHECK(std::ranges::count(never, id) > 0);
    // Only where they count among the probabilities it shows that others are banned too.
    for (const auto id : never)
      if (search.renormalize) CHECK(std::ranges::count(banned, id) == 1);
  });
}

TEST_CASE("texts have the ids and pieces that transformers gives them", "[golden]") {
  for_foreign_cases([](const ForeignCase& foreign) {
    int compared = 0;
    for (const auto& sentence : foreign.golden.at("sentences")) {
      const auto text = sentence.at("text").get<std::string>();
      CAPTURE(text);
      if (!sentence.value("sentencepiece_agrees", true)) continue;  // transformers splits otherwise
      ++compared;
      CHECK(foreign.source_ids(text) == sentence.at("input_ids").get<Ids>());
      auto pieces = foreign.run.vocabulary.source.pieces(text);
      pieces.erase(pieces.begin(),
                   pieces.begin() + std::ssize(foreign.run.vocabulary.source.prefix()));
      CHECK(pieces == sentence.at("pieces").get<std::vector<std::string>>());
    }
    CHECK(compared > 0);
    for (const auto& pair : foreign.golden.at("forced")) {
      CHECK(foreign.source_ids(pair.at("text")) == pair.at("input_ids").get<Ids>());
      CHECK(foreign.target_ids(pair.at("target")) == pair.at("label_ids").get<Ids>());
    }
  });
}

TEST_CASE("M2M100 has the same languages where its folder does not list them", "[golden]") {
  for (const auto& model : test::foreign_folders("m2m100")) {
    const test::TemporaryDirectory made;
    const auto copy = made / "model";
    std::filesystem::copy(model, copy);
    int lists = 0;
    for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
      auto json = test::read_json(copy / name);
      lists += static_cast<int>(json.erase("additional_special_tokens"));
      json["extra_special_tokens"] = nlohmann::json::array();
      std::filesystem::remove(copy / name);
      std::ofstream(copy / name) << json;
    }
    CHECK(lists > 0);
    const auto golden = test::read_json(model / "golden.json");
    const ForeignCase foreign(copy, {.source = golden.at("source_language").get<std::string>(),
                                     .target = golden.at("target_language").get<std::string>()});
    for (const auto& sentence : golden.at("sentences"))
      if (sentence.value("sentencepiece_agrees", true))
        CHECK(foreign.source_ids(sentence.at("text").get<std::string>()) ==
              sentence.at("input_ids").get<Ids>());
  }
}

TEST_CASE("log-probabilities of given translations are those of transformers", "[golden]") {
  for_foreign_cases([](const ForeignCase& foreign) {
    for (auto* worker : {foreign.engine.get(), foreign.modules.get()})
      test::check_log_probs(*worker, foreign.golden.at("forced"));
  });
}

TEST_CASE("the encoder's output at the first position is that of transformers", "[golden]") {
  for_foreign_cases([](ForeignCase foreign) {
    int compared = 0;
    for (const auto& sentence : foreign.golden.at("sentences")) {
      if (!sentence.contains("encoder_first")) continue;
      const auto ids = torch::tensor(sentence.at("input_ids").get<std::vector<std::int64_t>>());
      const auto source = ids.unsqueeze(0);
      const auto memory = foreign.run.model->encode(source, torch::ones_like(source, torch::kBool));
      const auto expected = torch::tensor(sentence.at("encoder_first").get<std::vector<float>>());
      CHECK_THAT(memory[0][0], test::close_to(expected, {0.0, test::foreign_tolerance}));
      ++compared;
    }
    CHECK(compared > 0);
  });
}

TEST_CASE("greedy search finds what transformers finds, step by step", "[golden]") {
  for_foreign_cases([](const ForeignCase& foreign) {
    auto search = foreign.search();
    search.greedy = true;
    search.n_best = 1;
    for (const auto& sentence : foreign.golden.at("sentences")) {
      CAPTURE(sentence.at("text").dump());
      const auto found =
          foreign.found(*foreign.engine, sentence.at("input_ids").get<Ids>(), search)[0];
      const auto& expected = sentence.at("greedy");
      CHECK(found.ids == expected.at("ids").get<Ids>());
      double sum = 0.0;
      for (const auto& log_prob : expected.at("logprobs")) sum += log_prob.get<double>();
      const auto steps = static_cast<double>(found.ids.size());
      CHECK(found.log_prob == test::Approx(sum).margin(steps * test::foreign_tolerance).epsilon(0));
      CHECK(foreign.run.vocabulary.target.decode(found.ids) ==
            expected.at("text").get<std::string>());
    }
  });
}

TEST_CASE("beam search finds the hypotheses of transformers with their scores, early or not",
          "[golden]") {
  for_foreign_cases([](const ForeignCase& foreign) {
    for (const auto& [sentence, early] : searches_of(foreign.golden)) {
      CAPTURE(sentence.at("text").dump(), early);
      auto search = foreign.search();
      if (early) search.early_stopping = EarlyStopping::beam;
      const auto found =
          foreign.found(*foreign.engine, sentence.at("input_ids").get<Ids>(), search);
      const auto key = test::beam_key(sentence), early_key = key + "_early";
      const bool same = !early || sentence.at(early_key).is_string();  // "same"
      const auto& expected = sentence.at(same ? key : early_key);
      REQUIRE(found.size() == expected.at("hypotheses").size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        CAPTURE(k);
        const auto& hypothesis = expected.at("hypotheses")[k];
        CHECK(found[k].ids == hypothesis.at("ids").get<Ids>());
        CHECK(found[k].score == test::Approx(hypothesis.at("score").get<double>())
                                    .margin(test::foreign_tolerance)
                                    .epsilon(0));
      }
      CHECK(foreign.run.vocabulary.target.decode(found[0].ids) ==
            expected.at("text").get<std::string>());
      CHECK(foreign.ended(found[0]) == expected.at("ended").get<bool>());
    }
  });
}

}  // namespace huggingface_test
