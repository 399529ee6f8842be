// Hidden cases, for several ranks: mpirun -n 3 dragoman_torch_tests "[mpi]". Each rank checks its
// own.
#include "dragoman/distributed/group.h"
#include "support/close.h"
#include "support/training.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace dragoman::mpi_test {

namespace {

/// All ranks; MPI starts once in a process, and ends with it.
Communicator& all_ranks() {
  static const auto group = join_group({.distributed = Distributed::mpi, .timeout = 30.0});
  return *group;
}

template <typename Number>
std::vector<Number> numbers_of_rank(std::int64_t rank, std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(rank + 1));
  std::vector<Number> numbers(count);
  for (auto& number : numbers)
    number = static_cast<Number>(std::ldexp(random() % 100003, static_cast<int>(random() % 40)));
  return numbers;
}

/// The sums of the ranks' numbers, added in rank order.
template <typename Number>
std::vector<Number> sum_in_order(std::int64_t ranks, std::size_t count) {
  auto total = numbers_of_rank<Number>(0, count);
  for (std::int64_t rank = 1; rank < ranks; ++rank) {
    const auto more = numbers_of_rank<Number>(rank, count);
    for (std::size_t i = 0; i < count; ++i) total[i] += more[i];
  }
  return total;
}

constexpr std::int64_t pieces = 29;

/// The first update of a stream in float64: of this rank's share of the workers, or of all of them.
test::Gradient first_update(const std::vector<Example>& examples, const WorkerShare& share,
                            bool together) {
  const auto options = test::small_model_options(0.2);
  auto workers = test::workers_of(test::seeded_model(options, pieces, torch::kFloat64), options,
                                  share.workers);
  if (together) workers.join(all_ranks(), share);
  TrainingStream stream(examples,
                        {.limits = {.tokens = 90},
                         .accumulate = 3,
                         .shards = share.workers,
                         .first_shard = share.first,
                         .all_shards = share.all,
                         .source_special = {},
                         .target_special = {}},
                        {});
  return test::gradient_of(workers, stream.next(), 7);
}

}  // namespace

TEST_CASE("ranks get the sum in rank order, with the same bits", "[.][mpi]") {
  auto& group = all_ranks();
  for (const std::size_t count : {0, 1, 2, 5, 1000, 300001}) {
    CAPTURE(count);
    auto floats = numbers_of_rank<float>(group.rank(), count);
    auto doubles = numbers_of_rank<double>(group.rank(), count);
    // Each rank begins them in another order.
    if (group.rank() % 2 == 0) group.start_sum(floats, 0);
    group.start_sum(doubles, 1);
    if (group.rank() % 2 == 1) group.start_sum(floats, 0);
    group.wait();
    CHECK(floats == sum_in_order<float>(group.size(), count));
    CHECK(doubles == sum_in_order<double>(group.size(), count));
  }
}

TEST_CASE("ranks get the texts of all ranks and the bytes of rank 0", "[.][mpi]") {
  auto& group = all_ranks();
  const auto text_of = [](std::int64_t rank) {
    return rank == 1 ? std::string()
                     : std::string(static_cast<std::size_t>(rank * 70000 + 3),
                                   static_cast<char>('a' + rank));
  };
  const auto texts = group.gather(text_of(group.rank()));
  REQUIRE(texts.size() == static_cast<std::size_t>(group.size()));
  for (std::int64_t rank = 0; rank < group.size(); ++rank)
    CHECK(texts[static_cast<std::size_t>(rank)] == text_of(rank));
  CHECK(broadcast_text(group, group.rank() == 0 ? "of rank 0" : "of another") == "of rank 0");
  CHECK(broadcast_text(group, group.rank() == 0 ? "" : "of another").empty());
}

TEST_CASE("ranks with one worker have the bits of one process with as many workers", "[.][mpi]") {
  auto& group = all_ranks();
  const auto examples = test::random_examples(60, pieces, 5);
  const auto whole =
      first_update(examples, {.workers = group.size(), .first = 0, .all = group.size()}, false);
  const auto part =
      first_update(examples, {.workers = 1, .first = group.rank(), .all = group.size()}, true);
  CHECK(test::same_bits(part.values, whole.values));
  CHECK(part.sums.loss == whole.sums.loss);
  CHECK(part.sums.nll == whole.sums.nll);
  CHECK(part.sums.correct == whole.sums.correct);
  CHECK(part.sums.tokens == whole.sums.tokens);
}

TEST_CASE("ranks with different numbers of workers have the loss and gradient of one process",
          "[.][mpi]") {
  auto& group = all_ranks();
  const auto examples = test::random_examples(60, pieces, 5);
  const auto workers_of = [](std::int64_t rank) { return rank + 1; };
  WorkerShare share{.workers = workers_of(group.rank())};
  share.all = 0;
  for (std::int64_t rank = 0; rank < group.size(); ++rank) {
    if (rank == group.rank()) share.first = share.all;
    share.all += workers_of(rank);
  }
  const auto whole =
      first_update(examples, {.workers = share.all, .first = 0, .all = share.all}, false);
  const auto part = first_update(examples, share, true);
  CHECK_THAT(part.values, test::close_to(whole.values, {1e-9, 1e-12}));
  CHECK(part.sums.loss == test::Approx(whole.sums.loss).epsilon(1e-12));
}

TEST_CASE("ranks share the batches of a validation and get the sums of one process", "[.][mpi]") {
  auto& group = all_ranks();
  const auto options = test::small_model_options(0.0);
  std::vector<Batch> batches;
  const auto examples = test::random_examples(25, pieces, 5);
  for (std::size_t i = 0; i < examples.size(); i += 5)
    batches.push_back(test::batch_of(std::span(examples).subspan(i, 5)));
  const auto measure = [&](bool together) {
    auto workers = test::workers_of(test::seeded_model(options, pieces), options, 1);
    if (together) workers.join(group, {.workers = 1, .first = group.rank(), .all = group.size()});
    return workers.evaluate(batches).value();
  };
  const auto whole = measure(false);
  const auto shared = measure(true);
  CHECK(shared.loss == whole.loss);
  CHECK(shared.nll == whole.nll);
  CHECK(shared.tokens == whole.tokens);
}

}  // namespace dragoman::mpi_test
