#include "dragoman/config/auto_preset.h"

#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"
#include "dragoman/core/quantity.h"
#include "support/catch.h"
#include "support/paths.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace auto_preset_test {

namespace {

using dragoman::choose_preset;
using dragoman::grouped;

constexpr std::int64_t plenty = 1'000'000'000;

struct Expected {
  std::int64_t pairs;  ///< the first of this class
  std::string preset;
  std::int64_t vocab_size;
  double dropout;
};

const std::vector<Expected> classes = {
    {0, "tiny", 1000, 0.2},          {3'000, "tiny", 2000, 0.2},     {8'000, "tiny", 2000, 0.2},
    {20'000, "tiny", 5000, 0.2},     {80'000, "small", 8000, 0.2},   {400'000, "base", 16000, 0.2},
    {2'000'000, "base", 32000, 0.1}, {10'000'000, "big", 32000, 0.1}};

void check_choice(const dragoman::CorpusSize& size, const Expected& expected) {
  CAPTURE(size.pairs, size.target_words);
  const auto found = choose_preset(size);
  CHECK(found.preset == expected.preset);
  CHECK(found.vocab_size == expected.vocab_size);
  CHECK(found.dropout == expected.dropout);
}

/// A preset with changes.
std::string with(const std::string& preset, const std::string& changes) {
  auto text = nlohmann::json::parse(dragoman::preset_text(preset));
  text.merge_patch(nlohmann::json::parse(changes));
  return text.dump();
}

}  // namespace

TEST_CASE("each class of corpora begins at its number of pairs, and at ten words for each",
          "[unit]") {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto first = classes[i].pairs;
    check_choice({.pairs = first, .target_words = plenty}, classes[i]);
    check_choice({.pairs = plenty, .target_words = first * 10}, classes[i]);
    if (i == 0) continue;
    check_choice({.pairs = first - 1, .target_words = plenty}, classes[i - 1]);
    check_choice({.pairs = plenty, .target_words = first * 10 - 1}, classes[i - 1]);
  }
}

TEST_CASE("the bound that decided is the reason", "[unit]") {
  CHECK(choose_preset({2999, plenty}).reason == "fewer than 3,000 pairs");
  CHECK(choose_preset({30000, 199999}).reason == "fewer than 200,000 target words");
  CHECK(choose_preset({plenty, plenty}).reason == "10,000,000 pairs or more");
}

TEST_CASE("a choice is a whole configuration: the preset's with its vocabulary and dropout",
          "[unit]") {
  for (const auto& one : classes) {
    const auto choice = choose_preset({.pairs = one.pairs, .target_words = plenty});
    const auto options = dragoman::parse_run_options(choice.text(), "auto");
    CHECK(choice.training.empty() == (one.pairs >= 400'000));
    auto expected = dragoman::preset_run_options(one.preset);
    if (!choice.training.empty()) {
      expected = dragoman::parse_run_options(with(one.preset, choice.training), "");
      CHECK(expected.train.decay_steps == expected.train.max_steps);
      CHECK(expected.model.attention_dropout == 0.0);
    }
    expected.tokenizer.vocab_size = one.vocab_size;
    expected.model.dropout = one.dropout;
    CHECK(dragoman::to_text(options) == dragoman::to_text(expected));
    CHECK(options.train.patience > 0);
  }
}

TEST_CASE("the table of the configurations' manual has each class", "[unit]") {
  std::ifstream manual(test::source_folder() / "configs/README.md");
  std::stringstream text;
  text << manual.rdbuf();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto& one = classes[i];
    std::ostringstream row;
    row << "\n| ";
    if (i + 1 == classes.size())
      row << "any number";
    else
      row << grouped(classes[i + 1].pairs) << " or " << grouped(10 * classes[i + 1].pairs);
    row << " | `" << one.preset << "` | " << grouped(one.vocab_size) << " | " << one.dropout
        << " |\n";
    CHECK_THAT(text.str(), test::contains(row.str()));
  }
}

}  // namespace auto_preset_test
