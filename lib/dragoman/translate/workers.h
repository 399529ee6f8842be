#pragma once

#include <cstdint>
#include <functional>

namespace dragoman {

/// Runs `tasks` tasks on several threads; each free thread takes the next one. A LibTorch operation
/// runs on `threads_each` threads (on its own thread alone by default, because small operations do
/// not amortise a fork and join), and nothing is recorded for gradients.
/// \param workers threads at most; at least 1
/// \param task called with 0 .. tasks - 1, in this order of starting
/// \throws what the first task that failed threw, when all threads have ended; tasks that have
///     not started by then are skipped
void run_on_workers(std::int64_t workers, std::int64_t tasks,
                    const std::function<void(std::int64_t)>& task, std::int64_t threads_each = 1);

}  // namespace dragoman
