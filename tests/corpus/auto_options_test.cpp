#include "dragoman/corpus/auto_options.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"

#include <sys/stat.h>

#include <fstream>

namespace auto_options_test {

namespace {

using dragoman::auto_run_options;
using dragoman::words_in;
using test::contains;

/// A text of 30,000 pairs of two words, 10 of them blank on one side.
struct Text {
  test::TemporaryDirectory folder;

  Text() {
    std::ofstream source(folder / "s"), target(folder / "t");
    for (int i = 0; i < 30000; ++i) {
      source << (i % 6000 == 1 ? " " : "word") << '\n';
      target << (i % 6000 == 2 ? "" : "zwei Worte") << '\n';
    }
  }

  std::vector<std::string> settings(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"data.train_source=[\"" + (folder / "s").string() + "\"]",
                                 "data.train_target=[\"" + (folder / "t").string() + "\"]"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

}  // namespace

TEST_CASE("words are what blanks separate, or two characters of a script without blanks",
          "[unit]") {
  CHECK(words_in("") == 0);
  CHECK(words_in("  ein  Satz, mit\tfünf Wörtern ") == 5);
  CHECK(words_in("我喜欢猫") == 2);
  CHECK(words_in("我喜欢 Linux 和猫") == 4);  // five characters of the script, and a word
  CHECK(words_in("ฉันรัก") == 3);
  CHECK(words_in("un\u00A0mot\u2009et\u3000deux") == 4);
  CHECK(words_in("我喜欢猫。你呢？") == 3);  // six characters, and marks, which are no words
  CHECK(words_in("“我喜欢猫”——你呢……") == 3);
  CHECK(words_in("ein Satz , mit \"fünf\" Wörtern - .") == 5);
  CHECK(words_in("ＡＢＣ、ＤＥＦ") == 2);
}

TEST_CASE("a corpus has the pairs with text on both sides, and their target words", "[unit]") {
  const Text text;
  const std::vector<std::string> sources{(text.folder / "s").string()},
      targets{(text.folder / "t").string()};
  const auto size = dragoman::corpus_size(sources, targets);
  CHECK(size.pairs == 29990);
  CHECK(size.target_words == 2 * 29990);
}

TEST_CASE("options by the size of the text say what decided, and what was given instead",
          "[unit]") {
  const Text text;
  const auto chosen = auto_run_options(text.settings(), {});
  CHECK(chosen.options.model.d_model == 128);
  CHECK(chosen.options.tokenizer.vocab_size == 2000);
  CHECK(chosen.options.model.dropout == 0.2);
  CHECK_THAT(
      chosen.reason,
      contains(
          "29,990 pairs with 59,980 target words, fewer than 80,000 target words: "
          "preset tiny with tokenizer.vocab_size=2000 and model.dropout=0.2, with "
          "the training for a text of this size; ends after 4,000 updates at the latest; with a "
          "validation text"));
  const auto changed = auto_run_options(
      text.settings({"tokenizer.vocab_size=90", "data.valid_source=a", "data.valid_target=b"}),
      {{"--max-steps", "train.max_steps", 300}});
  CHECK(changed.options.tokenizer.vocab_size == 90);
  CHECK(changed.options.train.max_steps == 300);
  CHECK(changed.options.train.decay_steps == 4000);  // of a warm-up of 400
  CHECK_THAT(changed.reason,
             contains("tokenizer.vocab_size=90 as given, not 2000 and model.dropout=0.2, with the "
                      "training for a text of this size; ends by itself after 6 validations in a "
                      "row without improvement, "
                      "after 300 "
                      "updates at the latest"));
}

TEST_CASE("a rate, a warm-up or a length of one's own changes the training for the text",
          "[unit]") {
  const Text text;
  const auto train =
      auto_run_options(text.settings({"train.learning_rate=0.001", "train.warmup_steps=100"}),
                       {{"--max-steps", "train.max_steps", 9000}})
          .options.train;
  CHECK(train.schedule == dragoman::Schedule::cosine);
  CHECK(train.learning_rate == 0.001);
  CHECK(train.warmup_steps == 100);
  CHECK(train.decay_steps == 9000);
  CHECK(auto_run_options(text.settings({"train.max_steps=9000", "train.decay_steps=5000"}), {})
            .options.train.decay_steps == 5000);
}

TEST_CASE("a schedule of one's own, or more text, leaves the preset's training", "[unit]") {
  const Text text;
  CHECK(auto_run_options(text.settings(), {}).options.train.batch_tokens == 1024);
  for (const auto& options : {auto_run_options(text.settings({"train.schedule=noam"}), {}).options,
                              auto_run_options(text.settings(), {}, {.more_text = true}).options}) {
    CHECK(options.train.warmup_steps == dragoman::TrainOptions{}.warmup_steps);
    CHECK(options.train.learning_rate == dragoman::TrainOptions{}.learning_rate);
    CHECK(options.train.max_steps == 20000);
  }
}

TEST_CASE("characters that NFKC would replace in the target text are kept", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto settings = [&folder](const std::string& line, std::vector<std::string> more = {}) {
    std::ofstream source(folder / "s"), target(folder / "t");
    for (int i = 0; i < 100; ++i) {
      source << "\uFF28\uFF45 reads, " << i << ".\n";
      target << line << i << '\n';
    }
    more.push_back("data.train_source=[\"" + (folder / "s").string() + "\"]");
    more.push_back("data.train_target=[\"" + (folder / "t").string() + "\"]");
    return more;
  };
  using dragoman::Normalization;
  const auto normalization = [](const dragoman::AutoOptions& chosen) {
    return chosen.options.tokenizer.normalization;
  };
  const std::string chinese = "他读书，不写字。", german = "Er  liest\u00A0ein Buch. ";
  const auto chosen = auto_run_options(settings(chinese), {});
  CHECK(normalization(chosen) == Normalization::identity);
  CHECK_THAT(chosen.reason,
             contains("; tokenizer.normalization=identity, as NFKC would replace characters in "
                      "100.0 % of the first lines of " +
                      (folder / "t").string() + ", such as ") &&
                 contains("，"));
  CHECK(normalization(auto_run_options(settings(german), {})) == Normalization::nfkc);
  CHECK(normalization(auto_run_options(settings(chinese, {"tokenizer.normalization=\"nfkc\""}),
                                       {})) == Normalization::nfkc);
  CHECK(normalization(auto_run_options(settings(chinese, {"tokenizer.lowercase=true"}), {})) ==
        Normalization::nfkc);
  const auto given = auto_run_options(settings(chinese), {}, {.has_vocabulary = true});
  CHECK(normalization(given) == Normalization::nfkc);
  CHECK_THAT(given.reason, contains("preset tiny with the given vocabulary and model.dropout"));
}

TEST_CASE("BLEU of a validation text without spaces is one of characters", "[unit]") {
  const Text text;
  const auto tokens = [&text](const char* line, const std::vector<std::string>& more = {}) {
    std::ofstream(text.folder / "valid") << line << '\n' << line << '\n';
    auto settings = text.settings(more);
    for (const char* side : {"source", "target"})
      settings.push_back(std::string("data.valid_") + side + '=' +
                         (text.folder / "valid").string());
    return auto_run_options(settings, {}).options.train.bleu_tokenizer;
  };
  using dragoman::BleuTokens;
  CHECK(tokens("他读书，不写字。") == BleuTokens::zh);
  CHECK(tokens("彼は本を読んでいます。") == BleuTokens::character);
  CHECK(tokens("เขาอ่านหนังสือ") == BleuTokens::character);
  CHECK(tokens("Er liest ein Buch.") == BleuTokens::mteval_13a);
  CHECK(tokens("他读书，不写字。", {"train.bleu_tokenizer=char"}) == BleuTokens::character);
}

TEST_CASE("a validation text that is a pipe is refused", "[unit]") {
  const Text text;
  const auto pipe = (text.folder / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(
      auto_run_options(text.settings({"data.valid_source=a", "data.valid_target=" + pipe}), {}),
      contains("pipe: is not a regular file"));
}

TEST_CASE("a text with errors is looked at before it is refused, and left to a check", "[unit]") {
  const Text text;
  const auto source = (text.folder / "s").string(), fewer = (text.folder / "fewer").string();
  std::ofstream(fewer) << "one line\n";
  const std::vector<std::string> settings = {
      "data.train_source=[\"" + source + "\",\"" + source + "\"]",
      "data.train_target=[\"" + source + "\",\"" + fewer + "\"]"};
  test::LogTaken log;
  CHECK_THROWS_WITH(auto_run_options(settings, {}), contains("have 30000 and 1 lines"));
  CHECK(log.has("s: is both sides of the training text"));
  const auto checked = auto_run_options(settings, {}, {.is_check = true});
  CHECK(checked.options.model.d_model == 128);
  CHECK_THAT(checked.reason, contains("the check uses preset tiny in place of a choice"));
  CHECK_THROWS_AS(auto_run_options({}, {}, {.is_check = true}), dragoman::OptionsError);
}

TEST_CASE("options cannot be chosen by a text that is not named or not there", "[unit]") {
  CHECK_THROWS_WITH(auto_run_options({}, {}), contains("--preset auto: chooses by the size"));
  CHECK_THROWS_AS(auto_run_options({}, {}), dragoman::OptionsError);
  CHECK_THROWS_AS(
      auto_run_options({"data.train_source=[\"none\"]", "data.train_target=[\"none\"]"}, {}),
      dragoman::DataError);
  CHECK_THROWS_AS(auto_run_options({"data.train_source=[\"none\"]"}, {}), dragoman::OptionsError);
}

}  // namespace auto_options_test
