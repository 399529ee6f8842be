#pragma once

namespace dragoman {

/// Lets LibTorch's vector mathematics (sin, exp, tanh, ... of a tensor) find out the processor,
/// once for the process. To be called before threads calculate side by side.
///
/// The first call of such a function in a process stores the kind of processor in two steps: a
/// number as the processor query gives it, then the row of the kernel table that belongs to it
/// (MKL's `mkl_vml_serv_cpu_detect`). A thread that comes between the two calculates with the
/// kernel of another processor, whose results differ in the last bit; about one in a thousand
/// trainings then had other sinusoids, hence other weights.
void initialise_vector_math();

}  // namespace dragoman
