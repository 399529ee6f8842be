#include "convert/marian_case.h"
#include "dragoman/convert/marian_folder.h"
#include "dragoman/core/concat.h"
#include "support/log_taken.h"
#include "support/refusal.h"

#include <algorithm>
#include <sstream>

namespace marian_refusal_test {

using namespace dragoman;
using namespace marian_case;

namespace {

/// A post-norm model of one matrix with a vocabulary in YAML.
const fs::path& package() {
  static const auto folder = test::model_folder(
      "one matrix in an .npz and a .vocab.yml", [](const auto& one, const auto& golden) {
        return !golden.contains("family") && fs::exists(one / "decoder.yml") &&
               !npz_in(one).empty() && !test::file_ending(one, ".vocab.yml").empty() &&
               MarianWeights(npz_in(one)).options().at("tied-embeddings-all").front() == "true";
      });
  return folder;
}

/// Of the package with some of its options changed.
std::string refusal_with(const std::map<std::string, std::string>& options) {
  const test::TemporaryDirectory folder;
  copy_changed(package(), folder / "model", [&](auto& entries) {
    for (const auto& [key, value] : options) replace_option(entries, key, value);
  });
  const auto message = test::refusal([&] { import_marian(folder / "model", folder / "run"); });
  CHECK(fs::exists(folder / "run") == message.empty());
  return message;
}
std::string refusal_with(const std::string& key, const std::string& value) {
  return refusal_with({{key, value}});
}

/// A copy of the package whose decoder.yml has one more line, in place of its own of that key.
struct DecoderCopy {
  test::TemporaryDirectory folder;
  fs::path model = folder / "model", run = folder / "run";

  explicit DecoderCopy(const std::string& line) {
    fs::copy(package(), model, fs::copy_options::recursive);
    const auto key = line.substr(0, line.find(':') + 1);
    std::istringstream lines(read_file(model / "decoder.yml"));
    std::string text = line + '\n';
    for (std::string old; std::getline(lines, old);)
      if (!old.starts_with(key)) text += old + '\n';
    write_file_atomically(model / "decoder.yml", text);
  }

