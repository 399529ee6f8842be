#include "dragoman/decoding/module_model.h"
#include "dragoman/inference/engine_model.h"
#include "inference/small_engine.h"
#include "support/catch.h"

#include <torch/nn.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace most_probable_test {

using namespace dragoman;
using test::Ids;

namespace {

constexpr std::int64_t vocab_size = 1100;  // more than a chunk of logits

/// A model that gives the same logit, above all others, to `tied` tokens: their rows of the output
/// matrix have one number each, so that the order in which products are added does not matter.
Transformer model_with_ties(const Ids& tied) {
  auto options = test::small_options();
  options.share_embeddings = ShareEmbeddings::none;
  options.output_bias = true;
  auto model = test::model_of(options, /*seed=*/5, vocab_size);
  const torch::NoGradGuard no_gradient;
  auto weight = model->generator()->weight(), bias = model->generator()->bias();
  for (const auto token : tied) {
    weight[token].zero_();
    weight[token][0] = 1.0;
    bias[token] = 100.0;
  }
  return model;
}

}  // namespace

TEST_CASE("of equally probable tokens the first is the most probable one", "[property]") {
  const std::vector<Ids> sources = {{7, 12, 3}}, targets = {{6, 40, 50, 69, 1030, 1090, 3}};
  const auto given = test::views(sources), wanted = test::views(targets);
  for (const auto& tied :
       std::vector<Ids>{{6}, {6, 40}, {6, 69}, {40, 1090}, {1030, 1090}, {50, 69}}) {
    CAPTURE(tied);
    const auto model = model_with_ties(tied);
    const auto engine = inference_model(model);
    REQUIRE(dynamic_cast<const EngineModel*>(engine.get()) != nullptr);
    for (const auto& each :
         {engine, module_model(model, {}, /*packed=*/false), module_model(model, {})}) {
      CAPTURE(each->description());
      MostProbable found;
      each->make_worker({})->log_probs(given, wanted, &found, {});
      Ids best;
      for (std::size_t t = 0; t < targets[0].size(); ++t)
        if (found.at(0).at(t)) best.push_back(targets[0][t]);
      CHECK(best == Ids{tied.front()});
    }
  }
}

}  // namespace most_probable_test
