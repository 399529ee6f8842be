#pragma once

#include "dragoman/text/learn_tokenizer.h"
#include "dragoman/text/piece_table.h"
#include "dragoman/text/tokenizer.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace test {

inline std::string write(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
  return path.string();
}

/// Lines of a small synthetic language: enough different words for a vocabulary of a hundred
/// pieces.
inline std::vector<std::string> synthetic_lines(int count = 200) {
  const std::vector<std::string> words = {"baten", "koru",  "lamis", "vedo",  "plonar",
                                          "shimu", "tegal", "ruzo",  "fenik", "oralu",
                                          "gipse", "wendo", "jakur", "hymen"};
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    std::string line;
    for (int w = 0; w < 3 + i % 5; ++w)
      line +=
          (w == 0 ? "" : " ") + words[static_cast<std::size_t>((i * 7 + w * w * 3 + i / 9) % 14)];
    lines.push_back(line + (i % 3 == 0 ? "." : "!"));
  }
  return lines;
}

inline dragoman::Tokenizer small_tokenizer(
    dragoman::TokenizerType type = dragoman::TokenizerType::bpe, std::int64_t vocab_size = 40) {
  dragoman::TokenizerOptions options;
  options.type = type;
  options.vocab_size = vocab_size;
  const auto lines = synthetic_lines();
  return dragoman::Tokenizer::from_bytes(
      dragoman::learn_tokenizer(lines, options, 1, "synthetic text"), "synthetic model");
}

/// The tokenizer, except that its sources do not end with EOS, as those of OpenNMT.
inline dragoman::Tokenizer without_source_eos(const dragoman::Tokenizer& tokenizer) {
  dragoman::PieceTable table{.special = tokenizer.special(), .source_eos = false};
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    table.pieces.push_back(tokenizer.piece(id));
  return dragoman::Tokenizer::from_bytes(
      dragoman::with_piece_table(table, tokenizer.sentencepiece()), "a table");
}

}  // namespace test
