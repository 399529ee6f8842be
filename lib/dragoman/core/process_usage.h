#pragma once

#include <cstdint>

namespace dragoman {

/// Largest resident memory of this process so far, in MiB.
std::int64_t peak_memory_mb();

/// Returns memory that was freed to the system, and makes `peak_memory_mb` begin again with what is
/// resident now. False if the system does not allow that: it is then still that of all before.
bool restart_peak_memory();

/// Seconds that this thread has computed, not counting the time that other programs took.
double thread_cpu_seconds();

/// The same of all threads of this process.
double process_cpu_seconds();

}  // namespace dragoman
