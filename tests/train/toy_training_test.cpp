// Complete training runs on a small text, as `train` starts them.
#include "dragoman/train/train.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/file.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/train/training_data.h"
#include "dragoman/translate/line_translator.h"
#include "loss/smoothed_entropy.h"
#include "support/close.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"
#include "support/training.h"
#include "train/toy_training.h"

#include <fstream>
#include <set>
#include <sstream>

namespace dragoman::toy_training_test {

namespace {

using test::toy_pairs;
using Toy = test::ToyTraining;
using test::file_of_newest;

/// (step, value) of the log's records, as printed.
std::vector<std::pair<std::int64_t, std::string>> values_of(const std::filesystem::path& run_dir,
                                                            const char* key) {
  std::istringstream lines(read_file(run_dir / "train.jsonl"));
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("event") == "train") found.emplace_back(record.at("step"), record.at(key).dump());
  }
  return found;
}

std::vector<std::pair<std::int64_t, std::string>> losses(const std::filesystem::path& run_dir) {
  return values_of(run_dir, "loss");
}

}  // namespace

TEST_CASE("the toy language has thirty different sentences, each with its own translation",
          "[unit]") {
  std::set<std::string> sources, targets;
  for (const auto& pair : toy_pairs()) {
    sources.insert(pair.source);
    targets.insert(pair.target);
  }
  CHECK(toy_pairs().size() == 30);
  CHECK(sources.size() == 30);
  CHECK(targets.size() == 30);
}

TEST_CASE("twenty steps equal some, a stop, and the rest, byte for byte", "[property]") {
  for (const auto& [workers, first] : {std::pair{1, 10}, {2, 13}}) {
    CAPTURE(workers, first);
    Toy toy;
    auto options = toy.options;
    options.train.workers = workers;
    options.train.max_steps = 20;
    options.train.ema_decay = 0.9;
    const auto whole = toy.run("whole", options);
    options.train.max_steps = first;
    toy.run("parts", options);
    options.train.max_steps = 20;
    const auto parts = toy.run("parts", options);
    for (const char* name : {"model.safetensors", "optimizer.safetensors"}) {
      CAPTURE(name);
      CHECK(file_of_newest(whole, name) == file_of_newest(parts, name));
    }
    CHECK(losses(whole) == losses(parts));
    CHECK(losses(whole).size() == 4);
  }
}

TEST_CASE("a stopped training with two passes resumes with the same bytes and records",
          "[property]") {
  Toy toy;
  for (const auto consistency : {Consistency::rdrop, Consistency::simcut}) {
    auto options = toy.options;
    options.train.consistency = consistency;
    const auto name = nlohmann::json(consistency).get<std::string>();
    options.train.max_steps = 10;
    const auto whole = toy.run(name, options);
    options.train.max_steps = 7;  // within the window of a record
    toy.run(name + "-parts", options);
    options.train.max_steps = 10;
    const auto parts = toy.run(name + "-parts", options);
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      CAPTURE(name, file);
      CHECK(file_of_newest(whole, file) == file_of_newest(parts, file));
    }
    for (const char* key : {"loss", "smoothed_loss", "consistency"}) {
      CAPTURE(name, key);
      CHECK(values_of(whole, key).size() == 2);
      CHECK(values_of(whole, key) == values_of(parts, key));
    }
  }
}

TEST_CASE("stopping within an epoch of weighted corpora changes no byte", "[property]") {
  Toy toy;
  auto options = toy.options;
  for (auto* files : {&options.data.train_source, &options.data.train_target}) {
    const auto twin = files->front() + ".twin";
    std::filesystem::copy_file(files->front(), twin);
    files->push_back(twin);
  }
  options.data.weights = {2.0, 0.5};
  options.train.max_steps = 20;
  const auto whole = toy.run("whole", options);
  options.train.max_steps = 7;
  toy.run("parts", options);
  options.train.max_steps = 20;
  const auto parts = toy.run("parts", options);
  for (const char* name : {"model.safetensors", "optimizer.safetensors"})
    CHECK(file_of_newest(whole, name) == file_of_newest(parts, name));
}

