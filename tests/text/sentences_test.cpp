#include "dragoman/text/sentences.h"

#include "dragoman/core/concat.h"
#include "support/catch.h"

namespace sentences_test {

using dragoman::concat;
using dragoman::split_sentences;
using Parts = std::vector<std::string>;

TEST_CASE("a line is split behind each sentence end", "[unit]") {
  CHECK(split_sentences("He came. She went!  Why? No one knows...") ==
        Parts{"He came.", "She went!", "Why?", "No one knows..."});
}

TEST_CASE("closing quotes and brackets belong to the sentence before", "[unit]") {
  CHECK(split_sentences("\"Go!\" (Now.) Then he left.") ==
        Parts{"\"Go!\"", "(Now.)", "Then he left."});
}

TEST_CASE("a sentence does not end before a lower-case letter or without a blank", "[unit]") {
  CHECK(split_sentences("approx. five km. and 3.5 more at a.b.c now") ==
        Parts{"approx. five km. and 3.5 more at a.b.c now"});
}

TEST_CASE("capitals and small letters of other Latin and Cyrillic alphabets are told apart",
          "[unit]") {
  for (const auto& [capital, small] : {std::pair{"Žena", "žena"},
                                       {"Łódź", "łódź"},
                                       {"Ňu", "ňu"},
                                       {"Știe", "știe"},
                                       {"Đạo", "đạo"},
                                       {"Ấy", "ấy"},
                                       {"Āda", "āda"},
                                       {"Ґава", "ґава"},
                                       {"Іва", "іва"}}) {
    CAPTURE(capital, small);
    CHECK(split_sentences(std::string("Ono tam. ") + capital).size() == 2);
    CHECK(split_sentences(std::string("Ono tam. ") + small).size() == 1);
  }
}

TEST_CASE("initials and ordinal numbers do not end a sentence", "[unit]") {
  CHECK(split_sentences("J. Smith met A. Jones on 3. May. It rained in 2016. Then sun.") ==
        Parts{"J. Smith met A. Jones on 3. May.", "It rained in 2016.", "Then sun."});
}

TEST_CASE("full-width marks need no blank behind them", "[unit]") {
  CHECK(split_sentences("你好。再见！") == Parts{"你好。", "再见！"});
}

TEST_CASE("blanks and line separators of all kinds stand between sentences", "[unit]") {
  for (const auto* blank : {"\u00A0", "\u2003", "\u2028", "\u202F", "\u3000", " \u00A0 "}) {
    CAPTURE(blank);
    CHECK(split_sentences(concat("He came.", blank, "She went.", blank)) ==
          Parts{"He came.", "She went."});
    CHECK(split_sentences(concat("On 3.", blank, "May")).size() == 1);
  }
}

TEST_CASE("a sentence of another script ends with that script's mark", "[unit]") {
  for (const auto* mark : {"\u061F", "\u06D4", "\u0964", "\u0589", "\u1362"}) {
    CAPTURE(mark);
    CHECK(split_sentences(concat("\u0915\u0916", mark, " \u0915", mark)).size() == 2);
  }
  CHECK(split_sentences("\u4F60\u597D\uFF0E\u518D\u89C1\uFF0E").size() == 2);
  CHECK(split_sentences("\u4F60\uFF13\uFF0E\uFF15\u89C1").size() == 1);
}

TEST_CASE("sentences of Chinese and Japanese follow each other without a blank", "[unit]") {
  using dragoman::between_sentences;
  CHECK(between_sentences("He came.", "She went.") == " ");
  CHECK(between_sentences("\u4F60\u597D\u3002", "\u518D\u89C1\u3002").empty());
  CHECK(between_sentences("\u4F60\u597D\u3002", "He came.") == " ");
  CHECK(between_sentences("\uD55C\uAD6D.", "\uD55C\uAD6D.") == " ");  // Korean
  CHECK(between_sentences("", "a").empty());
  CHECK(between_sentences("a", "").empty());
}

TEST_CASE("blank lines have no sentences", "[unit]") {
  CHECK(split_sentences("").empty());
  CHECK(split_sentences("   ").empty());
}

TEST_CASE("splitting loses nothing but blanks", "[property]") {
  const std::string line = " A. b? C!) \"D.\" ... e. 12. F 123. G \xE2\x80\xA6 H";
  std::string joined;
  std::string expected;
  for (const auto& part : split_sentences(line)) {
    CHECK_FALSE(part.empty());
    joined += part;
  }
  std::erase(joined, ' ');
  expected = line;
  std::erase(expected, ' ');
  CHECK(joined == expected);
}

}  // namespace sentences_test
