#include "dragoman/analysis/worked_example.h"
#include "dragoman/analysis/worked_support.h"
#include "dragoman/model/positional_encoding.h"

namespace dragoman {

namespace {

using worked::vector;

Step position_step(std::int64_t position, std::int64_t d_model,
                   const std::vector<double>& printed) {
  return {.name = "PE(" + std::to_string(position) + "), d_model " + std::to_string(d_model),
          .formula = "sin, cos of pos / 10000^(2i/d)",
          .value = sinusoidal_table(position + 1, d_model)[position],
          .printed = vector(printed)};
}

WorkedExample positions_example() {
  const auto embedding = vector({0.2, 0.5, 0.1, 0.3});
  const auto printed_encoding = vector({0.1, 0.4, 0.8, 0.2});
  return {
      .name = "positions",
      .title = "Positional encoding: sines and cosines, pair by pair",
      .document = std::string(worked::guide) + ", Positional Encoding",
      .steps = {position_step(0, 4, {0, 1, 0, 1}),
                position_step(1, 4, {0.841, 0.540, 0.010, 1.000}),
                position_step(2, 4, {0.909, -0.416, 0.020, 0.9998}),
                position_step(3, 6, {0.141, -0.990, 0.139, 0.990, 0.0065, 1.0}),
                {.name = "embedding", .formula = "", .value = embedding},
                {.name = "PE(5), first two",
                 .formula = "sin 5, cos 5",
                 .value = sinusoidal_table(6, 4)[5].narrow(0, 0, 2),
                 .printed = printed_encoding.narrow(0, 0, 2),
                 .digits = 1},
                {.name = "sum of printed",
                 .formula = "embedding + printed PE(5)",
                 .value = embedding + printed_encoding,
                 .printed = vector({0.3, 0.9, 0.9, 0.5}),
                 .digits = 1}},
      .remark =
          "i counts pairs, 0 to d_model / 2 - 1; the dimensions are 2i and 2i + 1. The encoding "
          "that the last step adds is invented: PE(5) begins with -0.9589, 0.2837."};
}

}  // namespace

std::vector<WorkedExample> position_examples() { return {positions_example()}; }

}  // namespace dragoman
