#include "support/catch.h"
#include "support/program.h"
#include "support/text.h"

#include <algorithm>
#include <random>

namespace text_models_test {

namespace {

using test::dragoman;
using test::split_lines;

/// Settings of a model that learns a toy task in seconds.
const std::vector<std::string> toy_settings = {"--preset",
                                               "tiny",
                                               "--set",
                                               "model.d_model=64",
                                               "model.d_ff=128",
                                               "model.encoder_layers=2",
                                               "model.decoder_layers=2",
                                               "model.dropout=0",
                                               "train.label_smoothing=0",
                                               "train.schedule=cosine",
                                               "train.learning_rate=0.004",
                                               "train.warmup_steps=40",
                                               "train.checkpoint_every=100000",
                                               "train.workers=1"};

/// Sentences on films, each adjective plain and negated, with what they mean. One in five
/// combinations is kept for the test.
struct Films {
  test::TemporaryDirectory folder;
  std::vector<std::string> unseen, meanings;

  Films() {
    const std::vector<std::string> subjects = {"the film", "the actor", "this story",
                                               "her song", "the end",   "it"},
                                   verbs = {"was", "is", "seems"}, ways = {"", "really ", "quite "},
                                   good = {"good", "great", "fine", "lovely"},
                                   bad = {"bad", "poor", "dull", "awful"};
    std::ofstream text(folder / "text"), labels(folder / "labels");
    int number = 0;
    for (const auto& subject : subjects)
      for (const auto& verb : verbs)
        for (const auto& way : ways)
          for (const bool negated : {false, true})
            for (const bool is_good : {false, true})
              for (const auto& adjective : is_good ? good : bad) {
                const auto line =
                    subject + " " + verb + (negated ? " not " : " ") + way + adjective;
                const std::string meaning = is_good != negated ? "positive" : "negative";
                if (++number * 7 % 5 == 0) {
                  unseen.push_back(line);
                  meanings.push_back(meaning);
                } else {
                  text << line << '\n';
                  labels << meaning << '\n';
                }
              }
  }

  std::string path(const std::string& name) const { return (folder / name).string(); }

  test::ProcessResult train(const std::string& run, const std::vector<std::string>& more) const {
    return dragoman(test::with(test::with({"classify", "train", "--text", path("text"), "--labels",
                                           path("labels"), "-o", path(run)},
                                          toy_settings),
                               more));
  }
};

}  // namespace

TEST_CASE("a classifier learns what negation does to words that it has not seen negated so",
          "[e2e][slow]") {
  const Films films;
  for (const std::string pooling : {"mean", "first"}) {
    CAPTURE(pooling);
    const auto trained = films.train(
        pooling, {"tokenizer.vocab_size=45", "train.max_steps=150", "train.batch_tokens=1024",
                  "train.decay_steps=150", "model.pooling=" + pooling});
    CAPTURE(trained.err);
    REQUIRE(trained.exit_code == 0);
    test::ProcessInput input;
    for (const auto& line : films.unseen) input.text += line + '\n';
    const auto predicted = dragoman({"classify", "predict", "-m", films.path(pooling)}, input);
    REQUIRE(predicted.exit_code == 0);
    const auto lines = split_lines(predicted.out);
    REQUIRE(lines.size() == films.unseen.size());
    std::size_t right = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto tab = lines[i].find('\t');
      right += lines[i].substr(0, tab) == films.meanings[i] ? 1 : 0;
      const double probability = std::stod(lines[i].substr(tab + 1));
      CHECK((probability >= 0.5 && probability <= 1.0));
    }
    CHECK(right * 100 >= lines.size() * 97);
    const auto evaluated = dragoman({"classify", "evaluate", "-m", films.path(pooling), "--text",
                                     films.path("text"), "--labels", films.path("labels")});
    CHECK_THAT(evaluated.out, test::contains("accuracy\t"));
    CHECK(split_lines(evaluated.out).size() == 3);
  }
}

