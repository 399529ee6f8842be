#include "dragoman/distributed/gradient_reducer.h"

#include "dragoman/core/error.h"
#include "dragoman/distributed/single.h"
#include "support/close.h"

#include <optional>

namespace dragoman::gradient_reducer_test {

namespace {

/// Records which channels were started, in order, and leaves the numbers unchanged.
class Notebook final : public Communicator {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 1; }
  std::int64_t local_rank() const override { return 0; }
  std::int64_t local_size() const override { return 1; }
  std::int64_t host() const override { return 0; }
  void start_sum(std::span<float> values, std::int64_t channel) override {
    begun.emplace_back(channel, values.size());
  }
  void start_sum(std::span<double> values, std::int64_t channel) override {
    begun.emplace_back(channel, values.size());
  }
  void wait() override { waited = true; }
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::string> gather(const std::string& text) override { return {text}; }
  void fail(int, const std::string&) override {}

  std::vector<std::pair<std::int64_t, std::size_t>> begun;
  bool waited = false;
};

/// Stands in for GPUs: doubles the numbers, as two equal ranks would, and records their count.
class TwoEqualDevices final : public DeviceSum {
 public:
  explicit TwoEqualDevices(std::vector<std::int64_t>& begun) : begun_(begun) {}
  void start(const at::Tensor& numbers) override {
    begun_.push_back(numbers.numel());
    numbers.mul_(2.0);
  }
  void finish() override { begun_.push_back(0); }

 private:
  std::vector<std::int64_t>& begun_;
};

constexpr std::int64_t large = 1 << 20;  // numbers of a parameter that fills a bucket

const std::vector<ParameterRange> three_parameters{{0, large}, {large, large}, {2 * large, 5}};

std::vector<at::Tensor> gradients_of(std::int64_t workers) {
  torch::manual_seed(1);
  std::vector<at::Tensor> gradients;
  for (std::int64_t i = 0; i < workers; ++i) gradients.push_back(torch::randn({2 * large + 16}));
  return gradients;
}

}  // namespace

TEST_CASE("a bucket is sent when all workers have it, the last parameters first", "[unit]") {
  Notebook group;
  GradientReducer sum(group, gradients_of(2), three_parameters);
  sum.begin();
  sum.ready(2);
  sum.ready(2);
  sum.ready(1);
  CHECK(group.begun.empty());
  sum.ready(1);
  REQUIRE(group.begun.size() == 1);
  CHECK(group.begun[0] == std::pair<std::int64_t, std::size_t>(0, large + 16));
  CHECK_FALSE(group.waited);
  double loss = 1.0;
  sum.finish({&loss, 1});
  CHECK(group.waited);
  CHECK(group.begun.size() == 3);
}

TEST_CASE("the workers' gradients are summed in their order, whoever is ready first", "[unit]") {
  Single group;
  auto gradients = gradients_of(3);
  const auto expected = gradients[0] + gradients[1] + gradients[2];
  GradientReducer sum(group, gradients, three_parameters);
  sum.begin();
  for (const std::size_t parameter : {0, 2, 1, 1, 2, 0}) sum.ready(parameter);
  sum.skip_worker();
  sum.finish({});
  CHECK(test::same_bits(gradients[0], expected));
}

TEST_CASE("a parameter without a gradient is summed at the end", "[unit]") {
  Single group;
  auto gradients = gradients_of(2);
  const auto expected = gradients[0] + gradients[1];
  GradientReducer sum(group, gradients, three_parameters);
  sum.begin();
  sum.ready(2);
  sum.ready(2);
  sum.finish({});
  CHECK(test::same_bits(gradients[0], expected));
}

TEST_CASE("a gradient sum serves one update after another", "[unit]") {
  Notebook group;
  GradientReducer sum(group, gradients_of(1), three_parameters);
  for (int update = 0; update < 3; ++update) {
    group.begun.clear();
    sum.begin();
    for (const std::size_t parameter : {2, 1, 0}) sum.ready(parameter);
    CHECK(group.begun.size() == 2);
    sum.finish({});
  }
}

TEST_CASE("devices sum the buckets in one order, whichever is ready first", "[unit]") {
  Single group;
  std::vector<std::int64_t> begun;
  auto gradients = gradients_of(2);
  const auto expected = 2.0 * (gradients[0] + gradients[1]);
  GradientReducer sum(group, gradients, three_parameters, std::make_unique<TwoEqualDevices>(begun));
  sum.begin();
  sum.skip_worker();
  for (const std::size_t parameter : {0, 2}) sum.ready(parameter);
  CHECK(begun.empty());
  sum.ready(1);
  CHECK(begun == std::vector<std::int64_t>{large + 16, large});
  sum.finish({});
  CHECK(begun == std::vector<std::int64_t>{large + 16, large, 0});
  CHECK(test::same_bits(gradients[0], expected));
}

TEST_CASE("devices sum a parameter without a gradient too, in its turn", "[unit]") {
  Notebook group;
  std::vector<std::int64_t> begun;
  GradientReducer sum(group, gradients_of(1), three_parameters,
                      std::make_unique<TwoEqualDevices>(begun));
  for (int update = 0; update < 2; ++update) {
    begun.clear();
    group.begun.clear();
    sum.begin();
    sum.ready(0);
    CHECK(begun.empty());
    double loss = 1.0;
    sum.finish({&loss, 1});
    CHECK(begun == std::vector<std::int64_t>{large + 16, large, 0});
    CHECK(group.begun == std::vector<std::pair<std::int64_t, std::size_t>>{{2, 1}});
  }
}

TEST_CASE("parameters that leave a gap at the front are refused", "[unit]") {
  Single group;
  CHECK_THROWS_AS(GradientReducer(group, gradients_of(1), {{16, large}}), ContractError);
}

TEST_CASE("gradients whose sums were started outlive an update that an error ends", "[unit]") {
  using Memory = c10::weak_intrusive_ptr<c10::StorageImpl>;
  const auto memory_of = [](const at::Tensor& tensor) {
    return Memory(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(
        tensor.storage().unsafeGetStorageImpl()));
  };
  Notebook group;
  std::optional<Memory> failed, finished;
  {
    auto gradients = gradients_of(1);
    failed = memory_of(gradients.front());
    GradientReducer reducer(group, std::move(gradients), three_parameters);
    reducer.begin();
    reducer.ready(2);
    reducer.ready(1);
    REQUIRE(group.begun.size() == 1);  // the group may write until `wait`
  }
  CHECK_FALSE(failed->expired());
  {
    auto gradients = gradients_of(1);
    finished = memory_of(gradients.front());
    GradientReducer reducer(group, std::move(gradients), three_parameters);
    reducer.begin();
    reducer.finish({});
  }
  CHECK(finished->expired());
}

}  // namespace dragoman::gradient_reducer_test
