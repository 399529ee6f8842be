#include "dragoman/classifier/classifier_training.h"
#include "dragoman/classifier/text_classifier.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/language_model/language_training.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/run/run_lock.h"

#include "support/catch.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

#include <algorithm>

namespace text_training_test {

namespace {

using dragoman::TextTrainRequest;
using test::contains;

/// Texts of the artificial language; the label says whether the sentence ends in a full stop.
struct LabelledFolder {
  test::TemporaryDirectory folder;

  explicit LabelledFolder(int lines = 60) {
    std::string text, labels;
    for (const auto& line : test::synthetic_lines(lines)) {
      text += line + '\n';
      labels += line.ends_with('.') ? "told\n" : "called\n";
    }
    test::write(folder / "text", text);
    test::write(folder / "labels", labels);
  }

  TextTrainRequest request() const {
    TextTrainRequest request{.options = {}, .run_dir = folder / "run"};
    auto& options = request.options;
    options.model.d_model = 16, options.model.d_ff = 32, options.model.num_heads = 2;
    options.model.encoder_layers = options.model.decoder_layers = 1;
    options.tokenizer.vocab_size = 40;
    options.data.train_source = {(folder / "text").string()};
    options.data.train_target = {(folder / "labels").string()};
    options.train.max_steps = 3;
    options.train.batch_tokens = 1000;
    options.train.device = "cpu";
    return request;
  }
};

}  // namespace

TEST_CASE("a trained classifier is loaded with its labels, and other commands refuse it",
          "[unit]") {
  const LabelledFolder labelled;
  CHECK(dragoman::train_classifier(labelled.request()).reason == "train.max_steps 3 reached");
  const auto classifier = dragoman::TextClassifier::load(labelled.folder / "run");
  CHECK(classifier.labels() == std::vector<std::string>{"called", "told"});
  const std::vector<std::string> texts = {"koru baten!", "", "vedo."};
  const auto found = classifier.classify(texts);
  REQUIRE(found.size() == 3);
  for (const auto& one : found)
    CHECK(one.probabilities[0] + one.probabilities[1] == test::Approx(1.0));
  std::vector<std::vector<std::int32_t>> pieces;
  for (const auto& text : texts) pieces.push_back(classifier.tokenizer().encode(text));
  const auto of_pieces = classifier.classify(pieces);
  REQUIRE(of_pieces.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(of_pieces[i].probabilities == found[i].probabilities);
  CHECK_THROWS_WITH(dragoman::load_run(labelled.folder / "run"),
                    contains("use 'dragoman classify'"));
}

TEST_CASE("a stopped classifier training resumes with the same bytes", "[property]") {
  const LabelledFolder labelled;
  auto request = labelled.request();
  request.options.model.dropout = 0.2;
  request.options.train.batch_tokens = 200;
  request.options.train.max_steps = 7;
  dragoman::train_classifier(request);
  auto parts = request;
  parts.run_dir = labelled.folder / "parts";
  for (const std::int64_t stop : {2, 5, 7}) {
    parts.options.train.max_steps = stop;
    dragoman::train_classifier(parts);
  }
  const auto last = [](const std::filesystem::path& run, const char* file) {
    return dragoman::read_file(run / "checkpoints" / "step-00000007" / file);
  };
  for (const char* file : {"model.safetensors", "optimizer.safetensors"})
    CHECK(last(request.run_dir, file) == last(parts.run_dir, file));
  CHECK(dragoman::train_classifier(parts).reason == "train.max_steps 7 reached");

  auto other = parts;
  other.options.model.dropout = 0.3;
  CHECK_THROWS_WITH(dragoman::train_classifier(other),
                    contains("other settings: model.dropout ") && contains("(now 0.3)"));
  const auto labels = dragoman::read_file(labelled.folder / "labels");
  test::write(labelled.folder / "labels", labels.substr(labels.find('\n') + 1) + "told\n");
  CHECK_THROWS_WITH(dragoman::train_classifier(parts),
                    contains("the training text is not the one"));
}

TEST_CASE("equal seeds give equal weights of a classifier, and others give others", "[property]") {
  std::vector<std::string> weights;
  for (const std::int64_t seed : {1, 1, 2}) {
    const LabelledFolder labelled;
    auto request = labelled.request();
    request.options.seed = seed;
    dragoman::train_classifier(request);
    const auto files = dragoman::open_run(labelled.folder / "run", dragoman::ModelKind::classifier);
    weights.push_back(dragoman::read_file(files.weights));
  }
  CHECK(weights[0] == weights[1]);
  CHECK(weights[0] != weights[2]);
}

TEST_CASE("a folder in which another process trains is refused before the text is read", "[unit]") {
  const LabelledFolder labelled;
  auto request = labelled.request();
  std::filesystem::create_directories(request.run_dir);
  const dragoman::RunLock lock(request.run_dir);
  request.options.data.train_source = {(labelled.folder / "missing").string()};
  CHECK_THROWS_WITH(dragoman::train_classifier(request), contains("in use by another process"));
  CHECK_THROWS_WITH(dragoman::train_language_model(request), contains("in use by another process"));
}

TEST_CASE("unusable training data is refused with its place", "[unit]") {
  const auto refused = [](const std::string& labels, const auto& change) -> std::string {
    const LabelledFolder labelled(3);
    test::write(labelled.folder / "labels", labels);
    auto request = labelled.request();
    change(request.options);
    try {
      dragoman::train_classifier(request);
    } catch (const dragoman::Error& error) {
      CHECK_FALSE(std::filesystem::exists(request.run_dir));
      return error.what();
    }
    return "nothing was refused";
  };
  const auto nothing = [](dragoman::RunOptions&) {};
  CHECK_THAT(refused("a\na\na\n", nothing), contains("has 1 different label; give 2 to"));
  CHECK_THAT(refused("a\n\nb\n", nothing), contains("line 2: has no label"));
  CHECK_THAT(refused("a\nb\n", nothing), contains("labels"));
  CHECK_THAT(refused("a\nb\na\n", [](auto& options) { options.data.max_ratio = 2.0; }),
             contains("data.max_ratio: "));
  CHECK_THAT(refused("a\nb\na\n",
                     [](auto& options) {
                       options.train.early_stopping_metric = dragoman::ValidationMetric::bleu;
                     }),
             contains("train.early_stopping_metric: "));
  CHECK_THAT(refused("a\nb\na\n",
                     [](auto& options) {
                       options.train.label_smoothing_kind = dragoman::SmoothingKind::exclude;
                     }),
             contains("train.label_smoothing_kind: "));
}

TEST_CASE("a text model whose training needs more memory than is free is warned of", "[unit]") {
  const LabelledFolder labelled;
  auto request = labelled.request();
  request.options.train.max_steps = 1;
  const auto count_warnings = [&](std::int64_t batch_tokens) {
    request.options.train.batch_tokens = batch_tokens;
    const test::LogTaken log;
    request.run_dir = labelled.folder / dragoman::concat("classifier-", batch_tokens);
    dragoman::train_classifier(request);
    request.run_dir = labelled.folder / dragoman::concat("language-model-", batch_tokens);
    dragoman::train_language_model(request);
    return std::ranges::count_if(log.warnings, [](const std::string& warning) {
      return warning.starts_with("memory: this training needs about ");
    });
  };
  CHECK(count_warnings(1000) == 0);
  request.options.model.d_ff = 16384;  // of a batch of the most tokens, terabytes
  CHECK(count_warnings(1 << 24) == 2);
}

TEST_CASE("a text model resumes with its own tokenizer and weighted files alone", "[unit]") {
  const LabelledFolder labelled;
  auto request = labelled.request();
  auto& data = request.options.data;
  const auto files = [&](const std::string& first, const std::string& second) {
    test::write(labelled.folder / "one", first);
    test::write(labelled.folder / "two", second);
  };
  const auto lines = test::synthetic_lines(30);
  std::string head, tail, next = lines[20] + '\n';
  for (std::size_t i = 0; i < 20; ++i) head += lines[i] + '\n';
  for (std::size_t i = 21; i < 30; ++i) tail += lines[i] + '\n';
  data.train_source =
      data.train_target = {(labelled.folder / "one").string(), (labelled.folder / "two").string()};
  data.weights = {2.0, 0.5};
  files(head, next + tail);
  dragoman::train_language_model(request);
  request.options.train.max_steps = 4;
  files(head + next, tail);
  CHECK_THROWS_WITH(dragoman::train_language_model(request),
                    contains("the training text is not the one"));
  files(head, next + tail);
  test::write(labelled.folder / "other.model", test::small_tokenizer().bytes());
  request.tokenizer = labelled.folder / "other.model";
  CHECK_THROWS_WITH(dragoman::train_language_model(request), contains("another tokenizer"));
  request.tokenizer.reset();
  CHECK(dragoman::train_language_model(request).step == 4);
}

TEST_CASE("a language model's texts are cut into chunks, and EOS has none of its own", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  const auto eos = static_cast<std::int32_t>(tokenizer.special().eos);
  const auto pieces = tokenizer.encode("koru baten lamis");
  CHECK(dragoman::language_examples("", tokenizer, 4).empty());
  const auto count = std::ssize(pieces);
  for (std::int64_t length = 1; length <= count + 1; ++length) {
    CAPTURE(length);
    const auto examples = dragoman::language_examples("koru baten lamis", tokenizer, length);
    REQUIRE(std::ssize(examples) == (count + length - 1) / length);
    std::vector<std::int32_t> joined;
    for (const auto& example : examples) {
      CHECK(example.source_ids.empty());
      CHECK(std::ssize(example.target_ids) <= length + 1);
      joined.insert(joined.end(), example.target_ids.begin(), example.target_ids.end());
    }
    CHECK(joined.back() == eos);
    joined.pop_back();
    CHECK(joined == pieces);
  }
}

}  // namespace text_training_test