TEST_CASE("a language model trained on copies continues an unseen text with its copy",
          "[e2e][slow]") {
  const test::TemporaryDirectory folder;
  std::mt19937 random(1);
  const auto letters = [&random] {
    std::string text;
    for (int i = 0; i < 4; ++i)
      text += std::string(1, static_cast<char>('a' + random() % 12)) + " ";
    return text;
  };
  {
    std::ofstream text(folder / "text");
    for (int i = 0; i < 12000; ++i) {
      const auto half = letters();
      text << half << "= " << half << '\n';
    }
  }
  const auto run = (folder / "run").string();
  const auto trained = dragoman(test::with(
      test::with({"lm", "train", "--text", (folder / "text").string(), "-o", run}, toy_settings),
      {"tokenizer.vocab_size=20", "train.max_steps=1000", "train.decay_steps=1000",
       "train.batch_tokens=4096"}));
  CAPTURE(trained.err);
  REQUIRE(trained.exit_code == 0);

  test::ProcessInput prompts;
  std::vector<std::string> halves;
  for (int i = 0; i < 100; ++i) {
    halves.push_back(letters());
    prompts.text += halves.back() + "=\n";
  }
  const auto generated = dragoman({"lm", "generate", "-m", run}, prompts);
  REQUIRE(generated.exit_code == 0);
  const auto lines = split_lines(generated.out);
  REQUIRE(lines.size() == halves.size());
  std::size_t right = 0, tokens = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto expected = halves[i] + "= " + halves[i];
    for (auto k = halves[i].size() + 2; k < expected.size(); k += 2, ++tokens)
      right += k < lines[i].size() && lines[i][k] == expected[k] ? 1 : 0;
  }
  CHECK(right * 1000 > tokens * 990);

  test::ProcessInput text;
  text.text = "a b c d = a b c d\na b c d = a b c e\n";
  const auto scored = dragoman({"lm", "score", "-m", run}, text);
  REQUIRE(split_lines(scored.out).size() == 2);
  for (const auto& line : split_lines(scored.out)) CHECK(line.size() - line.find('.') == 7);
  CHECK(std::stod(split_lines(scored.out)[0]) > std::stod(split_lines(scored.out)[1]) + 1.0);
  // A text is read as in training: without controls, and without the line end of other systems.
  CHECK(dragoman({"lm", "score", "-m", run}, {.text = "a b\tc d = a b c d\r\na b c d = a b c e\r"})
            .out == scored.out);
  test::ProcessInput blank;
  blank.text = "\n";  // EOS alone
  CHECK(std::stod(dragoman({"lm", "score", "-m", run}, blank).out) < 0.0);
  CHECK_THAT(dragoman({"lm", "score", "-m", run, "--total"}, text).out,
             Catch::Matchers::Matches("perplexity \\S+  accuracy [0-9.]+ %  tokens [0-9]+\n"));
  const auto sampled =
      dragoman({"lm", "generate", "-m", run, "--sample", "--n-best", "3", "--top-k", "5"}, text);
  CHECK(split_lines(sampled.out).size() == 6);
}

TEST_CASE("a model of one kind is not taken for one of another", "[e2e]") {
  const Films films;
  REQUIRE(
      films.train("run", {"tokenizer.vocab_size=45", "train.max_steps=1", "train.decay_steps=50"})
          .exit_code == 0);
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"translate", "-m", films.path("run")}, {"lm", "generate", "-m", films.path("run")}}) {
    const auto refused = dragoman(arguments);
    CHECK(refused.exit_code == 1);
    CHECK_THAT(refused.err, test::contains("its model is of the kind classifier"));
  }
  const auto described = dragoman({"info", "-m", films.path("run")});
  CHECK(described.exit_code == 0);
  CHECK_THAT(described.out, test::contains("kind                        classifier"));
  CHECK_THAT(described.out, test::contains("encoder.layers.1"));
  CHECK_THAT(described.out, !test::contains("decoder.layers"));
  const auto neither = dragoman({"classify", "train", "--text", "a", "--labels", "b", "-o", "c"});
  CHECK(neither.exit_code == 2);
  CHECK_THAT(neither.err, test::contains("classify train: no configuration or preset given"));
  const auto no_text = dragoman({"lm", "train", "--preset", "tiny", "-o", "c"});
  CHECK(no_text.exit_code == 2);
  CHECK_THAT(no_text.err, test::contains("lm train: no training text; give --text"));
}

