#include "dragoman/metrics/unicode.h"

#include "dragoman/metrics/unicode_tables.h"
#include "support/catch.h"

#include <initializer_list>

namespace unicode_test {

using namespace dragoman;

TEST_CASE("the tables are sorted and their ranges disjoint", "[unit]") {
  for (const auto table : {unicode::punctuation, unicode::symbols, unicode::numbers, unicode::cased,
                           unicode::case_ignorable}) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      CHECK(table[i].first <= table[i].last);
      if (i > 0) CHECK(table[i - 1].last < table[i].first);
    }
  }
  for (std::size_t i = 1; i < unicode::lower_case.size(); ++i)
    CHECK(unicode::lower_case[i - 1].last < unicode::lower_case[i].first);
}

TEST_CASE("classes contain their first and last members but not their neighbours", "[unit]") {
  CHECK(unicode::is_punctuation(U'!'));
  CHECK(unicode::is_punctuation(U'。'));
  CHECK_FALSE(unicode::is_punctuation(U'$'));
  CHECK(unicode::is_symbol(U'$'));
  CHECK(unicode::is_symbol(U'€'));
  CHECK_FALSE(unicode::is_symbol(U'%'));
  CHECK(unicode::is_number(U'½'));
  CHECK(unicode::is_number(U'Ⅳ'));
  CHECK_FALSE(unicode::is_number(U'a'));
}

TEST_CASE("there are 29 whitespace characters", "[unit]") {
  int count = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) count += unicode::is_white_space(c) ? 1 : 0;
  CHECK(count == 29);
  CHECK_FALSE(unicode::is_white_space(0x200B));
  CHECK_FALSE(unicode::is_white_space(0xFEFF));
}

TEST_CASE("lower-casing maps every script and leaves the rest unchanged", "[unit]") {
  CHECK(unicode::to_lower(U"ÄÖ Ж Ǆ ǅ Ꙁ 𐐀 ß ½ 中") == U"äö ж ǆ ǆ ꙁ 𐐨 ß ½ 中");
  CHECK(unicode::to_lower(U"Āā") == U"āā");
}

TEST_CASE("the dotted capital I becomes two code points", "[unit]") {
  CHECK(unicode::to_lower(U"İ") == U"i\u0307");
}

TEST_CASE("a capital sigma is final only after a letter and not before one", "[unit]") {
  CHECK(unicode::to_lower(U"ΟΔΟΣ") == U"οδος");
  CHECK(unicode::to_lower(U"ΣΑΣ.") == U"σας.");
  CHECK(unicode::to_lower(U"Σ") == U"σ");
  CHECK(unicode::to_lower(U"ΑΣ'Α") == U"ασ'α");
  CHECK(unicode::to_lower(U"Α.Σ 1") == U"α.ς 1");
}

TEST_CASE("stripping and splitting handle whitespace beyond ASCII", "[unit]") {
  CHECK(unicode::strip_right(U" a \u3000\r") == U" a");
  CHECK(unicode::strip(U"\u2028 a b\t") == U"a b");
  CHECK(unicode::strip(U" \u00A0") == U"");
  CHECK(unicode::split(U" a\u00A0bc \u200B ") ==
        std::vector<std::u32string_view>{U"a", U"bc", U"\u200B"});
  CHECK(unicode::strip_right_utf8(" ä\u2003 ") == " ä");
}

}  // namespace unicode_test