TEST_CASE("a run resumes with the same bytes if its token store was damaged or shared",
          "[property]") {
  Toy toy;
  auto options = toy.options;
  options.train.max_steps = 10;
  const auto whole = toy.run("whole", options);
  options.train.max_steps = 5;
  const auto parts = toy.run("parts", options);
  auto bytes = read_file(parts / "data" / "train.tokens");
  bytes[bytes.size() / 2] ^= 1;
  write_file_atomically(parts / "data" / "train.tokens", bytes);
  options.train.max_steps = 7;
  toy.run("parts", options);
  options.train.max_steps = 10;
  train({.options = options, .run_dir = parts, .data_dir = whole / "data"});
  CHECK(file_of_newest(whole, "model.safetensors") == file_of_newest(parts, "model.safetensors"));
}

TEST_CASE("equal seeds give equal bytes, different seeds different ones", "[property]") {
  Toy toy;
  auto options = toy.options;
  options.train.max_steps = 6;
  const auto first = file_of_newest(toy.run("first", options), "model.safetensors");
  CHECK(first == file_of_newest(toy.run("second", options), "model.safetensors"));
  options.seed = 2;
  CHECK(first != file_of_newest(toy.run("third", options), "model.safetensors"));
}

TEST_CASE("a model memorises a small text", "[e2e][slow]") {
  Toy toy;
  auto options = toy.options;
  options.model.dropout = 0.0;
  options.train.max_steps = 700;
  // At a constant rate the last updates still move the weights too far for some sentences.
  options.train.schedule = Schedule::linear;
  options.train.decay_steps = 700;
  options.train.checkpoint_every = 700;
  options.train.log_every = 700;
  const auto run_dir = toy.run("memory", options);
  const auto records = losses(run_dir);
  const auto loaded = load_run(run_dir);
  const double floor = test::smoothed_entropy({.eps = 0.1}, loaded.vocabulary.target.vocab_size());

  // Loss of the last updates compared with the minimum possible value.
  const auto text = identify_text(options.data.train_source, options.data.train_target,
                                  run_dir / "data" / "text.json");
  const auto data = prepare_data(options, loaded.vocabulary, text, run_dir / "data");
  auto workers = test::workers_of(loaded.model, options, 1);
  std::vector<Example> examples;
  for (std::size_t i = 0; i < data.train.size(); ++i) examples.push_back(data.train.example(i));
  const auto sums = workers.evaluate({test::batch_of(examples)}).value();
  CHECK(sums.loss / static_cast<double>(sums.tokens) < floor + 0.02);
  CHECK(sums.loss / static_cast<double>(sums.tokens) >= floor);

  const LineTranslator translator({inference_model(loaded.model)}, loaded.vocabulary,
                                  SearchOptions{});
  std::vector<std::string> sources;
  for (const auto& pair : toy_pairs()) sources.push_back(pair.source);
  const auto translations = translator.translate(sources);
  for (std::size_t i = 0; i < sources.size(); ++i)
    CHECK(translations[i].text() == toy_pairs()[i].target);
}

TEST_CASE("every record of the log has finite numbers and the learning rate of the formula",
          "[unit]") {
  Toy toy;
  auto options = toy.options;
  options.train.max_steps = 20;
  options.data.valid_source = options.data.train_source.front();
  options.data.valid_target = options.data.train_target.front();
  options.train.validate_every = 10;
  const auto run_dir = toy.run("log", options);
  std::istringstream lines(read_file(run_dir / "train.jsonl"));
  int trains = 0, validations = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    for (const auto& [name, value] : record.items()) {
      CAPTURE(line, name);
      CHECK_FALSE(value.is_null());
    }
    if (record.at("event") == "train") {
      ++trains;
      const double step = record.at("step");
      CHECK(record.at("learning_rate").get<double>() ==
            test::Approx(0.003 * std::min(1.0, step / 20.0)));
      for (const char* name :
           {"loss", "nll", "perplexity", "gradient_norm", "target_tokens_per_second", "padding"})
        CHECK(record.contains(name));
    }
    if (record.at("event") == "validation") {
      ++validations;
      for (const char* name : {"loss", "perplexity", "accuracy", "bleu", "chrf"})
        CHECK(record.contains(name));
    }
  }
  CHECK(trains == 4);
  CHECK(validations == 2);
}

