#include "convert/fairseq_case.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/marian_folder.h"
#include "dragoman/core/concat.h"

namespace fairseq_test {

using namespace dragoman;
using namespace fairseq_case;

TEST_CASE("a checkpoint of fairseq becomes a run with its weights, ids and equations", "[unit]") {
  std::vector<RunOptions> kinds(4, fairseq_form());
  kinds[1].model.norm = NormPosition::pre;
  kinds[2].model.share_embeddings = ShareEmbeddings::target_output;
  kinds[2].model.decoder_num_heads = 2 * kinds[2].model.num_heads;
  kinds[3].model.position = Position::learned;
  kinds[3].model.sinusoids = Sinusoids::interleaved;
  kinds[3].model.position_offset = 0;
  kinds[3].model.max_positions = 20;
  kinds[3].data.max_length = 19;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CAPTURE(i);
    const FairseqCase one(kinds[i]);
    CHECK(one.refusal(unicode("args") + name_space(one.options)) == "");
    one.check();
    const auto search = load_run(one.folder / "run").options.search;
    CHECK(search.beam_size == 5);
    CHECK(search.length_penalty == 1.0);
    CHECK(search.strict_beam);
    CHECK(search.early_stopping == EarlyStopping::beam);
    CHECK(search.max_length == (i == 3 ? 20 : 201));
    const auto cfg = unicode("args") + "N" + unicode("cfg") +
                     dict(unicode("model") + name_space(one.options) + unicode("task") +
                          pickled_options(one.options));
    CHECK(one.refusal(cfg) == "");
    one.check();
  }
}

TEST_CASE("a folder of fairseq is found to be one, and no other program's", "[unit]") {
  const FairseqCase one(fairseq_form());
  CHECK_FALSE(is_fairseq(one.model));
  REQUIRE(one.refusal(unicode("args") + name_space(one.options)) == "");
  CHECK(is_fairseq(one.model));
  CHECK_FALSE(is_huggingface(one.model));
  CHECK_FALSE(is_marian(one.model));
  CHECK_FALSE(is_ctranslate2(one.model));
}

TEST_CASE("options of fairseq that a run cannot express are refused by name and value", "[unit]") {
  const FairseqCase one(fairseq_form());
  CHECK_THAT(one.refusal_with("arch", "lstm"), test::contains("arch is \"lstm\""));
  CHECK_THAT(one.refusal_with("activation_fn", "tanh"),
             test::contains("activation_fn is \"tanh\""));
  CHECK_THAT(one.refusal_with("decoder_embed_dim", 12),
             test::contains("decoder_embed_dim is 12: encoder_embed_dim is 8"));
  CHECK_THAT(one.refusal_with("adaptive_softmax_cutoff", "100,200"),
             test::contains("adaptive_softmax_cutoff is \"100,200\""));
  CHECK_THAT(one.refusal_with("no_token_positional_embeddings", true),
             test::contains("no_token_positional_embeddings is true"));
  CHECK_THAT(one.refusal_with("encoder_layers", 3), test::contains("encoder.layers.2"));
  CHECK_THAT(one.refusal_with("encoder_layers", 1),
             test::contains("has entries that this kind of model lacks"));
  CHECK_THAT(one.refusal_with("source_lang", "de"), test::contains("dict.de.txt"));
  CHECK_THAT(one.refusal_with("source_lang", "../x"),
             test::contains("not a valid file name ending"));
  CHECK_THAT(one.refusal(""), test::contains("has neither args nor cfg.model"));
  CHECK_THAT(one.refusal_with("encoder_ffn_embed_dim", 12), test::contains("by its options it is"));
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 50})
    CHECK_THAT(one.refusal_with("decoder_layers", size),
               test::contains("describes an invalid model: "));

  auto separate = fairseq_form();
  separate.model.share_embeddings = ShareEmbeddings::target_output;
  CHECK_THAT(FairseqCase(separate).refusal_with("share_all_embeddings", true),
             test::contains("hold different numbers") && test::contains("by share_all_embeddings"));
}

TEST_CASE("a checkpoint that names any other class is refused, and so are circles", "[unit]") {
  const FairseqCase one(fairseq_form());
  CHECK_THAT(one.refusal(unicode("args") + global("os", "system") + tuple(unicode("ls")) + 'R'),
             test::contains("names os.system") &&
                 test::contains("load it in Python, and save its tensors and options again"));
  // A list that holds itself.
  CHECK_THAT(one.refusal(unicode("cfg") + dict(unicode("model") + "]q\x01h\x01" + 'a')),
             test::contains("too many or too deep"));
}

TEST_CASE("a language that is no ending of a file is refused in full", "[unit]") {
  const FairseqCase one(fairseq_form());
  for (const auto& language : {std::string("a/b"), std::string("a\0b", 3)})
    CHECK_THAT(one.refusal_with("source_lang", language),
               test::contains("which is not a valid file name ending"));
}

TEST_CASE("a dictionary of fairseq with two ids of one token is refused with its line", "[unit]") {
  const FairseqCase one(fairseq_form());
  const auto refusal_of = [&](const std::string& line) {
    std::string text;
    for (std::size_t i = 0; i + 1 < one.tokens.size(); ++i) text += one.tokens[i] + " 7\n";
    write_file_atomically(one.model / "dict.yy.txt", text + line + "\n");
    return one.refusal(unicode("args") + name_space(one.options));
  };
  const auto place = concat("dict.yy.txt: line ", one.tokens.size(), ": ");
  CHECK_THAT(refusal_of("<pad> 1 #fairseq:overwrite"),
             test::contains(place + "has the token <pad> again, which replaces the first"));
  CHECK_THAT(refusal_of(one.tokens[0] + " 1"),
             test::contains(place + "has the token") && test::contains("restore the dictionary"));
  CHECK_THAT(refusal_of("alone"), test::contains(place + "is not a token and a number"));
  CHECK_THAT(refusal_of("two words"), test::contains(place + "is not a token and a number"));
  CHECK(refusal_of("new 1 #fairseq:overwrite") == "");
}

}  // namespace fairseq_test
