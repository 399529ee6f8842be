#pragma once

namespace dragoman {

// What kinds of characters there are for dividing text into words and sentences.

/// A blank of any kind, a tab, or a separator of lines or paragraphs: what SentencePiece's usual
/// normalisation turns into U+0020, and U+2028 and U+2029.
bool is_space(char32_t character);

/// A Chinese character, kana, or a mark of full width, as written without blanks around it.
bool is_wide(char32_t character);

/// A character of a script without blanks between words: Chinese characters, kana, Thai, Lao, Khmer
/// and Burmese; no punctuation marks.
bool is_unspaced(char32_t character);

}  // namespace dragoman