TEST_CASE("losses that are not finite are skipped, counted, and end the training", "[unit]") {
  Toy toy;
  auto options = toy.options;
  options.train.max_steps = 50;
  // Decay multiplies the weights by -999,999 at each step, until they are infinite.
  options.train.learning_rate = 1e6;
  options.train.weight_decay = 1.0;
  options.train.warmup_steps = 1;
  options.train.checkpoint_every = 1000;
  options.train.max_skipped = 3;
  CHECK_THROWS_WITH(toy.run("inf", options),
                    test::contains("3 updates in a row") && test::contains("learning_rate"));
  const auto checkpoint = CheckpointStore(toy.folder / "inf").newest_good(Damaged::skip);
  REQUIRE(checkpoint);
  CHECK_NOTHROW(load_run(checkpoint->path));
}

TEST_CASE("early stopping ends a training without improvement and says so", "[unit]") {
  Toy toy;
  auto options = toy.options;
  options.train.learning_rate = 1e-12;
  options.data.valid_source = options.data.train_source.front();
  options.data.valid_target = options.data.train_target.front();
  options.train.validate_every = 2;
  options.train.validate_translations = false;
  options.train.patience = 3;
  options.train.max_steps = 1000;
  const auto end = train({.options = options, .run_dir = toy.folder / "stop"});
  CHECK(end.reason.find("train.patience") != std::string::npos);
  CHECK(CheckpointStore(toy.folder / "stop").list().front().step < 1000);
}

TEST_CASE("a run with another configuration is refused, naming the key", "[unit]") {
  Toy toy;
  auto options = toy.options;
  options.train.max_steps = 2;
  toy.run("run", options);
  options.model.d_ff = 96;
  CHECK_THROWS_WITH(toy.run("run", options), test::contains("model.d_ff"));
  options = toy.options;
  options.train.max_steps = 4;
  options.train.log_every = 1;
  CHECK_NOTHROW(toy.run("run", options));
}

TEST_CASE("a resumed run says that its validations are no longer comparable", "[unit]") {
  Toy toy;
  auto options = toy.options;
  options.data.valid_source = (toy.folder / "toy.src").string();
  options.data.valid_target = (toy.folder / "toy.tgt").string();
  options.train.validate_translations = true;
  options.train.max_steps = 2;
  toy.run("run", options);
  const test::LogTaken log;
  options.train.max_steps = 3;
  options.search.temperature = 2.0;  // has no effect without sampling
  toy.run("run", options);
  CHECK(log.warnings.empty());
  options.train.max_steps = 4;
  options.train.bleu_tokenizer = BleuTokens::character;
  toy.run("run", options);
  REQUIRE(log.warnings.size() == 1);
  CHECK(log.warnings.front().find("train.bleu_tokenizer") != std::string::npos);
}

TEST_CASE("a run resumes only with the text it was started with", "[unit]") {
  Toy toy;
  auto options = toy.options;
  options.train.max_steps = 2;
  toy.run("run", options);
  std::ofstream(toy.folder / "toy.src", std::ios::app) << "one more\n";
  std::ofstream(toy.folder / "toy.tgt", std::ios::app) << "ONE MORE\n";
  options.train.max_steps = 4;
  const auto store = read_file(toy.folder / "run" / "data" / "train.tokens");
  CHECK_THROWS_WITH(toy.run("run", options), test::contains("training text"));
  CHECK(read_file(toy.folder / "run" / "data" / "train.tokens") == store);
}

}  // namespace dragoman::toy_training_test
