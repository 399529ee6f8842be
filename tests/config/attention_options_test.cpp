#include "dragoman/config/attention_options.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"

#include "support/catch.h"

namespace attention_options_test {

using namespace dragoman;
using test::contains;

namespace {

RunOptions parse(const std::string& model, const std::vector<std::string>& overrides = {}) {
  return parse_run_options("{\"model\": " + model + "}", "x", overrides);
}

}  // namespace

TEST_CASE("attention is full unless a configuration says otherwise", "[unit]") {
  const auto options = parse("{}").model;
  CHECK(options.encoder_attention.layers.size() == 1);
  CHECK(options.encoder_attention.of_layer(3).common == HeadAttention{});
  CHECK(is_exact(options.decoder_attention));
}

TEST_CASE("attention is chosen for a stack, a layer and a head", "[unit]") {
  const auto options = parse(R"({"num_heads": 2, "encoder_layers": 2, "d_model": 16,
      "encoder_attention": [{"kind": "local", "radius": 3},
                            {"kind": "dilated", "radius": 5,
                             "heads": [{"dilation": 1}, {"kind": "linear"}]}],
      "decoder_attention": {"kind": "sparse_fixed", "stride": 4}})")
                           .model;
  const auto& encoder = options.encoder_attention;
  CHECK(encoder.of_layer(0).of_heads(2) ==
        std::vector<HeadAttention>(2, {.kind = AttentionKind::local, .radius = 3}));
  CHECK(encoder.of_layer(1).of_heads(2) ==
        std::vector<HeadAttention>{{.kind = AttentionKind::dilated, .radius = 5, .dilation = 1},
                                   {.kind = AttentionKind::linear, .radius = 5}});
  CHECK(encoder.has(AttentionKind::linear));
  CHECK_FALSE(encoder.has(AttentionKind::full));
  CHECK(options.decoder_attention.of_layer(5).common.stride == 4);
}

TEST_CASE("a configuration's attention is written and read back", "[unit]") {
  for (const std::string attention :
       {R"({"kind": "tiled", "block": 7})", R"([{"kind": "linear"}, {"kind": "full"}])",
        R"({"radius": 2, "heads": [{"kind": "local"},
                                   {"kind": "global_local", "global_positions": [0, -1]}]})"}) {
    CAPTURE(attention);
    const auto options =
        parse(R"({"num_heads": 2, "encoder_layers": 2, "encoder_attention": )" + attention + "}");
    const auto again = parse_run_options(to_text(options), "y");
    CHECK(nlohmann::json(again) == nlohmann::json(options));
    CHECK(changed_fixed_keys(options, again).empty());
    CHECK(changed_fixed_keys(options, parse("{}")).size() >= 1);
  }
}

TEST_CASE(
    "what is set for all layers changes each of a list, and heads without a value of their own",
    "[unit]") {
  const std::string given = R"({"num_heads": 2, "encoder_layers": 2, "encoder_attention":
      [{"kind": "local", "pruned_heads": [1]},
       {"heads": [{"kind": "local"}, {"kind": "dilated", "radius": 4}]}]})";
  const std::vector<std::string> settings = {"model.encoder_attention.radius=5"};
  for (const auto& options : {parse(given, settings), with_overrides(parse(given), settings)}) {
    const auto& encoder = options.model.encoder_attention;
    REQUIRE(encoder.layers.size() == 2);
    CHECK(encoder.of_layer(0).common == HeadAttention{.kind = AttentionKind::local, .radius = 5});
    CHECK(encoder.of_layer(0).pruned_heads == std::vector<std::int64_t>{1});
    CHECK(encoder.of_layer(1).of_heads(2) ==
          std::vector<HeadAttention>{{.kind = AttentionKind::local, .radius = 5},
                                     {.kind = AttentionKind::dilated, .radius = 4}});
  }
}

TEST_CASE("attention is overridden key by key or as a whole", "[unit]") {
  const auto options = parse(R"({"encoder_attention": {"kind": "local", "radius": 3}})",
                             {"model.encoder_attention.kind=dilated",
                              R"(model.decoder_attention={"kind": "linear"})"})
                           .model;
  CHECK(options.encoder_attention.of_layer(0).common ==
        HeadAttention{.kind = AttentionKind::dilated, .radius = 3});
  CHECK(options.decoder_attention.has(AttentionKind::linear));
}

TEST_CASE("pruned heads are named for each layer, and the others keep their options", "[unit]") {
  const auto options =
      parse(R"({"num_heads": 3, "d_model": 12, "encoder_layers": 2, "encoder_attention":
      [{"heads": [{}, {"kind": "local"}, {"kind": "linear"}], "pruned_heads": [0]}, {}]})")
          .model;
  const auto& layer = options.encoder_attention.of_layer(0);
  CHECK(layer.kept_heads(3) == std::vector<std::int64_t>{1, 2});
  REQUIRE(layer.of_heads(3).size() == 2);
  CHECK(layer.of_heads(3)[0].kind == AttentionKind::local);
  CHECK(options.encoder_attention.pruned_heads(2) == 1);
  CHECK(options.cross_attention.pruned_heads(6) == 0);
  CHECK_FALSE(same_function(options.encoder_attention, StackAttention{}, 2, 3));
  for (const auto& [pruned, message] :
       {std::pair{"[3]", "model.cross_attention.pruned_heads: 3 is outside 0 to 2"},
        std::pair{"[1, 1]",
                  "model.cross_attention.pruned_heads: 1 is not below the number after it"},
        std::pair{"[2, 0]",
                  "model.cross_attention.pruned_heads: 2 is not below the number after it"}})
    CHECK_THROWS_WITH(
        parse(
            std::string(R"({"num_heads": 3, "d_model": 12, "cross_attention": {"pruned_heads": )") +
            pruned + "}}"),
        contains(message));
}

