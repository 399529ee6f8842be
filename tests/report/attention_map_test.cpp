#include "dragoman/report/attention_map.h"

#include "dragoman/core/error.h"
#include "dragoman/report/attention_page.h"
#include "dragoman/report/attention_text.h"
#include "support/catch.h"
#include "support/packed_weights.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace attention_map_test {

using namespace dragoman;

namespace {

const std::string nasty = "</script><b>&amp;\"q\"--><!--";

/// Two layers of two heads, two queries on three keys; weight k of all is k / 24.
AttentionPicture small_picture() {
  AttentionMap map = {.kind = AttentionPart::cross,
                      .queries = {"▁das", "日本"},
                      .keys = {"▁the", nasty, "e\u0301"},
                      .layers = 2,
                      .heads = 2,
                      .weights = {}};
  for (int k = 0; k < 24; ++k) map.weights.push_back(static_cast<float>(k) / 24.0F);
  return {.source = "the " + nasty, .target = "das 日本", .maps = {map}, .line = 7};
}

}  // namespace

TEST_CASE("attention as JSON keeps pieces and weights to six digits", "[unit]") {
  const std::vector pictures = {small_picture()};
  const auto object = nlohmann::json::parse(attention_json("a run", pictures));
  CHECK(object.at("title") == "a run");
  CHECK(object.at("pictures")[0].at("line") == 7);
  const auto& map = object.at("pictures")[0].at("maps")[0];
  CHECK(map.at("kind") == "cross");
  CHECK(map.at("keys")[1] == nasty);
  CHECK(map.at("weights")[1][0][1][2] == test::Approx(17.0 / 24.0).margin(1e-6));
  CHECK(map.at("weights").size() == 2);
  const auto chosen = nlohmann::json::parse(attention_json("", pictures, {{}, 1, 0}));
  const auto& part = chosen.at("pictures")[0].at("maps")[0];
  CHECK(part.at("layers") == nlohmann::json{2});
  CHECK(part.at("heads") == nlohmann::json{1});
  REQUIRE(part.at("weights").size() == 1);
  CHECK(part.at("weights")[0][0] == map.at("weights")[1][0]);
}

TEST_CASE("no text can become markup in the attention page", "[unit]") {
  const std::vector pictures = {small_picture()};
  const auto page = attention_page({.run = "<title & \"run\">"}, pictures);
  const auto data = test::data_of_page(page);
  CHECK(data.find_first_of("<>&") == std::string::npos);
  const auto object = nlohmann::json::parse(data);
  CHECK(object.at("title") == "<title & \"run\">");
  CHECK(object.at("pictures")[0].at("source") == "the " + nasty);
  CHECK(test::times_in(page, "<script") == 2);
  CHECK(test::times_in(page, "</script>") == 2);
}

