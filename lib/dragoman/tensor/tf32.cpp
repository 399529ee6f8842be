#include "dragoman/tensor/tf32.h"

#include "dragoman/core/error.h"

#include <ATen/Context.h>

namespace dragoman {

void expect_tf32(bool wanted, const c10::Device& device) {
  if (wanted && device.is_cpu())
    throw OptionsError(
        "train.tf32: true is for products on a GPU, and this training runs on the CPU; set it to "
        "false, or train.device to cuda");
}

void choose_tf32(bool wanted, const c10::Device& device) {
  expect_tf32(wanted, device);
  if (device.is_cpu()) return;
  at::globalContext().setAllowTF32CuBLAS(wanted);
  at::globalContext().setAllowTF32CuDNN(wanted);
}

}  // namespace dragoman
