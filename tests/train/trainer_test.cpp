#include "dragoman/train/trainer.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/distributed/single.h"
#include "dragoman/run/parameters.h"
#include "dragoman/run/run_files.h"
#include "dragoman/text/learn_tokenizer.h"
#include "dragoman/train/start.h"
#include "dragoman/train/training_data.h"
#include "dragoman/translate/line_translator.h"
#include "support/close.h"
#include "support/temporary_directory.h"
#include "support/training.h"

#include <cmath>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

namespace dragoman::trainer_test {

namespace {

/// Thirty sentences of a toy language whose translation capitalises each word, in order.
std::vector<LinePair> toy_pairs() {
  const std::vector<std::string> words{"red", "dog",  "runs", "far", "home",
                                       "cat", "sees", "old",  "big"};
  std::vector<LinePair> pairs;
  for (std::size_t i = 0; i < 30; ++i) {
    std::string source, target;
    for (std::size_t j = 0; j < 3 + i % 3; ++j) {
      auto word = words[(i * 5 + j * j + j * i) % words.size()];
      source += (j > 0 ? " " : "") + word;
      for (auto& c : word) c = static_cast<char>(std::toupper(c));
      target += (j > 0 ? " " : "") + word;
    }
    pairs.push_back({source, target});
  }
  return pairs;
}

struct Toy {
  test::TemporaryDirectory folder;
  RunOptions options;

  Toy() {
    std::ofstream source(folder / "toy.src"), target(folder / "toy.tgt");
    for (const auto& pair : toy_pairs()) {
      source << pair.source << '\n';
      target << pair.target << '\n';
    }
    options = preset_run_options("tiny", {});
    options.model.d_model = 32;
    options.model.d_ff = 64;
    options.model.num_heads = 2;
    options.model.encoder_layers = options.model.decoder_layers = 1;
    options.tokenizer.vocab_size = 48;
    options.data.train_source = {(folder / "toy.src").string()};
    options.data.train_target = {(folder / "toy.tgt").string()};
    options.train.batch_tokens = 120;
    options.train.schedule = Schedule::constant;
    options.train.learning_rate = 0.003;
    options.train.warmup_steps = 20;
    options.train.log_every = 5;
    options.train.workers = 2;
    options.train.checkpoint_every = 5;
  }

  std::filesystem::path run(const std::string& name, const RunOptions& with) const {
    train({.options = with, .run_dir = folder / name});
    return folder / name;
  }
};

std::string file_of_newest(const std::filesystem::path& run_dir, const char* name) {
  return read_file(CheckpointStore(run_dir).list().front().path / name);
}

/// (step, loss) of the log, as printed.
std::vector<std::pair<std::int64_t, std::string>> losses(const std::filesystem::path& run_dir) {
  std::istringstream lines(read_file(run_dir / "train.jsonl"));
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("event") == "train")
      found.emplace_back(record.at("step"), record.at("loss").dump());
  }
  return found;
}

/// One weight that is drawn to 3; the updates whose numbers are in `broken` have a loss that is not a
/// number.
class OneWeight final : public Trainable {
 public:
  OneWeight() { module_->weight.data().fill_(1.0); }

  torch::nn::Module& module() override { return *module_; }
  at::Tensor forward(const Batch& batch) override {
    return module_->weight.flatten().expand({batch.target_tokens});
  }
  Loss loss(const at::Tensor& hidden, const Batch& batch) override {
    const bool counts = at::GradMode::is_enabled();
    const double factor = counts && broken.contains(++updates) ? std::nan("") : 1.0;
    const auto sum =
        (hidden - 3.0).pow(2).sum() * (broken_validation && !counts ? std::nan("") : factor);
    return {
        .sum = sum,
        .sums = torch::stack({sum.detach(), sum.detach(), torch::zeros({})}).to(torch::kFloat64),
        .tokens = batch.target_tokens};
  }
  void recompute(const TrainOptions&) override {}
  std::unique_ptr<Trainable> replica() const override { return std::make_unique<OneWeight>(); }
  void write(CheckpointWriter& writer) const override {
    write_tensors(writer, model_file, parameters_of(*module_));
  }

  std::set<int> broken;
  bool broken_validation = false;
  int updates = 0;

 private:
  torch::nn::Linear module_{torch::nn::LinearOptions(1, 1).bias(false)};
};

/// Trainings of one weight on six texts in epochs of three updates, validated after each.
struct LoopRun {
  test::TemporaryDirectory folder;
  RunOptions options;
  std::vector<Example> examples{6, Example{.source_ids = {}, .target_ids = {5, 6, 3}}};

  LoopRun() {
    options.train.batch_tokens = 6;
    options.train.workers = 1;
    options.train.schedule = Schedule::constant;
    options.train.learning_rate = 0.1;
    options.train.warmup_steps = 1;
    options.train.max_steps = 6;
    options.train.log_every = 1;
  }

  TrainingState run(const std::shared_ptr<OneWeight>& model) const {
    CheckpointStore store(folder / "run");
    std::filesystem::create_directories(folder / "run");
    Single alone;
    Trainer(options,
            {.model = model,
             .examples = examples,
             .stream = {.limits = {.tokens = 6}, .source_special = {}, .target_special = {}},
             .validation = Validation(validation_batches(examples, 6, {}, {}))},
            folder / "run", store.newest_good(Damaged::skip), alone)
        .run();
    const auto newest = CheckpointStore(folder / "run").newest_good(Damaged::skip).value();
    return training_state_from(nlohmann::json::parse(read_file(newest.path / "state.json")), "");
  }

