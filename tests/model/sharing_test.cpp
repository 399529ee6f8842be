#include "dragoman/model/transformer.h"

#include "dragoman/core/error.h"

#include "support/golden_module.h"

#include <cmath>

namespace sharing_test {

using dragoman::ModelOptions;
using dragoman::ShareEmbeddings;
using dragoman::Transformer;

namespace {

Transformer sharing(ShareEmbeddings share, std::int64_t source = 11, std::int64_t target = 11) {
  auto options = test::golden_options();
  options.share_embeddings = share;
  return Transformer(options, dragoman::VocabularySizes{source, target});
}

std::vector<std::string> matrices(const Transformer& model) {
  std::vector<std::string> names;
  for (const auto& item : model->named_parameters())
    if (item.value().dim() == 2 && item.value().size(0) == 11) names.push_back(item.key());
  return names;
}

}  // namespace

TEST_CASE("a shared vocabulary matrix is registered once, under its name", "[unit]") {
  using Names = std::vector<std::string>;
  CHECK(matrices(sharing(ShareEmbeddings::all)) == Names{"embedding.weight"});
  CHECK(matrices(sharing(ShareEmbeddings::target_output)) ==
        Names{"source_embedding.weight", "target_embedding.weight"});
  CHECK(matrices(sharing(ShareEmbeddings::none)) ==
        Names{"source_embedding.weight", "target_embedding.weight", "generator.weight"});
}

TEST_CASE("sharing survives a change of type and of storage", "[unit]") {
  auto model = sharing(ShareEmbeddings::all);
  const auto parameters = model->named_parameters();
  const auto& weight = parameters["embedding.weight"];
  const auto is_shared = [&] { return model->generator()->weight().is_same(weight); };
  CHECK(is_shared());
  model->to(torch::kDouble);
  CHECK(is_shared());
  CHECK(model->generator()->weight().scalar_type() == torch::kDouble);
  torch::Tensor(weight).set_data(torch::full({11, 8}, 2.0, torch::kDouble));
  CHECK(is_shared());
  CHECK(model->generator()->weight()[10][7].item<double>() == 2.0);
}

TEST_CASE("one matrix for two vocabularies of different size is refused", "[unit]") {
  CHECK_THROWS_AS(sharing(ShareEmbeddings::all, 11, 12), dragoman::OptionsError);
  CHECK_THROWS_WITH(
      sharing(ShareEmbeddings::all, 11, 12),
      test::contains("model.share_embeddings") && test::contains("11") && test::contains("12"));
  CHECK_NOTHROW(sharing(ShareEmbeddings::target_output, 11, 12));
}

TEST_CASE("weights start with the variance of their kind", "[property]") {
  torch::manual_seed(1);
  ModelOptions options;
  options.d_model = 128, options.d_ff = 512, options.num_heads = 4;
  options.encoder_layers = options.decoder_layers = 2;
  options.output_bias = true;
  const Transformer model(options, dragoman::VocabularySizes{1000, 1000});
  for (const auto& item : model->named_parameters()) {
    CAPTURE(item.key());
    const auto x = item.value().detach();
    if (x.dim() == 1) {
      const bool gain = item.key().find("norm.weight") != std::string::npos;
      CHECK((x == (gain ? 1.0 : 0.0)).all().item<bool>());
      continue;
    }
    const auto rows = static_cast<double>(x.size(0)), columns = static_cast<double>(x.size(1));
    const bool embedding = item.key() == "embedding.weight";
    // Query, key and value of an attention are drawn as one matrix.
    const bool stacked = item.key().find("attention.") != std::string::npos &&
                         item.key().find(".output.") == std::string::npos;
    const double fans = (stacked ? 3.0 : 1.0) * rows + columns;
    const double variance = embedding ? 1.0 / 128 : 2.0 / fans;
    CHECK(x.var().item<double>() == test::Approx(variance).epsilon(0.05));
    CHECK(std::abs(x.mean().item<double>()) < 5 * std::sqrt(variance / (rows * columns)));
    if (!embedding) CHECK(x.abs().max().item<double>() <= std::sqrt(6.0 / fans) * (1 + 1e-6));
  }
}

TEST_CASE("equal seeds give equal weights, different seeds different ones", "[property]") {
  const auto built = [](std::uint64_t seed) {
    torch::manual_seed(seed);
    return sharing(ShareEmbeddings::none)->parameters();
  };
  const auto first = built(3), again = built(3), other = built(4);
  bool differs = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(test::same_bits(first[i], again[i]));
    differs = differs || !at::equal(first[i], other[i]);
  }
  CHECK(differs);
}

TEST_CASE("without the residual connection a sub-layer's input is not added", "[unit]") {
  auto options = test::golden_options();
  options.norm = dragoman::NormPosition::pre;
  const auto x = torch::randn({1, 2, 8});
  const auto change = torch::ones_like(x);
  CHECK(at::equal(dragoman::AddNorm(options)->after(x, change), x + 1));
  options.residual = false;
  CHECK(at::equal(dragoman::AddNorm(options)->after(x, change), change));
}

}  // namespace sharing_test
