#pragma once

#include <filesystem>
#include <string>

namespace dragoman {

/// The program whose model lies in `folder`, by the names of its files: "CTranslate2",
/// "Hugging Face", "Marian", "fairseq"; empty if it is none, or a run.
std::string foreign_program(const std::filesystem::path& folder);

/// For a command that reads runs.
/// \throws DataError naming that program, and how to make a run of its model
void expect_no_foreign_model(const std::filesystem::path& folder);

}  // namespace dragoman
