#include "dragoman/shortlist/shortlist_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/shortlist/marian_binary.h"
#include "dragoman/shortlist/shortlist_text.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace shortlist_file_test {

using namespace dragoman;
using test::contains;

namespace {

const Vocabulary& vocabulary() {
  static const auto tokenizer = test::small_tokenizer();
  static const Vocabulary joint{.source = tokenizer, .target = tokenizer, .joint = true};
  return joint;
}

std::string piece(std::int32_t id) { return vocabulary().target.piece(id); }

Shortlist some_shortlist() {
  std::mt19937 random(1);
  const auto of = shortlist_vocabulary(vocabulary());
  const auto size = static_cast<std::uint32_t>(of.sizes.source);
  std::vector<LexicalEntry> entries;
  for (int i = 0; i < 200; ++i)
    entries.push_back({static_cast<std::int32_t>(3 + random() % (size - 3)),
                       static_cast<std::int32_t>(3 + random() % (size - 3)),
                       static_cast<float>(random() % 1000) / 1000.0F});
  return make_shortlist(of, entries);
}

void write_shortlist(const std::filesystem::path& file, const Shortlist& shortlist,
                     ShortlistFormat format) {
  test::write(file, shortlist_bytes(shortlist, vocabulary(), format));
}

/// A copy of a binary shortlist with one 64-bit number changed, and the checksum of the change.
std::string changed(std::string bytes, std::size_t number, std::uint64_t value) {
  std::memcpy(bytes.data() + 8 * number, &value, 8);
  const auto checksum = marian_checksum(std::string_view(bytes).substr(16));
  std::memcpy(bytes.data() + 8, &checksum, 8);
  return bytes;
}

struct Folder {
  test::TemporaryDirectory place;

  ReadShortlist read(const std::string& content) const {
    const auto file = place / "shortlist";
    test::write(file, content);
    return read_shortlist(file, vocabulary());
  }