TEST_CASE("the texts of a language model are weighted by a setting", "[e2e]") {
  const Films films;
  const auto train = [&](const std::string& weights) {
    return dragoman(test::with(
        {"lm", "train", "--text", films.path("text"), films.path("text"), "-o", films.path("lm")},
        test::with(toy_settings, {"tokenizer.vocab_size=45", weights, "train.max_steps=1",
                                  "train.decay_steps=50"})));
  };
  CHECK(train("data.weights=[2,0.5]").exit_code == 0);
  const auto refused = train("data.weights=[2]");
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("1 weight, but data.train_source has 2 files"));
}

TEST_CASE("settings that a text model has nothing of are checked, told and left out", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto text = (folder / "t").string(), run = (folder / "run").string();
  std::ofstream(text) << "a b c\nc b a\nb a c\n";
  const auto train = [&](const std::string& setting) {
    return dragoman({"lm", "train", "--preset", "tiny", "--text", text, "-o", run, "--set",
                     "model.d_model=8", "model.num_heads=2", "tokenizer.vocab_size=11",
                     "train.max_steps=1", setting});
  };
  for (const char* wrong :
       {"search.beam_size", "search.beam_sise=3", "model.encoder_layerz=3", "search.beam_size=x"}) {
    CAPTURE(wrong);
    CHECK(train(wrong).exit_code == 2);
    CHECK_FALSE(std::filesystem::exists(run));
  }
  for (const char* useless :
       {"search.beam_size=3", R"(search={"beam_size":3})", "model.encoder_layers=2"}) {
    const auto result = train(useless);  // the second and third resume the first
    CAPTURE(useless, result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, test::contains("has no effect on the models of 'lm train'"));
  }
}

TEST_CASE("a classifier without labels asks for them", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "t") << "a b c\n";
  const auto result = dragoman({"classify", "train", "--preset", "tiny", "--text",
                                (folder / "t").string(), "-o", (folder / "run").string()});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, test::contains("classify train: no labels; give --labels FILE"));
}

TEST_CASE("a character that normalisation composes is not unknown", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = (folder / "lm").string();
  {
    std::ofstream text(folder / "text");
    for (int i = 0; i < 50; ++i) text << "caf\u00e9 noir " << i % 7 << '\n';
  }
  const auto trained = dragoman(test::with(
      {"lm", "train", "--text", (folder / "text").string(), "-o", run},
      test::with(toy_settings, {"tokenizer.vocab_size=26", "tokenizer.character_coverage=1",
                                "train.max_steps=1", "train.decay_steps=50"})));
  CAPTURE(trained.err);
  REQUIRE(trained.exit_code == 0);
  const auto composed = dragoman({"lm", "score", "-m", run}, {.text = "cafe\u0301\n"});
  CHECK(composed.exit_code == 0);
  CHECK_THAT(composed.err, !test::contains("not in the vocabulary"));
  const auto unknown = dragoman({"lm", "score", "-m", run}, {.text = "caf\u00e8\n"});
  CHECK_THAT(unknown.err, test::contains("U+00E8"));
}

