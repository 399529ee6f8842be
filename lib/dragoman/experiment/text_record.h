#pragma once

#include "dragoman/experiment/trial_texts.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace dragoman {

/// Records in DIR/texts.json the names and SHA-256 of the texts of the folder's training runs, or
/// compares them with the record: all training runs of a folder use one text. Incomplete texts are
/// ignored.
/// \throws OptionsError naming the first file whose content differs; FormatError if the record is
///     damaged; DataError if a file cannot be read
void record_texts(const TrialTexts& texts, const std::filesystem::path& dir);

/// Whether two such records are of the same texts, whatever the names of their files.
bool are_same_texts(const nlohmann::json& a, const nlohmann::json& b);

/// The content of DIR/texts.json, null without that file: for each option of a text its files'
/// names and SHA-256.
/// \throws FormatError if the record is damaged
nlohmann::json read_text_record(const std::filesystem::path& dir);

/// Writes a record that was read from another folder to DIR/texts.json, unless there is one.
/// \throws FormatError if `record` is not one
void restore_text_record(const nlohmann::json& record, const std::filesystem::path& dir);

/// The recorded texts in words, as for a report; without a record, that there are none.
/// \throws FormatError if the record is damaged
std::string recorded_texts(const std::filesystem::path& dir);

}  // namespace dragoman
