#include "dragoman/model/feed_forward.h"

#include "support/golden_module.h"

#include <numeric>

namespace feed_forward_test {

using namespace dragoman;

TEST_CASE("a feed-forward network permutes its outputs with the positions, whatever its activation",
          "[property]") {
  for (const auto activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh,
                                Activation::gelu_sigmoid, Activation::swish}) {
    CAPTURE(nlohmann::json(activation).dump());
    torch::manual_seed(3);
    auto options = test::golden_options();
    options.activation = activation;
    FeedForward network(options, options.d_ff);
    network->to(torch::kDouble);
    const auto x = torch::randn({2, 7, options.d_model}, torch::kDouble);
    const auto order = torch::tensor({4, 2, 6, 0, 5, 1, 3});
    const auto y = network->forward(x);
    CHECK_THAT(network->forward(x.index_select(1, order)),
               test::close_to(y.index_select(1, order), {1e-12, 1e-14}));
    CHECK_FALSE(at::allclose(y.index_select(1, order), y));

    // Neither a position's neighbours nor their number matter.
    for (std::int64_t i = 0; i < x.size(1); ++i)
      CHECK_THAT(network->forward(x.narrow(1, i, 1)),
                 test::close_to(y.narrow(1, i, 1), {1e-12, 1e-14}));
  }
}

}  // namespace feed_forward_test
