#pragma once

#include <string>

namespace dragoman::app {

/// Tells the allocator to keep freed memory for minutes: for commands that train or measure, before
/// they begin.
///
/// A training step frees and reallocates the same large blocks; returned to the system in between,
/// each page costs a fault and is zeroed, up to a quarter of a small model's step. The price
/// is that the process stays as large as the largest of its last steps. Without this call freed
/// memory goes back to the system after a second, which suits translation: it allocates blocks of
/// ever new sizes, and its memory would grow with the text.
///
/// jemalloc packs blocks of changing lengths closer than glibc's allocator, which takes fresh pages
/// for dozens of updates and, after this call, never gives them back.
void keep_freed_memory();

/// "jemalloc 5.3.0-...", or "the C library's".
std::string allocator_description();

}  // namespace dragoman::app
