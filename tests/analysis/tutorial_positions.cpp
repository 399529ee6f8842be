#include "analysis/tutorial_checks.h"
#include "dragoman/core/concat.h"
#include "dragoman/model/embedding.h"
#include "dragoman/model/parameter_count.h"

#include <cmath>

namespace test {

namespace tutorial_positions {

namespace {

using dragoman::concat;
using dragoman::ModelOptions;
using dragoman::Position;
using dragoman::sinusoidal_table;

void check_encoding(TutorialCase& example) {
  const std::int64_t position = example.input("pos");
  example.check("pe", sinusoidal_table(position + 1, example.input("d_model"))[position]);
}

/// The sum that enters the first layer, for one token and a learned position.
at::Tensor with_position(const at::Tensor& token, const at::Tensor& position) {
  ModelOptions options;
  options.d_model = token.size(0);
  options.dropout = 0.0;
  options.position = Position::learned;
  options.max_positions = 1;
  dragoman::PositionalEncoding positions(options);
  positions->parameters()[0].set_data(position.unsqueeze(0));
  dragoman::Embedding embedding(options, 1, positions);
  const auto scale = std::sqrt(static_cast<double>(options.d_model));
  torch::Tensor(embedding->weight()).set_data(token.unsqueeze(0) / scale);
  return embedding->forward(at::zeros({1, 1}, at::kLong))[0][0];
}

/// "pe5_first_two" has the first entries of PE(5).
void check_added(TutorialCase& example) {
  const auto token = example.input_tensor("embedding");
  example.check("sum_of_printed", with_position(token, example.input_tensor("printed_pe")));
  for (const auto& [name, stored] : example.all_correct().items())
    if (name.starts_with("pe")) {
      const std::int64_t position = std::stoll(name.substr(2));
      const auto encoding = sinusoidal_table(position + 1, token.size(0))[position];
      example.check(name, encoding.narrow(0, 0, std::ssize(stored)));
    }
}

/// Dimensions 2i and 2i + 1 have sine and cosine of one angle, for i in the stated range.
void check_pairs(TutorialCase& example) {
  const std::int64_t d_model = 12, position = 3;
  const auto encoding = sinusoidal_table(position + 1, d_model)[position];
  std::int64_t pairs = 0;
  for (; 2 * pairs < d_model; ++pairs) {
    const double i = static_cast<double>(pairs), d = static_cast<double>(d_model);
    const double angle = static_cast<double>(position) / std::pow(1e4, 2.0 * i / d);
    CHECK(encoding[2 * pairs].item<double>() == Approx(std::sin(angle)).epsilon(1e-12));
    CHECK(encoding[2 * pairs + 1].item<double>() == Approx(std::cos(angle)).epsilon(1e-12));
  }
  example.check_equal("i_range", concat("0..d_model/", d_model / pairs, "-1"));
}

/// The base model has sinusoids, which have no weights; learned positions have one vector each.
void check_choice(TutorialCase& example) {
  example.is_prose("paper");
  ModelOptions options;
  const auto chosen = nlohmann::json(options.position).get<std::string>();
  CHECK(example.correct("paper").get<std::string>().starts_with(chosen + " in the base model"));
  const auto weights = [&] {
    return dragoman::parameter_count(options, {11, 11}).embeddings.total();
  };
  const auto sinusoidal = weights();
  CHECK(dragoman::PositionalEncoding(options)->parameters().empty());
  options.position = Position::learned;
  CHECK(weights() - sinusoidal == options.max_positions * options.d_model);
}

}  // namespace

}  // namespace tutorial_positions

TutorialChecks position_checks() {
  using namespace tutorial_positions;
  return {{"000.pe_", check_encoding},
          {"000.pe_added", check_added},
          {"003.pe_index", check_pairs},
          {"004.learned", check_choice}};
}

}  // namespace test