  /// The records of an event in train.jsonl.
  std::vector<nlohmann::json> records(const std::string& event) const {
    std::istringstream lines(read_file(folder / "run" / "train.jsonl"));
    std::vector<nlohmann::json> found;
    for (std::string line; std::getline(lines, line);)
      if (const auto record = nlohmann::json::parse(line); record.at("event") == event)
        found.push_back(record);
    return found;
  }
};

}  // namespace

TEST_CASE("an epoch whose last update is skipped is validated and saved like any other", "[unit]") {
  const LoopRun run;
  const auto model = std::make_shared<OneWeight>();
  model->broken = {3};
  run.run(model);
  CHECK(run.records("skipped").size() == 1);
  const auto validations = run.records("validation");
  REQUIRE(validations.size() >= 2);
  CHECK(validations[0].at("step") == 2);  // three updates, of which one was skipped
  CHECK(validations[1].at("step") == 5);
  CHECK(CheckpointStore(run.folder / "run").find(checkpoint_name(2)));
}

TEST_CASE("a resumed run does not repeat the records of what it does again", "[unit]") {
  LoopRun run;
  run.options.train.checkpoint_every = 2;
  auto model = std::make_shared<OneWeight>();
  model->broken = {4, 6};  // after steps 3 and 4
  run.run(model);
  const auto skipped = run.records("skipped"), validations = run.records("validation");
  REQUIRE(skipped.size() == 2);
  // As if the process had died after step 5: checkpoint 4 is the newest.
  std::filesystem::remove_all(run.folder / "run" / "checkpoints" / checkpoint_name(6));
  std::filesystem::remove(run.folder / "run" / "latest");
  const CheckpointStore store(run.folder / "run");
  const auto newest = store.newest_good(Damaged::skip).value();
  const auto state =
      training_state_from(nlohmann::json::parse(read_file(newest.path / "state.json")), "");
  model = std::make_shared<OneWeight>();
  if (state.skipped == 1) model->broken = {1};
  run.run(model);
  CHECK(run.records("skipped") == skipped);
  CHECK(run.records("validation").size() == validations.size());
}

TEST_CASE("a run that died while it validated its checkpoint does so when it resumes", "[unit]") {
  LoopRun run;
  run.options.train.max_steps = 3;
  run.run(std::make_shared<OneWeight>());
  const auto folder = run.folder / "run";
  const auto checkpoint = CheckpointStore(folder).newest_good(Damaged::skip).value();
  const auto validation = read_file(checkpoint.path / "validation.json");
  std::filesystem::remove(checkpoint.path / "validation.json");
  std::filesystem::remove(folder / "best-loss");
  run.run(std::make_shared<OneWeight>());
  CHECK(read_file(checkpoint.path / "validation.json") == validation);
  CHECK(CheckpointStore(folder).best("loss")->step == 3);
  CHECK(run.records("validation").size() == 1);
}

TEST_CASE("a resumed run mends what best-METRIC names", "[unit]") {
  LoopRun run;
  run.run(std::make_shared<OneWeight>());  // each validation is better than the last
  CheckpointStore store(run.folder / "run");
  REQUIRE(store.best("loss")->step == 6);
  store.mark_best("loss", 3);
  run.options.train.max_steps = 9;
  run.options.train.learning_rate = 0.1;
  run.run(std::make_shared<OneWeight>());
  CHECK(store.best("loss")->step == 9);
  store.mark_best("loss", 3);
  run.run(std::make_shared<OneWeight>());  // nothing is left to do
  CHECK(store.best("loss")->step == 9);
}

TEST_CASE("a validation that is not a number is never the best", "[unit]") {
  LoopRun run;
  run.options.train.max_steps = 3;
  const auto model = std::make_shared<OneWeight>();
  model->broken_validation = true;
  run.run(model);
  CHECK_FALSE(CheckpointStore(run.folder / "run").best("loss"));
  run.options.train.max_steps = 6;
  run.run(std::make_shared<OneWeight>());
  CHECK(CheckpointStore(run.folder / "run").best("loss")->step == 6);
}

TEST_CASE("twenty steps equal ten, a stop, and ten more, byte for byte", "[property]") {
  Toy toy;
  auto options = toy.options;
  options.train.max_steps = 20;
  options.train.ema_decay = 0.9;
  const auto whole = toy.run("whole", options);
  options.train.max_steps = 13;
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
  options.train.checkpoint_every = 700;
  options.train.log_every = 700;
  const auto run_dir = toy.run("memory", options);
  const auto records = losses(run_dir);
  const auto loaded = load_run(run_dir);
  const double floor = smoothed_entropy({.eps = 0.1}, loaded.vocabulary.target.vocab_size());

  // Loss of the last updates compared with the minimum possible value.
  const auto text = identify_text(options.data.train_source, options.data.train_target,
                                  run_dir / "data" / "text.json");
  const auto data = prepare_data(options, loaded.vocabulary, text, run_dir / "data");
  auto workers = test::workers_of(loaded.model, options, 1);
  std::vector<Example> examples;
  for (std::size_t i = 0; i < data.train.size(); ++i) examples.push_back(data.train.example(i));
  std::vector<const Example*> all;
  for (const auto& example : examples) all.push_back(&example);
  const auto sums = workers.evaluate({make_batch(all, {}, {})}).value();
  CHECK(sums.loss / static_cast<double>(sums.tokens) < floor + 0.05);
  CHECK(sums.loss / static_cast<double>(sums.tokens) >= floor);

  const LineTranslator translator(loaded.model, loaded.vocabulary, SearchOptions{});
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

}  // namespace dragoman::trainer_test
