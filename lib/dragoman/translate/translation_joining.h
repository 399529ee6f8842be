#pragma once

#include "dragoman/translate/translation_task.h"

namespace dragoman {

/// Joins what was found for the line's parts to its translation. Of several alternatives the first
/// has the best of each part; equal texts are left out if the task wants distinct ones.
void join_parts(const TranslationTask& task, LineInWork& line);

}  // namespace dragoman
