#pragma once

#include "dragoman/translate/translation_task.h"

#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// Splits each line into its parts and encodes them and their prefixes. The translations have the
/// flags that tell of this, and nothing else yet.
/// \throws LineError for the first line whose prefix reaches the length limit or contains EOS;
///     Cancelled
std::vector<LineInWork> encode_lines(const TranslationTask& task,
                                     std::span<const std::string> lines);

}  // namespace dragoman
