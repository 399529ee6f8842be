#include "dragoman/config/parse.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/config/presets.h"
#include "support/catch.h"
#include "support/paper_numbers.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

namespace parse_test {

using namespace dragoman;
using nlohmann::json;
using test::contains;

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("an empty configuration gives the defaults of the structs", "[unit]") {
  CHECK(json(parse_run_options("{}", "x")) == json(RunOptions{}));
}

TEST_CASE("every double comes back from the text bit for bit", "[property]") {
  for (const double value : {0.1, 1.0 / 3.0, 1e-9, 0.30000000000000004, 5e-324 + 0.5,
                             std::nextafter(1.0, 0.0), 0.1234567890123456789}) {
    RunOptions options;
    options.model.dropout = value;
    options.train.learning_rate = value;
    const auto read = parse_run_options(to_text(options), "x");
    CAPTURE(value);
    CHECK(read.model.dropout == value);
    CHECK(read.train.learning_rate == value);
  }
}

TEST_CASE("all options come back from the text", "[property]") {
  RunOptions options;
  options.seed = std::numeric_limits<std::int64_t>::max();
  options.model.norm = NormPosition::pre;
  options.model.activation = Activation::gelu_tanh;
  options.tokenizer.type = TokenizerType::bpe;
  options.data.train_source = {"a \"b\".de", "ü.de.gz"};
  options.data.train_target = {"a.en", "b.en"};
  options.train.precision = Precision::bf16;
  options.train.device = "cuda:1";
  options.search.cache = false;
  const std::string text = to_text(options);
  CHECK(to_text(parse_run_options(text, "x")) == text);
  CHECK(text != to_text(RunOptions{}));
}

TEST_CASE("the order is defaults, what is extended, the file, overrides", "[unit]") {
  const test::TemporaryDirectory folder;
  write(folder / "sub/top.json",
        R"({"extends": "base.json", "model": {"d_ff": 64, "num_heads": 2}, "seed": 5})");
  write(folder / "sub/base.json", R"({"model": {"d_model": 32, "d_ff": 48, "num_heads": 16}})");
  const auto options = read_run_options(folder / "sub/top.json", {"model.num_heads=4"});
  CHECK(options.model.d_model == 32);
  CHECK(options.model.d_ff == 64);
  CHECK(options.model.num_heads == 4);
  CHECK(options.seed == 5);
  CHECK(options.model.encoder_layers == ModelOptions{}.encoder_layers);
}

TEST_CASE("an object without keys changes nothing", "[unit]") {
  const test::TemporaryDirectory folder;
  write(folder / "base.json", R"({"train": {}, "model": {"encoder_attention": {}}})");
  write(folder / "top.json", R"({"extends": "base.json", "model": {}, "search": {}})");
  CHECK(to_text(read_run_options(folder / "top.json")) == to_text(RunOptions{}));
}

TEST_CASE("files that extend each other in a circle are refused", "[unit]") {
  const test::TemporaryDirectory folder;
  write(folder / "a.json", R"({"extends": "b.json"})");
  write(folder / "b.json", R"({"extends": "a.json"})");
  write(folder / "sub/self.json", R"({"extends": "self.json"})");
  CHECK_THROWS_WITH(read_run_options(folder / "a.json"), contains("/extends: the files extend"));
  CHECK_THROWS_WITH(read_run_options(folder / "sub/self.json"), contains("circle"));
}

TEST_CASE("a configuration extends files of its own folder only", "[unit]") {
  const test::TemporaryDirectory folder;
  write(folder / "base.json", "{}");
  for (const std::string name :
       {"../base.json", "/etc/passwd", "./base.json", "sub/base.json", "..", "", "sub/"}) {
    CAPTURE(name);
    write(folder / "sub/top.json", json{{"extends", name}}.dump());
    CHECK_THROWS_WITH(read_run_options(folder / "sub/top.json"),
                      contains("/extends: expected the name of a file in the same folder"));
  }
  REQUIRE(::mkfifo((folder / "sub/fifo.json").c_str(), 0600) == 0);
  write(folder / "sub/top.json", R"({"extends": "fifo.json"})");
  CHECK_THROWS_WITH(read_run_options(folder / "sub/top.json"), contains("is not a regular file"));
}

TEST_CASE("the stored configuration of a run extends nothing and is a regular file", "[unit]") {
  const test::TemporaryDirectory folder;
  write(folder / "base.json", "{}");
  write(folder / "config.json", R"({"extends": "base.json"})");
  CHECK_THROWS_WITH(read_stored_options(folder / "config.json"),
                    contains("/extends: no such option"));
  REQUIRE(::mkfifo((folder / "fifo.json").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_stored_options(folder / "fifo.json"), contains("is not a regular file"));
  write(folder / "own.json", to_text(RunOptions{}));
  CHECK(to_text(read_stored_options(folder / "own.json")) == to_text(RunOptions{}));
}

TEST_CASE("a fault in an extended file names that file", "[unit]") {
  const test::TemporaryDirectory folder;
  write(folder / "top.json", R"({"extends": "base.json"})");
  write(folder / "base.json", R"({"model": {"depth": 3}})");
  CHECK_THROWS_WITH(read_run_options(folder / "top.json"),
                    contains("base.json: /model/depth: no such option"));
  CHECK_THROWS_WITH(parse_run_options(R"({"extends": "base.json"})", "text"),
                    contains("/extends: no such option"));
}

TEST_CASE("a missing, a device and a very large configuration are refused", "[unit]") {
  const test::TemporaryDirectory folder;
  write(folder / "large.json", std::string((1 << 20) + 1, ' '));
  CHECK_THROWS_WITH(read_run_options(folder / "none.json"), contains("none.json"));
  CHECK_THROWS_WITH(read_run_options("/dev/zero"), contains("is a device"));
  CHECK_THROWS_WITH(read_run_options(folder / "large.json"), contains("is larger than"));
  CHECK_THROWS_WITH(read_run_options(folder.path()), contains("is a folder"));
}

TEST_CASE("overrides take JSON, and bare words for texts and names", "[unit]") {
  const auto options = with_overrides(
      RunOptions{}, {"model.norm=pre", "train.device=cuda:1", "model.dropout=0.25",
                     "train.tensorboard=true", "data.valid_source=12", "data.valid_target=\"a b\"",
                     R"(data.train_source=["x"])", R"(data={"train_target": ["y"]})", "seed=7"});
  CHECK(options.model.norm == NormPosition::pre);
  CHECK(options.train.device == "cuda:1");
  CHECK(options.model.dropout == 0.25);
  CHECK(options.train.tensorboard);
  CHECK(options.data.valid_source == "12");
  CHECK(options.data.valid_target == "a b");
  CHECK(options.data.train_source == std::vector<std::string>{"x"});
  CHECK(options.data.train_target == std::vector<std::string>{"y"});
  CHECK(options.seed == 7);
}

TEST_CASE("of two overrides of one option the last wins", "[unit]") {
  CHECK(with_overrides(RunOptions{}, {"seed=1", "seed=2"}).seed == 2);
}

TEST_CASE("overrides that name no option or no value are refused", "[unit]") {
  for (const std::string wrong :
       {"model.num_heads", "=4", "", "model.heads=4", "model..d_ff=4", "model/d_ff=4", "seed~0=1",
        "seed=", "seed=four", "seed=2.5", "seed=1e30", "seed=1 2", "model.norm=pst", "model=3",
        "seed.x=1", "model.dropout=nan", "model.dropout=0x1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH(with_overrides(RunOptions{}, {wrong}), contains("--set " + wrong));
  }
}

TEST_CASE("values out of range are refused with place and key", "[unit]") {
  CHECK_THROWS_WITH(parse_run_options(R"({"model": {"num_heads": 7}})", "a.json"),
                    contains("a.json: model.num_heads: 7 does not divide"));
}

TEST_CASE("presets have the sizes of their names", "[unit]") {
  const auto tiny = preset_run_options("tiny").model;
  CHECK(tiny.d_model == 128);
  CHECK(tiny.d_ff == 256);
  CHECK(tiny.num_heads == 4);
  CHECK(tiny.encoder_layers == 4);
  CHECK(tiny.decoder_layers == 4);
  const auto small = preset_run_options("small").model;
  CHECK(small.d_model == 256);
  CHECK(small.d_ff == 1024);
  CHECK(small.num_heads == 4);
  CHECK(small.encoder_layers == 4);
  CHECK(json(preset_run_options("base").model) == json(RunOptions{}.model));
  const auto big = preset_run_options("big").model;
  CHECK(big.d_model == 1024);
  CHECK(big.d_ff == 4096);
  CHECK(big.num_heads == 16);
  CHECK(big.encoder_layers == 6);
  CHECK(big.dropout == 0.3);
  CHECK(preset_run_options("tiny", {"seed=3"}).seed == 3);
}

TEST_CASE("the base preset has the paper's numbers", "[unit]") {
  const json base(preset_run_options("base"));
  for (const auto& [key, value] : test::paper_numbers()) {
    CAPTURE(key);
    REQUIRE(base.contains(json::json_pointer(key)));
    CHECK(base[json::json_pointer(key)] == value);
  }
}

TEST_CASE("presets differ from the defaults in the model, limits and intervals only", "[unit]") {
  for (const auto& name : preset_names()) {
    CAPTURE(name);
    auto preset = preset_run_options(name);
    CHECK(preset.train.patience > 0);
    CHECK(preset.train.validate_every > 0);
    const TrainOptions defaults;
    preset.model = {};
    preset.train.max_steps = defaults.max_steps;
    preset.train.patience = defaults.patience;
    preset.train.validate_every = defaults.validate_every;
    preset.train.checkpoint_every = defaults.checkpoint_every;
    CHECK(json(preset) == json(RunOptions{}));
  }
}

TEST_CASE("the configurations of published results have no limits but their own", "[unit]") {
  const std::filesystem::path folder = test::source_folder() / "configs";
  for (const std::string name : {"multi30k_en_de", "multi30k_en_de_tok", "tatoeba_en_de"}) {
    CAPTURE(name);
    const auto train = read_run_options(folder / (name + ".json")).train;
    CHECK(train.patience == 0);
    CHECK(train.max_epochs == 0);
    CHECK(train.max_seconds == 0.0);
  }
}

TEST_CASE("each listed preset can be read and others are refused", "[unit]") {
  for (const auto& name : preset_names()) CHECK_NOTHROW(preset_run_options(name));
  CHECK_THROWS_WITH(preset_run_options("huge"), contains("choose tiny, small, base or big"));
}

TEST_CASE("each configuration in the folder of configurations can be read", "[unit]") {
  const std::filesystem::path folder = test::source_folder() / "configs";
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().string());
    CHECK_NOTHROW(read_run_options(entry.path()));
    ++seen;
  }
  CHECK(seen > 4);
}

TEST_CASE("the presets equal the configurations of their names", "[unit]") {
  const std::filesystem::path folder = test::source_folder() / "configs";
  for (const auto& name : preset_names()) {
    CAPTURE(name);
    CHECK(json(preset_run_options(name)) == json(read_run_options(folder / (name + ".json"))));
  }
}

}  // namespace parse_test
