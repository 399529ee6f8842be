#include "dragoman/text/piece_table.h"

#include "dragoman/core/error.h"
#include "dragoman/text/subword_sampler.h"
#include "support/catch.h"
#include "support/refusal.h"
#include "text/text_support.h"

#include <algorithm>
#include <functional>

namespace piece_table_test {

using namespace dragoman;

namespace {

using Ids = std::vector<std::int32_t>;

/// The pieces of the small tokenizer in another order, one of them left out, and ">>xxx<<" tokens.
PieceTable reversed_table(const Tokenizer& tokenizer, const std::string& left_out = "") {
  PieceTable table{.rules = TextRules::marian};
  for (auto id = tokenizer.vocab_size(); id-- > 0;) {
    const auto piece = tokenizer.piece(static_cast<std::int32_t>(id));
    if (piece != left_out) table.pieces.push_back(piece);
  }
  table.pieces.insert(table.pieces.end(), {">>deu<<", "\u2581foreign", "<end>", "<start>"});
  const auto id = [&](const std::string& piece) {
    return std::ranges::find(table.pieces, piece) - table.pieces.begin();
  };
  table.special = {
      .pad = id("<start>"), .unk = id("<unk>"), .bos = id("<start>"), .eos = id("<end>")};
  table.literals = {static_cast<std::int32_t>(id("<end>")), static_cast<std::int32_t>(id("<unk>"))};
  return table;
}

Tokenizer with_table(const PieceTable& table) {
  return Tokenizer::from_bytes(with_piece_table(table, test::small_tokenizer().sentencepiece()),
                               "a table");
}

}  // namespace

TEST_CASE("ids are those of the table, pieces those of SentencePiece", "[unit]") {
  const auto plain = test::small_tokenizer();
  const auto table = reversed_table(plain);
  const auto tokenizer = with_table(table);
  const std::string text = "koru vedo lamis.";
  CHECK(tokenizer.pieces(text) == plain.pieces(text));
  const auto ids = tokenizer.encode(text);
  const auto plain_ids = plain.encode(text);
  REQUIRE(ids.size() == plain_ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CHECK(tokenizer.piece(ids[i]) == plain.piece(plain_ids[i]));
    CHECK(tokenizer.id(tokenizer.piece(ids[i])) == ids[i]);
  }
  CHECK(tokenizer.decode(ids) == text);
  CHECK(tokenizer.vocab_size() == std::ssize(table.pieces));
  CHECK(tokenizer.special().eos == table.special.eos);
  CHECK(Tokenizer::from_bytes(tokenizer.bytes(), "again").encode(text) == ids);
  CHECK(tokenizer.sentencepiece() == plain.bytes());
  CHECK(plain.sentencepiece() == plain.bytes());
}

TEST_CASE("pieces that the table lacks, and runs of unknown characters, are one unknown piece each",
          "[unit]") {
  const auto plain = test::small_tokenizer();
  const auto left_out = plain.pieces("koru").front();
  const auto without = with_table(reversed_table(plain, left_out));
  CHECK(without.encode("koru").front() == without.special().unk);
  const auto tokenizer = with_table(reversed_table(plain));
  const auto unk = static_cast<std::int32_t>(tokenizer.special().unk);
  const auto ids = tokenizer.encode("\u6771\u4EAC vedo");
  CHECK(std::ranges::count(ids, unk) == 1);
  CHECK(tokenizer.decode(Ids{unk}).empty());
}

TEST_CASE("a language at the front of a text, or of a part of it, is one piece", "[unit]") {
  const auto tokenizer = with_table(reversed_table(test::small_tokenizer()));
  const auto deu = tokenizer.id(">>deu<<");
  const auto eos = static_cast<std::int32_t>(tokenizer.special().eos);
  const auto unk = static_cast<std::int32_t>(tokenizer.special().unk);
  const auto plain = tokenizer.encode("koru");
  const auto of = [&](Ids front) {
    front.insert(front.end(), plain.begin(), plain.end());
    return front;
  };
  CHECK(tokenizer.encode(">>deu<< koru") == of({deu}));
  CHECK(tokenizer.encode(">>zzz<< koru") == of({unk}));
  CHECK(tokenizer.encode("<end>>>deu<< koru") == of({eos, deu}));
  CHECK(tokenizer.encode("<unk>koru") == of({unk}));
  CHECK(std::ranges::count(tokenizer.encode("koru >>deu<< koru"), deu) == 0);
  CHECK(std::ranges::count(tokenizer.encode(">>deu koru"), deu) == 0);
  CHECK(tokenizer.pieces(">>deu<< koru").front() == ">>deu<<");
  auto table = reversed_table(test::small_tokenizer());
  table.rules = TextRules::plain;
  CHECK(std::ranges::count(with_table(table).encode(">>deu<< koru"), deu) == 0);
}

TEST_CASE("pieces that SentencePiece does not know are text, with blanks for the marks of words",
          "[unit]") {
  const auto tokenizer = with_table(reversed_table(test::small_tokenizer()));
  auto ids = tokenizer.encode("koru");
  ids.push_back(tokenizer.id("\u2581foreign"));
  ids.push_back(tokenizer.id(">>deu<<"));
  ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  CHECK(tokenizer.decode(ids) == "koru foreign>>deu<<");
}

TEST_CASE("a prefix begins every text and is no text itself", "[unit]") {
  auto table = reversed_table(test::small_tokenizer());
  const auto deu =
      static_cast<std::int32_t>(std::ranges::find(table.pieces, ">>deu<<") - table.pieces.begin());
  table.prefix = table.not_text = {deu};
  const auto tokenizer = with_table(table);
  const auto ids = tokenizer.encode("koru");
  CHECK(ids.front() == deu);
  CHECK(tokenizer.prefix() == Ids{deu});
  CHECK(tokenizer.pieces("koru").front() == ">>deu<<");
  CHECK(tokenizer.decode(ids) == "koru");
  CHECK(tokenizer.encode("") == Ids{deu});
  CHECK(test::small_tokenizer().prefix().empty());
}

TEST_CASE("pieces of a table are sampled and scored like those of their model", "[unit]") {
  const auto plain = test::small_tokenizer();
  const auto tokenizer = with_table(reversed_table(plain));
  const auto ids = tokenizer.encode("koru vedo");
  CHECK(tokenizer.score(ids.front()) == plain.score(plain.encode("koru vedo").front()));
  CHECK_FALSE(tokenizer.score(tokenizer.id(">>deu<<")).has_value());
  CHECK_FALSE(tokenizer.score(static_cast<std::int32_t>(tokenizer.special().eos)).has_value());
  const auto sampled = SubwordSampler(tokenizer, 0.5).sample(ids, 3);
  CHECK(tokenizer.decode(sampled) == "koru vedo");
  auto pieces = tokenizer.pieces("koru \u6771\u4EAC");
  pieces.emplace_back("<end>");
  CHECK(tokenizer.decode(pieces) == "koru \u6771\u4EAC");
}

TEST_CASE("a damaged table is refused, whatever is damaged", "[unit]") {
  const auto table = reversed_table(test::small_tokenizer());
  const auto bytes = with_table(table).bytes();
  const auto read = [](const std::string& damaged) {
    return test::refusal([&] { Tokenizer::from_bytes(damaged, "run/tokenizer.model"); });
  };
  CHECK(read(bytes).empty());
  const auto size_of_table = bytes.size() - with_table(table).sentencepiece().size();
  for (std::size_t size = 0; size <= size_of_table; size += 7) {
    CAPTURE(size);
    CHECK_FALSE(read(bytes.substr(0, size)).empty());
  }
  const auto replaced = [&](const std::string& from, const std::string& to) {
    auto changed = bytes;
    changed.replace(changed.find(from), from.size(), to);
    return read(changed);
  };
  CHECK_THAT(replaced("\"unk\":", "\"unk\":-"),
             test::contains("run/tokenizer.model: its piece table"));
  CHECK_THAT(replaced("\"marian\"", "\"martin\""), test::contains("has unknown rules"));
  CHECK_THAT(replaced("\"prefix\"", "\"prefic\""), test::contains("has no proper field prefix"));
  const std::string field = "\"literals\":[";
  const auto begin = bytes.find(field) + field.size();
  const auto ids = bytes.substr(begin, bytes.find(']', begin) - begin);
  for (std::string wrong : {"true", "7.9", "\"7\"", "9e18"}) {
    wrong.resize(std::max(wrong.size(), ids.size()), ' ');
    REQUIRE(wrong.size() == ids.size());  // the table has the size that it says
    CHECK_THAT(replaced(field + ids, field + wrong),
               test::contains("has no proper ids in literals"));
  }
  auto twice = table;
  twice.pieces[1] = twice.pieces[0];
  CHECK_THAT(test::refusal([&] { with_table(twice); }), test::contains("twice"));
  auto outside = table;
  outside.prefix = {100000};
  CHECK_THAT(test::refusal([&] { with_table(outside); }), test::contains("names the id 100000"));
}

TEST_CASE("EOS ends a source unless the table says otherwise, but none is empty", "[unit]") {
  const auto plain = test::small_tokenizer();
  auto table = reversed_table(plain);
  const auto ended = [](const Tokenizer& tokenizer, Ids ids) {
    tokenizer.end_source(ids);
    return ids;
  };
  const auto eos = static_cast<std::int32_t>(table.special.eos);
  CHECK(ended(with_table(table), {4, 5}) == Ids{4, 5, eos});
  CHECK(with_table(table).ends_sources());
  table.source_eos = false;
  CHECK_FALSE(with_table(table).ends_sources());
  CHECK(ended(with_table(table), {4, 5}) == Ids{4, 5});
  CHECK(ended(with_table(table), {}) == Ids{eos});
  CHECK(ended(plain, {4}) == Ids{4, static_cast<std::int32_t>(plain.special().eos)});
}

}  // namespace piece_table_test
