// Shared vocabulary matrices stay one piece of memory wherever weights are moved or read.
#include "dragoman/analysis/model_parts.h"
#include "dragoman/run/average.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/run/parameters.h"
#include "dragoman/train/training_checkpoint.h"
#include "support/close.h"
#include "support/training.h"
#include "train/toy_training.h"

namespace dragoman::shared_matrices_test {

namespace {

constexpr std::int64_t vocab_size = 19;

const auto all_kinds = {ShareEmbeddings::all, ShareEmbeddings::target_output,
                        ShareEmbeddings::source_target, ShareEmbeddings::none};

/// Which parts of a model read the same memory.
struct Shared {
  bool source_target, target_output, source_output;
  bool operator==(const Shared&) const = default;
};

Shared shared_in(TransformerImpl& model) {
  const void* source = source_embedding(model).weight().data_ptr();
  const void* target = target_embedding(model).weight().data_ptr();
  const void* output = model.generator()->weight().data_ptr();
  return {source == target, target == output, source == output};
}

Shared expected_of(ShareEmbeddings share) {
  const bool all = share == ShareEmbeddings::all;
  return {all || share == ShareEmbeddings::source_target,
          all || share == ShareEmbeddings::target_output, all};
}

std::size_t matrices_of(ShareEmbeddings share) {
  if (share == ShareEmbeddings::all) return 1;
  return share == ShareEmbeddings::none ? 3 : 2;
}

std::size_t vocabulary_matrices(const NamedTensors& tensors, std::int64_t rows) {
  return static_cast<std::size_t>(std::count_if(
      tensors.begin(), tensors.end(),
      [rows](const auto& item) { return item.second.dim() == 2 && item.second.size(0) == rows; }));
}

RunOptions sharing_options(ShareEmbeddings share) {
  auto options = test::small_model_options(0.0);
  options.model.share_embeddings = share;
  options.train.schedule = Schedule::constant;
  options.train.ema_decay = 0.5;
  return options;
}

/// A training of two workers, without its loop.
struct Parts {
  RunOptions options;
  Transformer model;
  DataParallel workers;
  Adam adam;
  WeightAverage average;
  TrainingState state;

  explicit Parts(ShareEmbeddings share)
      : options(sharing_options(share)),
        model(test::seeded_model(options, vocab_size)),
        workers(test::workers_of(model, options, 2)),
        adam(workers.weights(), options.train),
        average(workers.weights(), options.train.ema_decay) {}

  TrainingParts all() {
    return {.state = state, .workers = workers, .adam = adam, .average = average};
  }

  /// One update of both workers.
  void step() {
    const auto examples = test::random_examples(12, vocab_size, 5);
    const auto half = [&](std::size_t first) {
      return test::batch_of(std::span(examples).subspan(first, 6));
    };
    const UpdateData data{.shards = {{half(0)}, {half(6)}}, .counts = {}, .next = {}};
    const UpdatedParts parts{.workers = workers, .adam = adam, .average = average};
    REQUIRE(update(parts, data, {.learning_rate = 0.01}).applied);
    ++state.step;
  }

  void check_shared() {
    workers.each([&](Worker& worker) {
      auto& replica = dynamic_cast<TransformerImpl&>(worker.model->module());
      if (shared_in(replica) != expected_of(options.model.share_embeddings))
        throw std::runtime_error("a worker's matrices are not shared as they should be");
    });
    CHECK(shared_in(*model) == expected_of(options.model.share_embeddings));
  }
};

}  // namespace

TEST_CASE("matrices that are shared stay one memory in updates, averages and checkpoints",
          "[property]") {
  for (const auto share : all_kinds) {
    CAPTURE(nlohmann::json(share).dump());
    Parts parts(share);
    parts.check_shared();
    const auto before = target_embedding(*parts.model).weight().detach().clone();
    for (int i = 0; i < 3; ++i) parts.step();
    parts.check_shared();
    CHECK_FALSE(at::equal(target_embedding(*parts.model).weight(), before));

    {
      const UseAveragedWeights averaged(parts.workers.weights(), parts.average);
      parts.check_shared();
    }
    parts.check_shared();

    const auto flat = parts.workers.parameters().named(parts.average.values());
    CHECK(vocabulary_matrices(flat, vocab_size) == matrices_of(share));
  }
}

TEST_CASE("a training that is resumed updates shared matrices as if it had not stopped",
          "[property]") {
  const test::ToyTraining toy;
  for (const auto share : all_kinds) {
    const auto name = nlohmann::json(share).get<std::string>();
    CAPTURE(name);
    auto options = toy.options;
    options.model.share_embeddings = share;
    options.train.ema_decay = 0.5;
    options.train.max_steps = 5;
    const auto run_dir = toy.run(name, options);
    auto loaded = load_run(run_dir);
    const auto rows = loaded.vocabulary.target.vocab_size();
    CHECK(shared_in(*loaded.model) == expected_of(share));
    CHECK(vocabulary_matrices(parameters_of(*loaded.model), rows) == matrices_of(share));

    // What is resumed is a new model that reads a checkpoint after its parameters were moved.
    DataParallel workers = test::workers_of(loaded.model, options, 2);
    load_parameters(workers.model().module(), loaded.checkpoint / model_file);
    workers.each([&](Worker& worker) {
      if (shared_in(dynamic_cast<TransformerImpl&>(worker.model->module())) != expected_of(share))
        throw std::runtime_error("a worker's matrices are not shared as they should be");
    });

    options.train.max_steps = 10;
    toy.run(name, options);
    const auto whole = toy.run(name + "-whole", options);
    CHECK(test::file_of_newest(run_dir, model_file) == test::file_of_newest(whole, model_file));
    loaded = load_run(run_dir);
    CHECK(shared_in(*loaded.model) == expected_of(share));

    const auto average =
        average_checkpoints(last_checkpoints(run_dir, 2), toy.folder / (name + "-average"));
    CHECK(vocabulary_matrices(load_tensors(average.path / model_file), rows) == matrices_of(share));
    auto mean = load_run(toy.folder / (name + "-average"));
    CHECK(shared_in(*mean.model) == expected_of(share));

    // One write is seen by every part that shares the matrix.
    const torch::NoGradGuard no_gradient;
    torch::Tensor(target_embedding(*mean.model).weight()).fill_(0.25);
    CHECK((mean.model->generator()->weight() == 0.25).all().item<bool>() ==
          expected_of(share).target_output);
  }
}

}  // namespace dragoman::shared_matrices_test
