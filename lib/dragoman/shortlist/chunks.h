#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace dragoman {

/// Calls `work(begin, end)` for ranges that make up [0, count), on several threads in no
/// particular order.
/// \param grain numbers of a range at most
/// \throws what the first call that failed threw, when all threads have ended
void for_chunks(std::size_t count, std::size_t grain, std::int64_t threads,
                const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace dragoman
