#pragma once

namespace dragoman {

/// Makes LibTorch's vector math functions (sin, exp, tanh, ... of a tensor) detect the processor,
/// once per process. Call it before several threads compute.
///
/// The first call of such a function in a process stores the kind of processor in two steps: a
/// number as the processor query gives it, then the row of the kernel table that belongs to it
/// (MKL's `mkl_vml_serv_cpu_detect`). A thread that comes between the two computes with the kernel
/// of another processor, whose results differ in the last bit; about one in a thousand training
/// runs then got different sinusoids and therefore different weights.
void initialise_vector_math();

}  // namespace dragoman
