// Every case of hostile/cases.json that concerns text files or SentencePiece models, through the
// readers alone.
#include "dragoman/core/error.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/text/lines.h"
#include "support/catch.h"
#include "support/hostile.h"
#include "text/text_support.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace hostile_text_test {

using namespace dragoman;

namespace {

std::vector<LinePair> pairs_of(const nlohmann::json& entry) {
  const std::vector<std::string> sources = {test::hostile_file(entry, 0).string()};
  const std::vector<std::string> targets = {test::hostile_file(entry, 1).string()};
  return read_parallel(sources, targets);
}

/// The case of this name, or the first that is accepted if it is empty.
nlohmann::json parallel_case(const std::string& name) {
  for (const auto& entry : test::hostile_cases("text-parallel"))
    if (name.empty() ? entry.at("expect") == "accept" : entry.at("name") == name) return entry;
  throw std::runtime_error("hostile/cases.json: no text-parallel case " + name);
}

/// The case that others are the same as.
nlohmann::json good_case() {
  for (const auto& entry : test::hostile_cases("text-parallel"))
    if (entry.contains("same_as")) return parallel_case(entry.at("same_as"));
  return parallel_case({});
}

/// The tokenizer a small training on the good text would learn: its characters and some words.
Vocabulary good_vocabulary() {
  const auto pairs = pairs_of(good_case());
  std::set<std::string> characters;
  for (const auto& pair : pairs)
    for (const auto& text : {pair.source, pair.target})
      for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
        do ++end;
        while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
        characters.insert(text.substr(begin, end - begin));
      }
  TokenizerOptions options;
  options.vocab_size = std::ssize(characters) + 50;
  return learn_vocabulary(pairs, options, 1, "good source", "good target");
}

EncodedCorpus load(const nlohmann::json& entry, const Vocabulary& vocabulary,
                   std::int64_t max_length) {
  const std::vector<std::string> sources = {test::hostile_file(entry, 0).string()};
  const std::vector<std::string> targets = {test::hostile_file(entry, 1).string()};
  DataOptions options;
  options.max_length = max_length;
  return encode_corpus(read_parallel(sources, targets), vocabulary, options,
                       corpus_place(sources, targets));
}

/// The length of the longest line in pieces, EOS included, of the texts of which each pair with
/// text is used; what is usually allowed, if that is more. Lines that are too long are longer.
std::int64_t length_limit(const Vocabulary& vocabulary) {
  auto longest = DataOptions{}.max_length;
  for (const auto& entry : test::hostile_cases("text-parallel")) {
    if (entry.at("expect") != "accept" || !entry.contains("pairs")) continue;
    for (const auto& pair : pairs_of(entry))
      longest = std::max({longest, std::ssize(vocabulary.source.encode(pair.source)) + 1,
                          std::ssize(vocabulary.target.encode(pair.target)) + 1});
  }
  return longest;
}

/// What must be said, in one line.
void check_message(const nlohmann::json& entry, const std::string& message) {
  CHECK(message.find('\n') == std::string::npos);
  test::check_refusal(entry, message);
}

/// A model has other pieces than each that is accepted.
void check_differs(const Tokenizer& tokenizer) {
  for (const auto& entry : test::hostile_cases("spm")) {
    if (entry.at("expect") != "accept") continue;
    const auto accepted = Tokenizer::load(test::hostile_file(entry).string());
    bool same = accepted.vocab_size() == tokenizer.vocab_size();
    for (std::int32_t id = 0; same && id < tokenizer.vocab_size(); ++id)
      same = accepted.piece(id) == tokenizer.piece(id);
    CHECK_FALSE(same);
  }
}

}  // namespace

TEST_CASE("hostile parallel texts end as the cases say", "[golden]") {
  const auto vocabulary = good_vocabulary();
  const auto limit = length_limit(vocabulary);
  for (const auto& entry : test::hostile_cases("text-parallel")) {
    CAPTURE(entry.at("name").get<std::string>(), limit);
    try {
      const auto corpus = load(entry, vocabulary, limit);
      CHECK(test::allows_end(entry, true));
      const auto* kept = entry.contains("pairs_left") ? "pairs_left" : "pairs";
      if (entry.contains(kept) || entry.at("expect") == "accept")
        CHECK(corpus.report.kept == entry.at(kept));
      if (!entry.contains("same_as")) continue;
      const auto same = load(parallel_case(entry.at("same_as")), vocabulary, limit);
      REQUIRE(corpus.examples.size() == same.examples.size());
      for (std::size_t i = 0; i < same.examples.size(); ++i) {
        CHECK(corpus.examples[i].source_ids == same.examples[i].source_ids);
        CHECK(corpus.examples[i].target_ids == same.examples[i].target_ids);
      }
    } catch (const Error& error) {
      CHECK(test::allows_end(entry, false));
      check_message(entry, error.what());
    }
  }
}

TEST_CASE("hostile sources give one line for each line", "[golden]") {
  const auto vocabulary = good_vocabulary();
  const auto special = vocabulary.source.special();
  for (const auto& entry : test::hostile_cases("text-source")) {
    CAPTURE(entry.at("name").get<std::string>());
    std::int64_t lines = 0;
    LineReader reader(test::hostile_file(entry).string(), LineUse::translation);
    while (const auto line = reader.next()) {
      CHECK(line->number == ++lines);
      const auto ids = vocabulary.source.encode(line->text);
      for (const auto id : ids)
        for (const auto control : {special.pad, special.bos, special.eos}) CHECK(id != control);
      CHECK(vocabulary.source.decode(ids).find_first_of("\n\r") == std::string::npos);
    }
    if (!entry.at("lines").is_null()) CHECK(lines == entry.at("lines"));
  }
}

TEST_CASE("hostile SentencePiece models end as the cases say", "[golden]") {
  for (const auto& entry : test::hostile_cases("spm")) {
    CAPTURE(entry.at("name").get<std::string>());
    // A valid model that does not fit a checkpoint is found by what loads the checkpoint.
    const bool loads = entry.value("needs_checkpoint", false);
    try {
      const auto tokenizer = Tokenizer::load(test::hostile_file(entry).string());
      if (!loads) CHECK(test::allows_end(entry, true));
      const auto ids = tokenizer.encode("baten vu \xEF\xAC\x81 \xF0\x9F\x98\x80 <s>");
      CHECK(tokenizer.decode(ids).find_first_of("\n\r") == std::string::npos);
      if (loads) check_differs(tokenizer);
    } catch (const Error& error) {
      CAPTURE(error.what());
      CHECK_FALSE(loads);
      CHECK(test::allows_end(entry, false));
      check_message(entry, error.what());
    }
  }
}

}  // namespace hostile_text_test
