#pragma once

namespace dragoman {

/// Whether this program's answer replaces that of LibTorch's MKL, so that its products use
/// the fast path on every processor: built with DRAGOMAN_MKL_ON_AMD, with a LibTorch that holds
/// MKL, and seen by the dynamic linker.
bool mkl_fast_path_chosen();

}  // namespace dragoman