TEST_CASE("attention from one sequence to another has an exact kind", "[unit]") {
  CHECK(parse(R"({"cross_attention": {"kind": "tiled"}})")
            .model.cross_attention.has(AttentionKind::tiled));
  CHECK_THROWS_WITH(
      parse(R"({"cross_attention": {"kind": "local"}})"),
      contains("model.cross_attention.kind: local refers to positions of one sequence"));
}

TEST_CASE("wrong attention options are refused by name, layer and head", "[unit]") {
  const auto refused = [](const std::string& encoder, const std::string& message) {
    CAPTURE(encoder);
    CHECK_THROWS_WITH(
        parse(R"({"num_heads": 2, "encoder_layers": 2, "encoder_attention": )" + encoder + "}"),
        contains(message));
  };
  refused(R"({"kind": "locl"})", "x: /model/encoder_attention/kind: expected one of full, tiled, ");
  refused(R"([{"kind": "local", "radios": 1}])",
          "x: /model/encoder_attention/0/radios: no such option");
  refused(R"({"heads": [{"heads": []}]})",
          "x: /model/encoder_attention/heads/0/heads: no such option");
  refused(R"({"heads": [{"kind": "x"}]})",
          "/model/encoder_attention/heads/0/kind: expected one of");
  refused(R"({"heads": [1]})",
          "/model/encoder_attention/heads: expected a list of objects such as [{}]");
  refused(R"({"global_positions": [0.5]})",
          "expected a list of whole numbers such as [0], got [0.5]");
  refused(R"([1])", "/model/encoder_attention/0: expected an object");
  refused("[]", "model.encoder_attention: 0 entries, but the number of layers is 2");
  refused("[{}, {}, {}]", "model.encoder_attention: 3 entries, but the number of layers is 2");
  refused(R"({"heads": [{}]})",
          "model.encoder_attention.heads: 1 entry, but each layer has 2 heads");
  refused(R"({"radius": -1})", "model.encoder_attention.radius: -1 is outside 0 to");
  refused(R"([{}, {"block": 0}])", "model.encoder_attention[1].block: 0 is outside 1 to");
  refused(R"({"heads": [{}, {"stride": 0}]})",
          "model.encoder_attention.heads[1].stride: 0 is outside 1 to");
  refused(R"({"heads": [{}, {"kind": "low_rank"}]})",
          "model.encoder_attention.heads[1].kind: low_rank shares its projection among all heads");
  refused(R"({"kind": "sparse_fixed", "stride": 3, "summary": 4})",
          "model.encoder_attention.summary: 4 is outside 1 to 3");
  refused(
      R"({"kind": "low_rank", "max_length": 100})",
      "model.encoder_attention.max_length: 100 leaves no column for the end after data.max_length");
}

TEST_CASE("options of an attention that a layer lacks are refused", "[unit]") {
  const auto refused = [](const std::string& model, const std::string& message) {
    CHECK_THROWS_WITH(parse(model), contains(message));
  };
  refused(R"({"decoder_layer": "ssru", "decoder_attention": {"pruned_heads": [0]}})",
          "model.decoder_layer: \"ssru\" leaves no place for model.decoder_attention");
  refused(R"({"encoder_layer": "lstm", "encoder_attention": []})",
          "model.encoder_layer: \"lstm\" leaves no place for model.encoder_attention");
}

TEST_CASE("low-rank options that no head reads limit no length", "[unit]") {
  CHECK_NOTHROW(
      parse(R"({"num_heads": 2, "encoder_attention": {"kind": "low_rank", "max_length": 16,
                          "heads": [{"kind": "full"}, {"kind": "local"}]}})"));
}

TEST_CASE("what decoding cannot know is refused for the decoder", "[unit]") {
  const auto refused = [](const std::string& decoder, const std::string& message) {
    CHECK_THROWS_WITH(parse(R"({"decoder_attention": )" + decoder + "}"), contains(message));
  };
  refused(R"({"kind": "low_rank"})", "model.decoder_attention.kind: low_rank mixes later tokens");
  refused(R"({"kind": "global_local", "global_positions": [0, -1]})",
          "model.decoder_attention.global_positions: -1 counts from an end that decoding does not "
          "know");
  refused(R"({"kind": "longformer", "global_tokens": [3]})",
          "model.decoder_attention.global_tokens: a list of pieces is for the encoder");
}

TEST_CASE("only exact kinds stand for each other", "[unit]") {
  const auto same = [](const std::string& a, const std::string& b) {
    const auto stack = [](const std::string& text) {
      return nlohmann::json::parse(text).get<StackAttention>();
    };
    return same_function(stack(a), stack(b), 2, 2);
  };
  CHECK(same(R"({"kind": "full"})", R"({"kind": "tiled", "block": 3})"));
  CHECK(same(R"([{"kind": "tiled"}, {"kind": "fused_torch"}])", "{}"));
  CHECK(same(R"({"kind": "local", "heads": [{}, {}]})", R"({"kind": "local"})"));
  CHECK_FALSE(same("{}", R"({"kind": "local"})"));
  CHECK_FALSE(same("{}", R"([{}, {"kind": "linear"}])"));
  CHECK_FALSE(same(R"({"kind": "local", "radius": 3})", R"({"kind": "local", "radius": 4})"));
}

}  // namespace attention_options_test