  std::string refusal() const {
    return test::refusal([&] { import_marian(model, run); });
  }
};

}  // namespace

TEST_CASE("a folder without a model, or a compressed one, says what is missing", "[unit]") {
  const test::TemporaryDirectory made;
  CHECK_FALSE(is_marian(made.path()));
  write_file_atomically(made / "model.ende.intgemm.bin.gz", "x");
  CHECK_THAT(test::refusal([&] { import_marian(made.path(), made / "run"); }),
             test::contains("model.ende.intgemm.bin.gz: is compressed; unpack it"));
  write_file_atomically(made / "model.ende.intgemm.bin", "x");
  CHECK_FALSE(is_marian(made.path()));
  write_file_atomically(made / "vocab.ende.spm", "x");
  CHECK(is_marian(made.path()));
  write_file_atomically(made / "vocab.deen.spm", "x");
  CHECK_THAT(test::refusal([&] { import_marian(made.path(), made / "run"); }),
             test::contains("leave one of them in the folder"));
  CHECK_THAT(test::refusal([&] { import_marian(made / "vocab.ende.spm", made / "run"); }),
             test::contains("is a file; give the folder of the model"));
}

TEST_CASE("options of Marian that a run cannot express are refused by name and value", "[unit]") {
  CHECK(refusal_with("type", "transformer").empty());
  CHECK_THAT(refusal_with("layer-normalization", "true"),
             test::contains("layer-normalization is true: this program knows only false"));
  for (const char* off : {"False", "no"}) CHECK(refusal_with("layer-normalization", off).empty());
  CHECK_THAT(refusal_with("skip", "0"), test::contains("skip is 0: it should be true or false"));
  CHECK_THAT(refusal_with("transformer-pool", "yes"), test::contains("transformer-pool is yes"));
  CHECK_THAT(refusal_with("transformer-guided-alignment-layer", "100"),
             test::contains("transformer-guided-alignment-layer is 100: the decoder has no such"));
  CHECK_THAT(refusal_with({{"transformer-decoder-autoreg", "rnn"}, {"dec-cell", "gru"}}),
             test::contains("dec-cell is gru: this program knows only ssru"));
  CHECK_THAT(refusal_with("transformer-decoder-autoreg", "recurrence"),
             test::contains("transformer-decoder-autoreg is recurrence"));
  CHECK_THAT(refusal_with("transformer-postprocess-top", "n"),
             test::contains("transformer-postprocess-top is n: it should be empty"));
  CHECK_THAT(refusal_with("transformer-postprocess", "dar"),
             test::contains("transformer-postprocess is dar"));
  CHECK_THAT(refusal_with("transformer-ffn-depth", "3"),
             test::contains("transformer-ffn-depth is 3"));
  CHECK_THAT(refusal_with("type", "amun"), test::contains("type is amun"));
  const auto d_model = option_of(package(), "dim-emb"),
             d_ff = option_of(package(), "transformer-dim-ffn"),
             depth = option_of(package(), "enc-depth");
  CHECK_THAT(
      refusal_with("transformer-dim-ffn", std::to_string(d_ff - 1)),
      test::contains(concat("ffn_W1: is [", d_model, ',', d_ff,
                            "], by the options of the file it is [", d_model, ',', d_ff - 1, ']')));
  CHECK_THAT(refusal_with("enc-depth", std::to_string(depth + 1)),
             test::contains(concat("has no parameter encoder_l", depth + 1, "_self_Wq")));
  if (depth > 1)
    CHECK_THAT(refusal_with("enc-depth", std::to_string(depth - 1)),
               test::contains("has entries that this kind of model lacks"));
}

TEST_CASE("sizes that no model of Marian has are refused before anything is made of them",
          "[unit]") {
  for (const char* key : {"enc-depth", "dec-depth", "dim-emb", "transformer-heads"})
    for (const char* size : {"0", "-1", "1000000000000"})
      CHECK_THAT(refusal_with(key, size),
                 test::contains("special:model.yml: describes an invalid model: ") &&
                     test::contains(concat(": ", size)));
  CHECK_THAT(refusal_with("dec-depth", "99999999999999999999"),
             test::contains("dec-depth is 99999999999999999999: it should be a whole number"));
  const auto heads = option_of(package(), "dim-emb") + 1;
  CHECK_THAT(refusal_with("transformer-heads", std::to_string(heads)),
             test::contains(concat(heads, " does not divide")));
  const auto rows = option_of(package(), "dim-vocabs");
  const auto huge = concat("[1000000000000000, ", rows, ']');
  CHECK_THAT(refusal_with({{"tied-embeddings-all", "true"}, {"dim-vocabs", huge}}),
             test::contains(concat("dim-vocabs is ", huge, ": the sizes should be equal")));
  CHECK_THAT(refusal_with("dim-vocabs", concat('[', rows, "x, ", rows, ']')),
             test::contains("its entries should be whole numbers"));
  CHECK_THAT(refusal_with("dim-vocabs", "[5]"), test::contains("the sizes of two vocabularies"));
  CHECK_THAT(refusal_with("special-vocab", "[a]"), test::contains("special-vocab is a"));
}

TEST_CASE("decoder.yml is read exactly, and what a run does not have is refused or told",
          "[unit]") {
  const auto refusal = [](const char* line) { return DecoderCopy(line).refusal(); };
  CHECK_THAT(refusal("beam-size: 6.7"), test::contains("beam-size is 6.7: it should be a whole"));
  CHECK_THAT(refusal("beam-size: 1e300"), test::contains("decoder.yml: beam-size is 1e300"));
  CHECK_THAT(refusal("beam-size: 0"), test::contains("search.beam_size: 0 is outside"));
  CHECK_THAT(refusal("normalize: nan"), test::contains("normalize is nan: it should be a number"));
  CHECK_THAT(refusal("allow-unk: maybe"), test::contains("allow-unk is maybe: it should be true"));
  CHECK_THAT(refusal("word-penalty: 0.5"), test::contains("word-penalty is 0.5, which"));
  CHECK_THAT(refusal("output-sampling: true"), test::contains("output-sampling is true"));
  CHECK_THAT(refusal("right-left: true"), test::contains("right-left is true"));
  for (const std::string key : {"shortlist", "max-length-factor"}) {
    test::LogTaken log;
    CHECK(refusal((key + ": 2").c_str()).empty());
    CHECK(std::ranges::any_of(log.messages, [&](const std::string& message) {
      return message.find(concat("its ", key, " is not part of the run")) != std::string::npos;
    }));
  }
}

TEST_CASE("of several decoder.yml of a training none is chosen by chance", "[unit]") {
  const DecoderCopy copy("mini-batch: 1");
  fs::rename(copy.model / "decoder.yml", copy.model / "a.decoder.yml");
  CHECK(copy.refusal().empty());
  write_file_atomically(copy.model / "b.decoder.yml", read_file(copy.model / "a.decoder.yml"));
  CHECK(is_marian(copy.model));
  CHECK_THAT(test::refusal([&] { import_marian(copy.model, copy.folder / "other"); }),
             test::contains("has both a.decoder.yml and b.decoder.yml; leave one of them"));
}

TEST_CASE("the SentencePiece model of other pieces is refused", "[unit]") {
  const DecoderCopy copy("mini-batch: 1");
  const auto other = test::folder_of_family("m2m100") / "sentencepiece.bpe.model";
  fs::copy_file(other, copy.model / "source.spm", fs::copy_options::overwrite_existing);
  CHECK_THAT(copy.refusal(), test::contains("has no token for ") &&
                                 test::contains("give those this model was trained with"));
}

TEST_CASE("vocabularies that name a piece twice or are not UTF-8 are refused", "[unit]") {
  const DecoderCopy copy("mini-batch: 1");
  const auto file =
      copy.model /
      parse_marian_yaml(read_file(copy.model / "decoder.yml"), "decoder").at("vocabs").front();
  const auto pieces = parse_marian_vocabulary(read_file(file), "vocabulary");
  std::string twice, list;
  for (const auto& [piece, id] : pieces) {
    const auto last = id + 1 == std::ssize(pieces);
    twice += nlohmann::json(last ? pieces.front().first : piece).dump() + concat(": ", id, '\n');
    list += (last ? "\xFF" : piece) + '\n';
  }
  write_file_atomically(file, twice);
  CHECK_THAT(copy.refusal(), test::contains("has the piece ") && test::contains(" twice"));
  write_file_atomically(copy.model / "list.txt", list);
  write_file_atomically(copy.model / "decoder.yml",
                        concat("models: [", npz_in(copy.model).filename().string(),
                               "]\nvocabs: [list.txt, list.txt]\n"));
  CHECK_THAT(copy.refusal(), test::contains("list.txt: is not UTF-8 at byte"));
  write_file_atomically(copy.model / "list.txt", "</s>\n<unk>\n\na\n");
  CHECK_THAT(copy.refusal(), test::contains("list.txt: line 3 is empty"));
}

}  // namespace marian_refusal_test
