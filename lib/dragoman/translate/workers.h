#pragma once

#include <cstdint>
#include <functional>

namespace dragoman {

/// Does `tasks` tasks on several threads, each free thread takes the next; each thread keeps
/// LibTorch's operations to itself (small ones do not pay for a fork and join; `threads_each` lets it
/// share them) and records nothing for gradients.
/// \param workers threads at most; at least 1
/// \param task called with 0 .. tasks - 1, in this order of starting
/// \throws what the first task that failed threw, when all threads have ended; tasks that had not
///     begun are left out then
void run_on_workers(std::int64_t workers, std::int64_t tasks,
                    const std::function<void(std::int64_t)>& task, std::int64_t threads_each = 1);

}  // namespace dragoman
