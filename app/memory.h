#pragma once

#include <string>

namespace dragoman::app {

/// Tells the allocator to keep freed memory for half a minute: for commands that train or measure,
/// before they begin.
///
/// A training step frees and reallocates the same large blocks; returned to the system in between,
/// each page costs a fault and is zeroed, up to a quarter of a small model's step. The price
/// is that the process is larger than its steps need: 12 layers of d_model 64 take 1.4 GB instead
/// of 0.3, and would take 9.6 GB after 45 s if pages were kept for five minutes.
/// Without this call freed memory goes back to the system after a second, which suits translation:
/// it allocates blocks of ever new sizes, and its memory would grow with the text.
///
/// jemalloc packs blocks of changing lengths closer than glibc's allocator, which takes fresh pages
/// for dozens of updates and, after this call, never gives them back.
void keep_freed_memory();

/// Treats large blocks of the first thread like those of others: before commands that use LibTorch.
///
/// jemalloc makes the first thread's arena before it reads that large blocks are not to be given
/// back at once: its free stretches of 8 MiB and more would be, and each operation on long
/// sequences would pay for fresh pages. They are given back after a second now. Nothing to do for
/// glibc.
void keep_large_blocks();

/// "jemalloc 5.3.0-...", or "the C library's".
std::string allocator_description();

}  // namespace dragoman::app