TEST_CASE("a language model refuses a validation text without text", "[e2e]") {
  const Films films;
  std::ofstream(films.folder / "blank") << "\n\n";
  const auto refused =
      dragoman(test::with({"lm", "train", "--text", films.path("text"), "--valid-text",
                           films.path("blank"), "-o", films.path("lm")},
                          test::with(toy_settings, {"tokenizer.vocab_size=45", "train.max_steps=1",
                                                    "train.decay_steps=50"})));
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, test::contains("blank: holds no text to validate on"));
}

TEST_CASE("texts that are blank or too long for a model are counted in training and in use",
          "[e2e]") {
  const Films films;
  std::ofstream(films.folder / "long") << "the film was good the film was bad the film was good\n";
  const auto settings = test::with(toy_settings, {"tokenizer.vocab_size=45", "train.max_steps=1",
                                                  "train.decay_steps=50", "data.max_length=8"});
  const auto lm = dragoman(test::with(
      {"lm", "train", "--text", films.path("text"), films.path("long"), "-o", films.path("lm")},
      settings));
  CHECK(lm.exit_code == 0);
  CHECK_THAT(lm.err, test::contains("longer than 8 pieces (data.max_length): divided into parts"));
  const auto score = dragoman({"lm", "score", "-m", films.path("lm"), "-i", films.path("long")});
  CHECK(score.exit_code == 0);
  CHECK_THAT(score.err, test::contains("1 text longer than 8 pieces (data.max_length): divided"));
  const auto classifier =
      films.train("run", {"--set", "tokenizer.vocab_size=45", "train.max_steps=1",
                          "train.decay_steps=50", "data.max_length=8"});
  CHECK(classifier.exit_code == 0);
  const auto predicted =
      dragoman({"classify", "predict", "-m", films.path("run"), "-i", films.path("long")});
  CHECK(predicted.exit_code == 0);
  CHECK_THAT(predicted.err,
             test::contains("1 text longer than 7 pieces (data.max_length): only their beginning"));
  test::ProcessInput blank;
  blank.text = "the film\n\n  \n";
  const auto labelled = dragoman({"classify", "predict", "-m", films.path("run")}, blank);
  CHECK(split_lines(labelled.out).size() == 3);
  CHECK_THAT(labelled.err, test::contains("2 blank lines (first: line 2) labelled like the others; "
                                          "disregard their labels"));
}

TEST_CASE("a resumed training of a text model that is refused keeps its configuration", "[e2e]") {
  const Films films;
  const auto train = [&](const std::string& steps) {
    return films.train("run", {"--max-steps", steps, "--seed", "3", "--set",
                               "tokenizer.vocab_size=45", "train.decay_steps=50"});
  };
  REQUIRE(train("1").exit_code == 0);
  const auto run = films.folder / "run";
  const auto resumed = dragoman({"classify", "train", "-o", run.string(), "--max-steps", "1"});
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.err, test::contains("resuming at step 1"));
  const auto config = test::content_of(run / "config.json");
  CHECK_THAT(config, test::contains("\"max_steps\": 1,"));
  CHECK_THAT(config, test::contains("\"seed\": 3,"));
  std::filesystem::rename(run / "train.jsonl", run / "log");
  std::filesystem::create_directory(run / "train.jsonl");
  const auto refused = train("2");
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, test::contains("train.jsonl: is a folder"));
  CHECK(test::content_of(run / "config.json") == config);
  std::filesystem::remove(run / "train.jsonl");
  std::filesystem::rename(run / "log", run / "train.jsonl");
  CHECK(train("2").exit_code == 0);
  CHECK_THAT(test::content_of(run / "config.json"), test::contains("\"max_steps\": 2,"));
  std::filesystem::remove(run / "config.json");
  const auto from_checkpoint =
      dragoman({"classify", "train", "-o", run.string(), "--max-steps", "3"});
  CHECK(from_checkpoint.exit_code == 0);
  CHECK_THAT(from_checkpoint.err, test::contains("config.json: is missing; the run resumes with"));
}

}  // namespace text_models_test