TEST_CASE("the attention page asks for nothing from elsewhere", "[unit]") {
  const std::vector pictures = {small_picture()};
  const auto page = attention_page({.run = "run"}, pictures);
  for (const char* part : {"http:", "https:", "src=", "@import", "url(", "<link"}) {
    CAPTURE(part);
    const std::string namespaces = "http://www.w3.org/2000/svg";  // a name, never fetched
    CHECK(test::times_in(page, part) ==
          (std::string(part) == "http:" ? test::times_in(page, namespaces) : 0));
  }
  CHECK(page.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("the attention page opens with what was chosen", "[unit]") {
  const std::vector pictures = {small_picture()};
  const auto page = attention_page({.run = "run"}, pictures, {AttentionPart::cross, 1, 0});
  CHECK(nlohmann::json::parse(test::data_of_page(page)).at("start") ==
        "kind=cross&layer=2&heads=1&");
}

TEST_CASE("the attention page packs each weight into four characters, exact to 1e-6", "[unit]") {
  auto picture = small_picture();
  picture.maps[0].weights[3] = -2.5F;  // low-rank attention goes below 0 and beyond 1
  picture.maps[0].saliency = {1.0F, 0.0F, 0.0F, 0.25F, 0.5F, 0.25F};
  const auto data = nlohmann::json::parse(
      test::data_of_page(attention_page({.run = "run"}, std::vector{picture})));
  const auto& map = data.at("pictures")[0].at("maps")[0];
  CHECK(map.at("range") == 2.5);
  const auto text = map.at("weights").get<std::string>();
  CHECK(text.size() == 4 * picture.maps[0].weights.size());
  const auto weights = test::unpacked_weights(text, map.at("range"));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    CAPTURE(i);
    CHECK(weights[i] == test::Approx(picture.maps[0].weights[i]).margin(1e-6));
  }
  CHECK(weights[0] == 0.0);
  const auto saliency = test::unpacked_weights(map.at("saliency"));
  CHECK(saliency[0] == 1.0);
  CHECK(saliency[4] == test::Approx(0.5).margin(1e-6));
  CHECK_FALSE(data.contains("compared"));
}

TEST_CASE("a long sentence with many heads makes a page of at most 1.6 MB", "[unit]") {
  AttentionPicture picture = {.source = "s", .target = "t", .maps = {}};
  const std::vector<std::string> tokens(50, "▁token");
  for (const auto kind : {AttentionPart::encoder, AttentionPart::decoder, AttentionPart::cross})
    picture.maps.push_back(
        {.kind = kind,
         .queries = tokens,
         .keys = tokens,
         .layers = 6,
         .heads = 8,
         .weights = std::vector<float>(std::size_t{6} * 8 * 50 * 50, 0.0123456F)});
  CHECK(attention_page({.run = "run"}, std::vector{picture}).size() < 1600000);
}

TEST_CASE("the attention page holds the maps of a second run beside those of the first", "[unit]") {
  auto picture = small_picture();
  picture.compared = {picture.maps[0]};
  picture.compared[0].weights[0] = 1.0F;
  const auto data = nlohmann::json::parse(
      test::data_of_page(attention_page({.run = "a", .compared = "b <i>"}, std::vector{picture})));
  CHECK(data.at("compared") == "b <i>");
  const auto& other = data.at("pictures")[0].at("compared")[0];
  CHECK(test::unpacked_weights(other.at("weights"))[0] == 1.0);
}

TEST_CASE("blocks read back are as dark as their weights, below tokens of any width", "[unit]") {
  AttentionMap map = {.kind = AttentionPart::encoder,
                      .queries = {"a", "日本", "e\u0301", "|"},
                      .keys = {"x", "語", "o\u0308", "<&>", "\"", "z", "y", "w"},
                      .layers = 1,
                      .heads = 1,
                      .weights = {}};
  // Every size of weight from -0.75 to 1, in no order.
  const auto cells = map.queries.size() * map.keys.size();
  for (std::size_t k = 0; k < cells; ++k)
    map.weights.push_back(-0.75F + 1.75F * static_cast<float>(k * 13 % cells) /
                                       static_cast<float>(cells - 1));
  const std::vector pictures = {AttentionPicture{.source = "s", .target = {}, .maps = {map}}};
  std::istringstream lines(attention_blocks(pictures, {{}, 0, 0}));
  std::vector<std::pair<float, int>> levels;  // weight and darkness
  for (std::string line; std::getline(lines, line);) {
    const auto end = line.rfind('|'), begin = end == line.npos ? end : line.rfind('|', end - 1);
    if (begin == line.npos) continue;
    for (auto at = begin + 1; at < end;) {
      const auto cell = [&](const std::string& two) {
        return line.compare(at, two.size(), two) == 0;
      };
      const std::array<std::string, 6> shades = {"--", "  ", "░░", "▒▒", "▓▓", "██"};
      const auto shade = std::ranges::find_if(shades, cell);
      REQUIRE(shade != shades.end());
      levels.emplace_back(map.weights[levels.size()], static_cast<int>(shade - shades.begin()));
      at += shade->size();
    }
    CHECK(levels.size() % map.keys.size() == 0);
  }
  REQUIRE(levels.size() == cells);
  std::ranges::sort(levels);
  CHECK(std::ranges::is_sorted(levels, {}, &std::pair<float, int>::second));
  CHECK((levels.front().second == 0 && levels.back().second == 5));
}

TEST_CASE("a layer or head that a model lacks is refused", "[unit]") {
  std::vector pictures = {small_picture()};
  CHECK_THROWS_WITH(keep_chosen(pictures, {.kind = {}, .layer = 2, .head = {}}),
                    "layer 3: this model has 2 layers; choose one from 1 to 2");
  CHECK_THROWS_AS(keep_chosen(pictures, {.kind = {}, .layer = {}, .head = -1}), OptionsError);
  keep_chosen(pictures, {.kind = AttentionPart::encoder, .layer = {}, .head = {}});
  CHECK(pictures[0].maps.empty());
}

TEST_CASE("a layer that one kind alone has is chosen there", "[unit]") {
  const AttentionMap deep = {.kind = AttentionPart::encoder,
                             .queries = {"a"},
                             .keys = {"a"},
                             .layers = 3,
                             .heads = 1,
                             .weights = {1.0F, 1.0F, 1.0F}};
  auto flat = deep;
  flat.kind = AttentionPart::decoder;
  flat.layers = 1;
  flat.weights = {1.0F};
  std::vector<AttentionPicture> pictures = {{.source = "a", .target = "a", .maps = {deep, flat}}};
  CHECK_THROWS_WITH(
      expect_chosen(pictures, {.kind = AttentionPart::decoder, .layer = 2, .head = {}}),
      "layer 3: this model has 1 layer; choose 1");
  CHECK_THROWS_AS(expect_chosen(pictures, {.kind = {}, .layer = 3, .head = {}}), OptionsError);
  CHECK_NOTHROW(expect_chosen(pictures, {.kind = AttentionPart::encoder, .layer = 2, .head = {}}));
  keep_chosen(pictures, {.kind = {}, .layer = 2, .head = {}});
  REQUIRE(pictures[0].maps.size() == 1);
  CHECK(pictures[0].maps[0].kind == AttentionPart::encoder);
}

TEST_CASE("attention as CSV has a line for each weight and quotes what must be", "[unit]") {
  const std::vector pictures = {small_picture()};
  const auto all = attention_csv(pictures, {});
  CHECK(test::times_in(all, "\n") == 1 + 24);
  const auto one = attention_csv(pictures, {.kind = {}, .layer = 1, .head = 0});
  CHECK(test::times_in(one, "\n") == 1 + 6);
  CHECK(one.find("7,cross,2,1,1,日本,2,e\u0301,0.708333\n") != std::string::npos);
  CHECK(one.find("\"</script><b>&amp;\"\"q\"\"--><!--\"") != std::string::npos);
}

TEST_CASE("blocks of attention have dashes for negative weights", "[unit]") {
  auto picture = small_picture();
  for (auto& weight : picture.maps[0].weights) weight = -weight;
  picture.maps[0].weights[18] = 0.5F;
  const auto text = attention_blocks(std::vector{picture}, {.kind = {}, .layer = 1, .head = 1});
  CHECK(text.find("▁das |▒▒----| 0.50 0") != std::string::npos);
}

TEST_CASE("blocks of attention are darker for larger weights and name the largest", "[unit]") {
  const std::vector pictures = {small_picture()};
  const auto text = attention_blocks(pictures, {.kind = {}, .layer = 1, .head = 1});
  CHECK(text.find("cross attention, layer 2, head 2\n") != std::string::npos);
  // 18/24 .. 20/24 and 21/24 .. 23/24: the last two fifths.
  CHECK(text.find("▁das |▓▓▓▓██| 0.83 2 e\u0301\n") != std::string::npos);
  CHECK(text.find("日本 |██████| 0.96 2 e\u0301\n") != std::string::npos);
  const auto mean = attention_blocks(pictures, {.kind = {}, .layer = 0, .head = {}});
  CHECK(mean.find("mean of 2 heads") != std::string::npos);
  CHECK(mean.find("▁das |    ░░| 0.21 2") != std::string::npos);  // (2 + 8) / 2 / 24
}

TEST_CASE("a pruned head is no part of a mean and has no weights", "[unit]") {
  auto picture = small_picture();
  auto& map = picture.maps.front();
  for (std::size_t k = 12; k < 18; ++k) map.weights[k] = 0.0F;  // layer 2, head 1
  CHECK(map.remaining_heads(0) == std::vector<std::int64_t>{0, 1});
  CHECK(map.remaining_heads(1) == std::vector<std::int64_t>{1});
  CHECK(map.mean_of_heads(1) ==
        std::vector<float>(map.weights.begin() + 18, map.weights.begin() + 24));
  const std::vector pictures = {picture};
  const auto object = nlohmann::json::parse(attention_json("", pictures));
  const auto& weights = object.at("pictures")[0].at("maps")[0].at("weights");
  CHECK(weights[1][0].is_null());
  CHECK(weights[1][1].is_array());
  CHECK(weights[0][0].is_array());
  CHECK(test::times_in(attention_csv(pictures, {}), "cross,2,1,") == 0);
  CHECK(test::times_in(attention_csv(pictures, {}), "cross,2,2,") == 6);
  CHECK_THAT(attention_blocks(pictures, {}), test::contains("layer 2, mean of 1 head\n"));
  const auto block = attention_blocks(pictures, {{}, 1, 0});
  CHECK_THAT(block, test::contains("layer 2, head 1, pruned\n"));
  CHECK(test::times_in(block, "|") == 0);
}

}  // namespace attention_map_test
