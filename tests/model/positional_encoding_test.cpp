#include "dragoman/model/positional_encoding.h"

#include "dragoman/core/error.h"

#include "support/golden.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace positional_encoding_test {

using dragoman::ModelOptions;
using dragoman::Position;
using dragoman::PositionalEncoding;
using dragoman::sinusoidal_table;

namespace {

ModelOptions of_width(std::int64_t d_model, Position position = Position::sinusoidal) {
  ModelOptions options;
  options.d_model = d_model;
  options.position = position;
  return options;
}

}  // namespace

TEST_CASE("sinusoids have the golden table, shift and dot products", "[golden]") {
  for (const auto& name : test::golden_names("positional_sinusoidal")) {
    CAPTURE(name);
    const test::GoldenCase golden(name, torch::kDouble);
    const auto& params = golden.params();
    const auto length = params.at("max_len").get<std::int64_t>(),
               k = params.at("k").get<std::int64_t>();
    const auto table = sinusoidal_table(length, params.at("d_model"));
    CHECK_THAT(table, test::close_to(golden.output("table")));
    // PE(pos + k) = M PE(pos)
    CHECK_THAT(
        at::mm(table, golden.output("shift_matrix").t()),
        test::close_to(sinusoidal_table(length + k, params.at("d_model")).narrow(0, k, length),
                       {1e-9, 1e-11}));
    CHECK_THAT(at::mv(table, table[0]), test::close_to(golden.output("dot_by_offset")));
  }
}

TEST_CASE("a float32 table is accurate at large positions, where float32 angles would not be",
          "[golden]") {
  const std::string width_follows = "base";  // "base512": entries for d_model = 512
  int widths = 0;
  for (const auto& name : test::golden_names("positional_sinusoidal")) {
    const test::GoldenCase golden(name, torch::kDouble);
    for (const auto& [output, stored] : golden.json().at("outputs").items()) {
      if (!output.starts_with(width_follows)) continue;
      ++widths;
      CAPTURE(name, output);
      PositionalEncoding positions(of_width(std::stoll(output.substr(width_follows.size()))));
      const auto rows = torch::tensor(stored.at("positions").get<std::vector<std::int64_t>>());
      const auto columns = torch::tensor(stored.at("columns").get<std::vector<std::int64_t>>());
      const auto length = rows.max().item<std::int64_t>() + 1;
      const auto table = positions->forward(0, length, torch::kFloat).to(torch::kDouble);
      CHECK_THAT(table.index_select(0, rows).index_select(1, columns),
                 test::close_to(test::golden_tensor(stored.at("values")), {0.0, 1e-6}));
    }
  }
  CHECK(widths > 0);
}

TEST_CASE("no two of 10,000 positions are equal", "[property]") {
  const auto table = sinusoidal_table(10000, 64).to(torch::kFloat);
  double least = 1e9;
  for (std::int64_t start = 0; start < 10000; start += 500) {
    auto distances = torch::cdist(table.narrow(0, start, 500), table);
    distances.diagonal(start).fill_(1e9);
    least = std::min(least, distances.min().item<double>());
  }
  CHECK(least > 0.1);
}

TEST_CASE("positions continue from their start, and beyond the first table", "[property]") {
  PositionalEncoding positions(of_width(8));
  const auto whole = positions->forward(0, 3000, torch::kDouble);
  CHECK(test::same_bits(positions->forward(2990, 10, torch::kDouble), whole.narrow(0, 2990, 10)));
  CHECK_THAT(whole, test::close_to(sinusoidal_table(3000, 8)));
  CHECK(positions->parameters().empty());
}

TEST_CASE("sinusoids in halves are those of Marian, Hugging Face and M2M100", "[unit]") {
  using dragoman::Sinusoids;
  constexpr std::int64_t d_model = 10;
  const auto paper = sinusoidal_table(9, d_model);
  const auto halves = sinusoidal_table(9, d_model, Sinusoids::halves);
  const auto inclusive = sinusoidal_table(9, d_model, Sinusoids::halves_inclusive);
  for (std::int64_t t = 0; t < 9; ++t)
    for (std::int64_t k = 0; k < d_model / 2; ++k) {
      CHECK(halves[t][k].item<double>() == paper[t][2 * k].item<double>());
      CHECK(halves[t][d_model / 2 + k].item<double>() == paper[t][2 * k + 1].item<double>());
      const double angle =
          static_cast<double>(t) * std::pow(10000.0, -static_cast<double>(k) / 4.0);
      CHECK(inclusive[t][k].item<double>() == test::Approx(std::sin(angle)).margin(1e-14));
      CHECK(inclusive[t][d_model / 2 + k].item<double>() ==
            test::Approx(std::cos(angle)).margin(1e-14));
    }
}

TEST_CASE("positions count from their offset", "[unit]") {
  auto options = of_width(8);
  options.position_offset = 2;
  PositionalEncoding sinusoidal(options);
  CHECK_THAT(sinusoidal->forward(1, 4, torch::kDouble),
             test::close_to(sinusoidal_table(7, 8).narrow(0, 3, 4)));
  options.position = Position::learned;
  options.max_positions = 6;
  PositionalEncoding learned(options);
  CHECK(test::same_bits(learned->forward(0, 4, torch::kFloat),
                        learned->parameters().front().narrow(0, 2, 4)));
  CHECK_THROWS_AS(learned->forward(0, 5, torch::kFloat), dragoman::DataError);
}

TEST_CASE("several threads may extend the table at the same time", "[unit]") {
  PositionalEncoding positions(of_width(8));
  const auto expected = sinusoidal_table(4000, 8);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t len = 1; len < 1000; len += 37)
        right += at::equal(positions->forward(len * (t + 1), len, torch::kDouble).narrow(0, 0, 1),
                           expected.narrow(0, std::min<std::int64_t>(len * (t + 1), 3999), 1));
    });
  for (auto& thread : threads) thread.join();
  CHECK(right == 4 * 27);
}

TEST_CASE("learned positions refuse a sentence longer than their table", "[unit]") {
  auto options = of_width(8, Position::learned);
  options.max_positions = 5;
  PositionalEncoding positions(options);
  CHECK(positions->forward(1, 4, torch::kFloat).size(0) == 4);
  CHECK_THROWS_AS(positions->forward(1, 5, torch::kFloat), dragoman::DataError);
  CHECK_THROWS_WITH(positions->forward(1, 5, torch::kFloat),
                    test::contains("position 5") && test::contains("model.max_positions"));
}

TEST_CASE("without positions there is no vector to add", "[unit]") {
  PositionalEncoding positions(of_width(8, Position::none));
  CHECK_FALSE(positions->forward(0, 3, torch::kFloat).defined());
}

}  // namespace positional_encoding_test