  std::string refused(const std::string& content) const {
    try {
      read(content);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "accepted";
  }
};

}  // namespace

/// With each piece in its own list, which other programs' decoders do not add.
Shortlist with_own_pieces(const Shortlist& shortlist) {
  const auto& of = shortlist.vocabulary;
  std::vector<LexicalEntry> entries;
  for (std::int32_t source = 0; source < of.sizes.source; ++source) {
    for (const auto target : shortlist.of(source)) entries.push_back({source, target});
    if (source > of.source.eos) entries.push_back({source, source});
  }
  return make_shortlist(of, std::move(entries));
}

TEST_CASE("every format gives back what was written", "[property]") {
  const Folder folder;
  const auto shortlist = some_shortlist();
  for (const auto format :
       {ShortlistFormat::marian, ShortlistFormat::marian_text, ShortlistFormat::ctranslate2}) {
    CAPTURE(nlohmann::json(format).dump());
    const auto file = folder.place / "written";
    write_shortlist(file, shortlist, format);
    const auto read = read_shortlist(file, vocabulary());
    CHECK(read.format == format);
    const bool adds = format == ShortlistFormat::ctranslate2;
    const auto expected = adds ? with_own_pieces(shortlist) : shortlist;
    CHECK(read.shortlist.offsets == expected.offsets);
    CHECK(read.shortlist.targets == expected.targets);
    CHECK(read.shortlist.vocabulary.joint);
    if (format == ShortlistFormat::marian_text)
      CHECK(read.shortlist.probabilities == shortlist.probabilities);
    const auto again = folder.place / "again";
    write_shortlist(again, read.shortlist, format);
    CHECK(read_file(again) == read_file(file));
  }
}

TEST_CASE("the binary form has the numbers that Marian reads", "[unit]") {
  auto shortlist = make_shortlist({.sizes = {.source = 3, .target = 9}}, {{1, 8, 1.0F}, {1, 2}});
  shortlist.first = 5;
  shortlist.best = 7;
  const auto bytes = marian_binary(shortlist);
  REQUIRE(bytes.size() == (6 + 4) * 8 + 2 * 4);
  std::vector<std::uint64_t> numbers(10);
  std::memcpy(numbers.data(), bytes.data(), 80);
  // The checksum was computed by another program from the format's definition.
  CHECK(numbers == std::vector<std::uint64_t>{0xF11A48D5013417F5ULL, 0xd89e8efc80ef0ed2ULL, 5, 7, 4,
                                              2, 0, 0, 2, 2});
  const auto read = read_marian_binary(bytes, shortlist.vocabulary, "x");
  CHECK(read.first == 5);
  CHECK(read.best == 7);
  CHECK(read.targets == shortlist.targets);
}

TEST_CASE("a damaged binary shortlist is refused by place and reason", "[unit]") {
  const Folder folder;
  auto shortlist = some_shortlist();
  const auto good = marian_binary(shortlist);
  CHECK(folder.refused(good) == "accepted");
  CHECK_THAT(folder.refused(good.substr(0, 30)), contains("shortlist: is truncated in its header"));
  CHECK_THAT(folder.refused(good.substr(0, good.size() - 4)), contains("do not fill"));
  CHECK_THAT(folder.refused(good + "abcd"), contains("do not fill"));
  auto flipped = good;
  flipped[60] = static_cast<char>(flipped[60] ^ 1);
  CHECK_THAT(folder.refused(flipped), contains("does not match its checksum"));
  const auto huge = std::uint64_t{1} << 61;
  CHECK_THAT(folder.refused(changed(good, 4, huge)), contains("do not fill"));
  CHECK_THAT(folder.refused(changed(good, 5, huge + 3)), contains("do not fill"));
  CHECK_THAT(folder.refused(changed(good, 2, huge)), contains("allows the first"));
  CHECK_THAT(folder.refused(changed(good, 3, huge)), contains("has lists of"));
  CHECK_THAT(folder.refused(changed(good, 8, 1000000)), contains("has offset 1000000"));
  CHECK_THAT(folder.refused(changed(good, 6, 1)), contains("has offset 0 for source id 1"));
  shortlist.targets.back() = 100000;
  CHECK_THAT(folder.refused(marian_binary(shortlist)), contains("has target id 100000"));
  auto other = some_shortlist();
  other.offsets.push_back(other.targets.size());
  CHECK_THAT(folder.refused(marian_binary(other)), contains("offsets, the vocabulary has"));
  CHECK_THAT(folder.refused(std::string("\x1f\x8b\0\0abc", 7)), contains("has to be unpacked"));
}

TEST_CASE("no change of a binary shortlist does more than have it refused", "[property]") {
  const auto of = shortlist_vocabulary(vocabulary());
  const auto good = marian_binary(some_shortlist());
  std::mt19937_64 random(5);
  int refused = 0, accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto numbers = good.size() / 8;
    auto bytes = changed(good, 2 + random() % (numbers - 2), random() >> (random() % 64));
    if (i % 3 == 0) bytes.resize(random() % bytes.size());
    try {
      const auto read = read_marian_binary(bytes, of, "x");
      PieceSet allowed(of.sizes.target);
      for (std::int32_t source = 0; source < of.sizes.source; ++source)
        read.allow(std::span(&source, 1), allowed);
      ++accepted;
    } catch (const FormatError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
  CHECK(accepted > 10);
}

TEST_CASE("a shortlist without the row of padding fits", "[unit]") {
  const Folder folder;
  auto shortlist = make_shortlist(shortlist_vocabulary(vocabulary()), {{5, 6, 1.0F}});
  shortlist.offsets.pop_back();
  const auto read = folder.read(marian_binary(shortlist)).shortlist;
  CHECK(std::ssize(read.offsets) == vocabulary().source.vocab_size() + 1);
  CHECK(read.of(5).front() == 6);
}

TEST_CASE("Marian's text has the target first, and its NULL counts for nothing", "[unit]") {
  const Folder folder;
  const auto read = folder.read(concat(piece(7), ' ', piece(5), " 0.25\nNULL ", piece(5), " 0.5\n",
                                       piece(8), "\t", piece(5), "\t1e-60\n"));
  CHECK(read.format == ShortlistFormat::marian_text);
  CHECK(read.shortlist.targets == std::vector<std::int32_t>{7, 8});
  CHECK(read.shortlist.of(5).size() == 2);
  CHECK(read.shortlist.probabilities == std::vector<float>{0.25F, 0.0F});
}

TEST_CASE("a text that a translation uses is cut down as Marian does", "[unit]") {
  const Folder folder;
  const auto file = folder.place / "text";
  const auto of = shortlist_vocabulary(vocabulary());
  test::write(file, marian_text(some_shortlist(), vocabulary()));
  const auto loaded = load_shortlist(file, vocabulary());
  CHECK(loaded.first == of.sizes.target);  // 100, but there are fewer
  CHECK(loaded.best == 100);
}

TEST_CASE("lines that are none of a shortlist are refused by number", "[unit]") {
  const Folder folder;
  const auto good = concat(piece(7), ' ', piece(5), " 0.25\n");
  CHECK_THAT(folder.refused(good + "a b\n"), contains("shortlist: line 2: has 2 fields"));
  for (const std::string number :
       {"x", "nan", "-1", "1.5", "0.5x", "inf", "1e50", "1e400", "-1e-999"})
    CHECK_THAT(folder.refused(good + "a b " + number + "\n"),
               contains("line 2: '" + number + "' is not a probability"));
  CHECK_THAT(folder.refused(""), contains("has no entries"));
  CHECK_THAT(folder.refused("a\tb\nc\n"), contains("line 2: does not have one tab"));
  CHECK_THROWS_WITH(folder.read("a\tb\n\xff\tb\n"), contains("line 2, byte 1: is not UTF-8"));
}

TEST_CASE("unknown pieces are read as unknown with a warning, unless most are", "[unit]") {
  const Folder folder;
  const auto known = concat(piece(7), ' ', piece(5), " 0.25\n");
  {
    test::LogTaken log;
    const auto read = folder.read(known + concat("QQ ", piece(6), " 0.5\n"));
    CHECK(read.shortlist.of(6).front() == vocabulary().target.special().unk);
    REQUIRE(log.warnings.size() == 1);
    CHECK_THAT(log.warnings[0], contains("1 of 4 pieces are not in the vocabulary, 'QQ'"));
  }
  CHECK_THAT(folder.refused(known + "QQ RR 0.5\nSS TT 0.5\n"),
             contains("4 of 6 pieces are not in the vocabulary"));
}

TEST_CASE("a vocabulary map has phrases and what is always allowed", "[unit]") {
  const Folder folder;
  const auto text = concat('\t', piece(9), '\n', piece(5), '\t', piece(7), ' ', piece(8), '\n',
                           piece(5), ' ', piece(6), '\t', piece(10), '\n');
  const auto read = folder.read(text);
  CHECK(read.format == ShortlistFormat::ctranslate2);
  const auto& shortlist = read.shortlist;
  CHECK(shortlist.of(vocabulary().source.special().eos).front() == 9);
  CHECK(shortlist.of(5).size() == 2);
  REQUIRE(shortlist.phrases.size() == 1);
  CHECK(shortlist.phrases.begin()->second == std::vector<std::int32_t>{10});
  auto separate = shortlist;
  separate.vocabulary.joint = false;
  CHECK(vocabulary_map(separate, vocabulary()) == text);
  const auto joint = vocabulary_map(shortlist, vocabulary());
  CHECK_THAT(joint,
             contains(concat('\n', piece(5), '\t', piece(5), ' ', piece(7), ' ', piece(8))) &&
                 contains(concat('\n', piece(6), '\t', piece(6), '\n')));
  CHECK_THROWS_WITH(shortlist_bytes(shortlist, vocabulary(), ShortlistFormat::marian),
                    contains("has 1 phrases of several source pieces"));
}

TEST_CASE("of a vocabulary map's lines for one source the last counts, as in CTranslate2",
          "[unit]") {
  const Folder folder;
  const auto text = concat('\t', piece(9), '\n', piece(5), '\t', piece(7), ' ', piece(8), '\n',
                           piece(5), '\t', piece(6), '\n', '\t', piece(11), '\n');
  const auto shortlist = folder.read(text).shortlist;
  REQUIRE(shortlist.of(5).size() == 1);
  CHECK(shortlist.of(5).front() == 6);
  CHECK(shortlist.of(vocabulary().source.special().eos).size() == 2);  // those are joined
}

TEST_CASE("the first ids become entries where a format has no number for them", "[unit]") {
  const Folder folder;
  auto shortlist = make_shortlist(shortlist_vocabulary(vocabulary()), {{5, 6, 1.0F}});
  shortlist.first = 8;
  for (const auto format : {ShortlistFormat::marian_text, ShortlistFormat::ctranslate2}) {
    write_shortlist(folder.place / "x", shortlist, format);
    const auto read = read_shortlist(folder.place / "x", vocabulary()).shortlist;
    CHECK(read.of(vocabulary().source.special().eos).size() == 8);
  }
}

}  // namespace shortlist_file_test
