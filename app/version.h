#pragma once

#include <string>

namespace dragoman::app {

/// What --version prints: a line for each of Dragoman, LibTorch and SentencePiece, then one for
/// each device seen.
std::string version_text();

}  // namespace dragoman::app
