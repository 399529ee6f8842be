// Every case of hostile/cases.json that concerns text files or SentencePiece models, through the
// readers alone.
#include "dragoman/core/error.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/text/lines.h"
#include "support/catch.h"
#include "support/shared.h"
#include "text/text_support.h"

namespace hostile_text_test {

using namespace dragoman;

namespace {

std::vector<nlohmann::json> cases_of_kind(const std::string& kind) {
  std::vector<nlohmann::json> chosen;
  const auto all = test::read_json(test::cases("hostile/cases.json"));
  for (const auto& entry : all["cases"])
    if (entry["kind"] == kind) chosen.push_back(entry);
  REQUIRE_FALSE(chosen.empty());
  return chosen;
}

std::string file_of(const nlohmann::json& entry, std::size_t index = 0) {
  return (test::cases("hostile") / entry["files"][index].get<std::string>()).string();
}

/// The tokenizer a small training on the good text would learn.
Vocabulary good_vocabulary() {
  const auto folder = test::cases("hostile/text");
  const std::vector<std::string> sources = {(folder / "good.src").string()};
  const std::vector<std::string> targets = {(folder / "good.tgt").string()};
  TokenizerOptions options;
  options.vocab_size = 80;
  return learn_vocabulary(read_parallel(sources, targets), options, 1, "good.src", "good.tgt");
}

EncodedCorpus load(const nlohmann::json& entry, const Vocabulary& vocabulary) {
  const std::vector<std::string> sources = {file_of(entry, 0)};
  const std::vector<std::string> targets = {file_of(entry, 1)};
  const auto pairs = read_parallel(sources, targets);
  DataOptions options;
  options.max_length = 1000;  // one of the usable lines has 300 words of two pieces
  return encode_corpus(pairs, vocabulary, options, corpus_place(sources, targets));
}

/// The files (any for a single bad one, all where the counts differ) and the place that must be
/// said.
void check_message(const nlohmann::json& entry, const std::string& message) {
  CAPTURE(message);
  CHECK(message.find('\n') == std::string::npos);
  for (const auto& name : entry.value("message_names", std::vector<std::string>{}))
    CHECK_THAT(message, test::contains(name));
  CHECK_THAT(message, test::contains(entry.value("message_where", "")));
}

}  // namespace

TEST_CASE("hostile parallel texts end as the cases say", "[golden]") {
  const auto vocabulary = good_vocabulary();
  const auto good = load(cases_of_kind("text-parallel").at(0), vocabulary);
  for (const auto& entry : cases_of_kind("text-parallel")) {
    CAPTURE(entry["name"]);
    try {
      const auto corpus = load(entry, vocabulary);
      CHECK(entry["expect"] != "reject");
      if (entry.contains("pairs")) CHECK(corpus.report.kept == entry["pairs"]);
      if (entry.contains("pairs_left")) CHECK(corpus.report.kept == entry["pairs_left"]);
      if (!entry.contains("same_as")) continue;
      REQUIRE(corpus.examples.size() == good.examples.size());
      for (std::size_t i = 0; i < good.examples.size(); ++i) {
        CHECK(corpus.examples[i].source_ids == good.examples[i].source_ids);
        CHECK(corpus.examples[i].target_ids == good.examples[i].target_ids);
      }
    } catch (const Error& error) {
      CHECK(entry["expect"] != "accept");
      check_message(entry, error.what());
    }
  }
}

TEST_CASE("hostile sources give one line for each line", "[golden]") {
  const auto vocabulary = good_vocabulary();
  for (const auto& entry : cases_of_kind("text-source")) {
    CAPTURE(entry["name"]);
    std::int64_t lines = 0;
    LineReader reader(file_of(entry), LineUse::translation);
    while (const auto line = reader.next()) {
      CHECK(line->number == ++lines);
      const auto ids = vocabulary.source.encode(line->text);
      for (const auto id : ids) CHECK((id == 1 || id > 3));
      CHECK(vocabulary.source.decode(ids).find_first_of("\n\r") == std::string::npos);
    }
    if (entry["lines"].is_number()) CHECK(lines == entry["lines"]);
  }
}

TEST_CASE("hostile SentencePiece models end as the cases say", "[golden]") {
  for (const auto& entry : cases_of_kind("spm")) {
    CAPTURE(entry["name"]);
    // A valid model that does not fit a checkpoint is found by what loads the checkpoint.
    const bool refused = entry["expect"] == "reject" && !entry.contains("needs_checkpoint");
    try {
      const auto tokenizer = Tokenizer::load(file_of(entry));
      CHECK_FALSE(refused);
      const auto ids = tokenizer.encode("baten vu \xEF\xAC\x81 \xF0\x9F\x98\x80 <s>");
      CHECK(tokenizer.decode(ids).find_first_of("\n\r") == std::string::npos);
    } catch (const Error& error) {
      CHECK(entry["expect"] != "accept");
      if (refused) check_message(entry, error.what());
    }
  }
}

}  // namespace hostile_text_test
