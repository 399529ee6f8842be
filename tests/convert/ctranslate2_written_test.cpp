#include "convert/random_run.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/ctranslate2_file.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/run/parameters.h"
#include "dragoman/text/piece_table.h"
#include "dragoman/translate/line_translator.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace ctranslate2_written_test {

using namespace dragoman;
using test::random_run;
using test::small_options;

namespace {

/// A run's tokenizer as the table of another system.
Tokenizer as_table(const Tokenizer& tokenizer, const std::function<void(PieceTable&)>& change) {
  PieceTable table;
  table.special = tokenizer.special();
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    table.pieces.push_back(tokenizer.piece(id));
  change(table);
  return Tokenizer::from_bytes(with_piece_table(table, tokenizer.sentencepiece()), "a table");
}

}  // namespace

TEST_CASE("CTranslate2 cannot choose padding or a row that only fills the matrix up", "[unit]") {
  auto options = small_options();
  options.model.output_bias = true;
  auto run = random_run(options);
  const auto filler = run.vocabulary.target.vocab_size() - 2;  // the last one is padding
  const auto table = as_table(run.vocabulary.target, [&](PieceTable& of) {
    of.pieces[static_cast<std::size_t>(filler)] = "madeupword0";
  });
  run.vocabulary = {.source = table, .target = table, .joint = false};
  const auto pad = run.vocabulary.target.special().pad;
  REQUIRE(pad != run.vocabulary.target.special().eos);
  const test::TemporaryDirectory folder;
  const auto before = parameters_of(*run.model).at("generator.bias").clone();
  export_ctranslate2(run, folder / "ct2");
  const auto file = read_ctranslate2_file(folder / "ct2" / "model.bin");
  const auto& bias = file.variables.at("decoder/projection/bias");
  std::vector<float> written(static_cast<std::size_t>(before.size(0)));
  REQUIRE(bias.bytes.size() == written.size() * sizeof(float));
  std::memcpy(written.data(), bias.bytes.view().data(), bias.bytes.size());
  for (std::int64_t id = 0; id < before.size(0); ++id)
    CHECK(written[static_cast<std::size_t>(id)] ==
          (id == pad || id == filler ? -1e4F : before[id].item<float>()));
}

TEST_CASE("a source without EOS keeps its last piece", "[unit]") {
  auto run = random_run(small_options());
  const auto table = as_table(run.vocabulary.source, [](PieceTable& of) { of.source_eos = false; });
  const Vocabulary vocabulary{.source = table, .target = run.vocabulary.target, .joint = false};
  SearchOptions search;
  search.greedy = true;
  search.max_length = 3;
  const LineTranslator translator({module_model(run.model, {}, /*packed=*/false)}, vocabulary,
                                  search, {.workers = 1});
  const std::vector<std::string> lines{"koru vedo lamis.", "baten"};
  const auto found = translator.translate(lines);
  REQUIRE(found.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    CHECK(found[i].source_pieces == table.pieces(lines[i]));
}

TEST_CASE("pieces that a vocabulary lacks are told, but padding is none", "[unit]") {
  const auto tokenizer = random_run(small_options()).vocabulary.source;
  const auto own = tokenizer.special();
  REQUIRE(own.pad == 0);  // the others move up by one
  TokenSide side{
      .list = {.file = "vocabulary.json", .tokens = {}},
      .special = {.pad = own.eos - 1, .unk = own.unk - 1, .bos = own.bos - 1, .eos = own.eos - 1}};
  for (std::int32_t id = 1; id < tokenizer.vocab_size(); ++id)
    side.list.tokens.push_back(tokenizer.piece(id));
  test::LogTaken log;
  side.with_table(tokenizer);
  CHECK(log.messages.empty());
  side.list.tokens.back() = "another";
  side.with_table(tokenizer, /*tell=*/false);
  CHECK(log.messages.empty());
  side.with_table(tokenizer);
  REQUIRE(log.messages.size() == 1);
  CHECK_THAT(log.messages.front(),
             test::contains(concat("has no token for 1 of the ", tokenizer.vocab_size() - 1)));
}

}  // namespace ctranslate2_written_test
