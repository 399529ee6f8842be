#pragma once

#include "dragoman/text/line_writer.h"
#include "dragoman/text/lines.h"
#include "dragoman/translate/target_prefixes.h"
#include "dragoman/translate/translator.h"

#include <cstdint>
#include <string>

namespace dragoman {

/// How translations are written.
struct TranslationFormat {
  bool n_best = false;     ///< a line for each alternative: "NUMBER ||| TEXT ||| SCORE"
  bool scores = false;     ///< " ||| SCORE" behind the text
  bool alignment = false;  ///< " ||| 0-0 1-2" behind that: source piece - target piece
  bool json = false;       ///< one object for each line of the source, with everything
};

/// The lines (at least one) that stand for one line of the source.
/// \param number of the source line, from 0
std::string format_translation(const Translation& translation, std::int64_t number,
                               const TranslationFormat& format);

/// Translates all lines of a text in order, `batch_lines` at a time, so that memory does not grow
/// with the text. What is there is translated at once when more would have to be waited for.
/// Lines that were split, cut or not ended are told in the log with their number.
/// \throws DataError as `LineReader`, `LineWriter` and `TargetPrefixes` do
void translate_text(LineReader& source, LineWriter& target, const Translator& translator,
                    std::int64_t batch_lines, const TranslationFormat& format,
                    TargetPrefixes prefixes = {});

}  // namespace dragoman
