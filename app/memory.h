#pragma once

#include <string>

namespace dragoman::app {

/// Tells the allocator to keep freed memory for the next allocation instead of giving it back to
/// the system. To be called first in `main`.
///
/// A training step frees and takes again the same large blocks; given back and taken again, each
/// page costs a fault and is filled with zeros, up to a quarter of a small model's step. The price
/// is that the process stays as large as its largest step. With jemalloc nothing is left to be told:
/// its settings stand in this program, and it packs blocks of changing lengths closer than glibc's
/// allocator, which goes on taking fresh pages for dozens of updates. Does nothing without either.
void keep_large_blocks();

/// "jemalloc 5.3.0-...", or "the C library's".
std::string allocator_description();

}  // namespace dragoman::app
