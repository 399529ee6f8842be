#pragma once

namespace dragoman::app {

/// Tells the C library to keep freed memory for the next allocation instead of giving it back to
/// the system. To be called first in `main`.
///
/// A training step frees and takes again the same large blocks; given back and taken again, each
/// page costs a fault and is filled with zeros, up to a quarter of a small model's step. The price
/// is that the process stays as large as its largest step. Does nothing without glibc.
void keep_large_blocks();

}  // namespace dragoman::app
