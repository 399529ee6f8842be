#include "dragoman/convert/marian_weights.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

#include "storage/zip_support.h"
#include "support/catch.h"
#include "support/model_folders.h"
#include "support/refusal.h"
#include "support/temporary_directory.h"

#include <ATen/ATen.h>

#include <cstring>

namespace marian_weights_test {

using namespace dragoman;
using test::little;

namespace {

struct Item {
  std::string name;
  std::uint64_t code = 0x404;
  std::vector<std::int32_t> shape = {};
  std::string data = {};
};

/// A model.bin of these items.
std::string bin_of(const std::vector<Item>& items, std::uint64_t version = 1) {
  auto bytes = little(version, 8) + little(items.size(), 8);
  for (const auto& item : items)
    bytes += little(item.name.size() + 1, 8) + little(item.code, 8) + little(item.shape.size(), 8) +
             little(item.data.size(), 8);
  for (const auto& item : items) bytes += item.name + '\0';
  for (const auto& item : items)
    for (const auto size : item.shape) bytes += little(static_cast<std::uint32_t>(size), 4);
  const auto padding = 256 - (bytes.size() + 8) % 256;
  bytes += little(padding, 8) + std::string(padding, '\0');
  for (const auto& item : items) bytes += item.data;
  return bytes;
}

Item options_item() {
  const std::string text = "dim-vocabs: [2, 3]\n" + std::string(20, '\0');
  return {"special:model.yml", 0x101, {static_cast<std::int32_t>(text.size())}, text};
}

std::string bytes_of(float value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string refusal(const std::string& bytes) {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "model.bin", bytes);
  return test::refusal([&] { const MarianWeights weights(folder / "model.bin"); });
}

std::string refusal_of(const Item& item) { return refusal(bin_of({item, options_item()})); }

}  // namespace

TEST_CASE("a model as .npz and as .bin has the same parameters and options", "[golden]") {
  const auto folder = test::marian_folder_with({".npz", ".bin"});
  const MarianWeights npz(test::file_ending(folder, ".npz"));
  const MarianWeights bin(test::file_ending(folder, ".bin"));
  CHECK(npz.options() == bin.options());
  const auto size = [&](const char* key) { return std::stoll(npz.options().at(key).front()); };
  const auto vocab_size = size("dim-vocabs"), d_model = size("dim-emb"),
             d_ff = size("transformer-dim-ffn");
  const char* embedding = npz.has("Wemb") ? "Wemb" : "encoder_Wemb";
  for (const auto& [name, rows, columns] : {std::tuple{embedding, vocab_size, d_model},
                                            {"encoder_l1_ffn_W1", d_model, d_ff},
                                            {"decoder_l1_context_Wk", d_model, d_model}})
    CHECK(at::equal(npz.matrix(name, rows, columns), bin.matrix(name, rows, columns)));
  CHECK(at::equal(npz.vector("encoder_l1_ffn_b1", d_ff), bin.vector("encoder_l1_ffn_b1", d_ff)));
}

TEST_CASE("integers of both families are divided by their multiplier, transposed but in embeddings",
          "[unit]") {
  const test::TemporaryDirectory folder;
  const std::string six("\x01\x02\x03\x04\x05\xFA", 6);
  std::string six_wide;
  for (const int value : {1, 2, 3, 4, 5, -6})
    six_wide += little(static_cast<std::uint16_t>(value), 2);
  write_file_atomically(
      folder / "model.bin",
      bin_of({{"Wemb", 0x4101, {3, 2}, six + bytes_of(2.0F)},
              {"a_W1", 0x4101, {2, 3}, six + bytes_of(2.0F)},
              {"b_W1", 0x10001, {2, 3}, six + bytes_of(2.0F)},
              {"c_W1", 0x10002, {2, 3}, six_wide + bytes_of(4.0F) + std::string(240, '\0')},
              {"d_W1_QuantMultA", 0x404, {1, 1}, bytes_of(9.0F)},
              options_item()}));
  const MarianWeights weights(folder / "model.bin");
  const auto q = at::tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, -6.0F});
  CHECK(at::equal(weights.matrix("Wemb", 3, 2), q.view({3, 2}) / 2.0));
  CHECK(at::equal(weights.matrix("a_W1", 2, 3), q.view({3, 2}).t() / 2.0));
  CHECK(at::equal(weights.matrix("b_W1", 2, 3), q.view({3, 2}).t() / 2.0));
  CHECK(at::equal(weights.matrix("c_W1", 2, 3), q.view({3, 2}).t() / 4.0));
  weights.expect_all_read();
  CHECK(weights.options().at("dim-vocabs") == std::vector<std::string>{"2", "3"});
}

TEST_CASE("integers without a factor are no parameters", "[unit]") {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "model.bin",
                        bin_of({{"a_W1", 0x101, {2, 3}, std::string(6, '\1')}, options_item()}));
  const MarianWeights weights(folder / "model.bin");
  CHECK_THAT(test::refusal([&] { weights.matrix("a_W1", 2, 3); }),
             test::contains("parameter a_W1: is of the type int8"));
  CHECK_THAT(test::refusal([&] { weights.matrix("a_W1", 3, 2); }),
             test::contains("parameter a_W1: is [2,3], by the options of the file it is [3,2]"));
}

TEST_CASE("damaged and foreign files of Marian are refused by what is wrong with them", "[unit]") {
  const auto floats = [](std::size_t count) { return std::string(4 * count, '\0'); };
  CHECK(refusal_of({"w", 0x404, {2, 3}, floats(6)}).empty());
  CHECK_THAT(refusal_of({"w", 0x404, {2, 3}, floats(5)}), test::contains("item w: has 20 bytes"));
  CHECK_THAT(refusal_of({"w", 0x404, {2, 3}, floats(9000)}), test::contains("too many"));
  CHECK_THAT(refusal_of({"w", 0x404, {-2, 3}, floats(6)}), test::contains("has a negative size"));
  CHECK_THAT(refusal_of({"w", 0x404, {2000000000, 2000000000, 2000000000}, floats(6)}),
             test::contains("too few"));
  CHECK_THAT(refusal_of({"w", 0x11001, {2, 3}, floats(6)}),
             test::contains("0x11001, which is laid out for one processor"));
  CHECK_THAT(refusal_of({"w", 0x4101, {2, 3}, std::string(6, '\1') + bytes_of(1.0F) + "   "}),
             test::contains("item w: has 13 bytes, too many for its shape, which needs 10"));
  CHECK_THAT(refusal_of({"w", 0x4101, {2, 3}, std::string(6, '\1')}), test::contains("too few"));
  CHECK_THAT(refusal_of({"w", 0x4101, {2, 3}, std::string(6, '\1') + bytes_of(0.0F)}),
             test::contains("multiplier that is not positive"));
  CHECK_THAT(refusal(bin_of({options_item(), options_item()})), test::contains("occurs twice"));
  CHECK_THAT(refusal(bin_of({options_item()}, 2)), test::contains("version 2, encrypted"));
  CHECK_THAT(refusal(bin_of({})), test::contains("has no special:model.yml"));
  const auto whole = bin_of({{"w", 0x404, {2, 3}, floats(6)}, options_item()});
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    CAPTURE(size);
    CHECK_FALSE(refusal(whole.substr(0, size)).empty());
  }
  CHECK_THAT(refusal(whole + std::string(300, '\0')),
             test::contains("has 300 bytes behind its last item"));
}

}  // namespace marian_weights_test
