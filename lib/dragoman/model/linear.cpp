#include "dragoman/model/linear.h"

#include "dragoman/model/initialisation.h"

namespace dragoman {

LinearImpl::LinearImpl(const LinearOptions& options)
    : weight_(register_parameter("weight", xavier_uniform(options.outputs, options.inputs,
                                                           options.stacked))) {
  if (options.bias) bias_ = register_parameter("bias", torch::zeros({options.outputs}));
}

}  // namespace dragoman
