#include "dragoman/model/generator.h"

#include "dragoman/tensor/initialisation.h"

namespace dragoman {

GeneratorImpl::GeneratorImpl(const ModelOptions& options, std::int64_t vocab_size)
    : weight_(register_parameter("weight", xavier_uniform(vocab_size, options.d_model))) {
  if (options.output_bias) bias_ = register_parameter("bias", torch::zeros({vocab_size}));
}

GeneratorImpl::GeneratorImpl(const ModelOptions& options, const torch::Tensor& shared)
    : weight_(shared) {
  if (options.output_bias) bias_ = register_parameter("bias", torch::zeros({shared.size(0)}));
}

void GeneratorImpl::pack(WeightType type) {
  packed_ = std::make_shared<PackedLinear>(weight_, bias_, type);
  if (named_parameters(/*recurse=*/false).contains("weight"))
    weight_.set_data(weight_.detach().new_empty({weight_.size(0), 0}));
}

}  // namespace dragoman
