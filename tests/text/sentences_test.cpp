#include "dragoman/text/sentences.h"

#include "support/catch.h"

namespace sentences_test {

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
