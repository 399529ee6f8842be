#pragma once

#include "dragoman/text/line_writer.h"
#include "dragoman/text/lines.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/target_prefixes.h"

#include <cstdint>
#include <functional>
#include <string>

namespace dragoman {

/// How translations are written.
struct TranslationFormat {
  bool n_best = false;     ///< a line for each hypothesis: "NUMBER ||| TEXT ||| SCORE"
  bool scores = false;     ///< " ||| SCORE" after the text
  bool alignment = false;  ///< " ||| 0-0 1-2" after that: source piece - target piece
  bool json = false;       ///< one object for each line of the source, with everything
};

/// A text to translate.
struct TextToTranslate {
  std::string source;  ///< as `open_text` takes it
  TargetPrefixes prefixes = {};
  std::int64_t batch_lines = 2000;  ///< lines that are translated together, at least 1
  TranslationFormat format = {};
  std::function<void(const Line&)> on_line = {};  ///< told each line before it is translated
};

/// The lines of output (at least one) for one line of the source.
/// \param number of the source line, from 0
std::string format_translation(const Translation& translation, std::int64_t number,
                               const TranslationFormat& format);

/// Translates all lines of a text in order, `batch_lines` at a time, so that memory does not grow
/// with it. Lines that are there are translated at once if reading more would block.
/// The log has warnings by `TranslationLog` and, while a file is translated, its progress.
/// \throws DataError as `LineReader`, `LineWriter` and `TargetPrefixes` do, LineError as
///     `LineTranslator`; the lines before the fault are written, but `target` is not finished
void translate_text(TextToTranslate text, const LineTranslator& translator, LineWriter& target);

}  // namespace dragoman
