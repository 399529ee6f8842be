#include "dragoman/storage/torch_file.h"

#include "dragoman/core/error.h"
#include "storage/zip_support.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <cstring>
#include <fstream>

namespace torch_file_test {

using namespace dragoman;
using test::little;

namespace {

// The opcodes of a pickle, as Python's pickletools names them.
std::string unicode(const std::string& text) { return 'X' + little(text.size(), 4) + text; }
std::string global(const std::string& module, const std::string& name) {
  return 'c' + module + '\n' + name + '\n';
}
std::string integer(std::int64_t value) {
  return "\x8A" + little(8, 1) + little(static_cast<std::uint64_t>(value), 8);
}
std::string tuple(const std::vector<std::string>& items) {
  std::string bytes = "(";
  for (const auto& item : items) bytes += item;
  return bytes + 't';
}

/// A tensor as torch.save writes it, and what may be wrong with it.
struct Saved {
  std::vector<std::int64_t> shape{2, 3};
  std::vector<std::int64_t> strides{3, 1};
  std::int64_t offset = 0;
  std::int64_t elements = 6;
  std::string key = "0";
  std::string type = "FloatStorage";

  std::string pickled() const {
    std::vector<std::string> sizes, steps;
    for (const auto size : shape) sizes.push_back(integer(size));
    for (const auto step : strides) steps.push_back(integer(step));
    const auto storage = tuple({unicode("storage"), global("torch", type), unicode(key),
                                unicode("cpu"), integer(elements)}) +
                         'Q';
    return global("torch._utils", "_rebuild_tensor_v2") +
           tuple({storage, integer(offset), tuple(sizes), tuple(steps), "\x89",
                  global("collections", "OrderedDict") + ")R"}) +
           'R';
  }
};

std::string six_floats() {
  std::string bytes(6 * sizeof(float), '\0');
  for (int i = 0; i < 6; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(bytes.data() + i * 4, &value, 4);
  }
  return bytes;
}

std::string dict_of(const std::string& items) {
  return "\x80\x02" + global("collections", "OrderedDict") + ")R(" + items + "u.";
}

std::string archive_of(const std::string& pickle, const std::string& storage = six_floats()) {
  return test::zip_of({{.name = "model/data.pkl", .content = pickle},
                       {.name = "model/byteorder", .content = "little"},
                       {.name = "model/data/0", .content = storage},
                       {.name = "model/version", .content = "3\n"}});
}

std::filesystem::path written(const test::TemporaryDirectory& folder, std::string_view bytes) {
  const auto path = folder / "pytorch_model.bin";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string refusal(std::string_view bytes) {
  const test::TemporaryDirectory folder;
  try {
    const TorchFile file(written(folder, bytes));
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of(const Saved& saved) {
  return refusal(archive_of(dict_of(unicode("w") + saved.pickled())));
}

float element(const StridedTensor& tensor, std::int64_t i, std::int64_t j) {
  float value = 0.0F;
  std::memcpy(&value, tensor.bytes.data() + (i * tensor.strides[0] + j * tensor.strides[1]) * 4, 4);
  return value;
}

}  // namespace

TEST_CASE("tensors of a dict share storages, are transposed and begin at an offset", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto items = unicode("a") + Saved{}.pickled() + unicode("b") +
                     Saved{.shape = {3, 2}, .strides = {1, 3}}.pickled() + unicode("c") +
                     global("torch._utils", "_rebuild_parameter") +
                     tuple({Saved{.shape = {1, 2}, .offset = 4}.pickled(), "\x88",
                            global("collections", "OrderedDict") + ")R"}) +
                     'R' + unicode("d") + global("torch._utils", "_rebuild_parameter_with_state") +
                     tuple({Saved{.shape = {1, 2}, .offset = 4}.pickled(), "\x88",
                            global("collections", "OrderedDict") + ")R",
                            "}(" + unicode("own") + integer(1) + 'u'}) +
                     'R';
  const TorchFile file(written(folder, archive_of(dict_of(items))));
  REQUIRE(file.tensors().size() == 4);
  CHECK(element(file.tensors()[3], 0, 1) == 5.0F);
  const auto &a = file.tensors()[0], &b = file.tensors()[1], &c = file.tensors()[2];
  CHECK((a.name == "a" && b.name == "b" && c.name == "c"));
  CHECK(a.dtype == DType::f32);
  CHECK(element(a, 1, 2) == 5.0F);
  CHECK(b.shape == std::vector<std::int64_t>{3, 2});
  CHECK(element(b, 2, 1) == 5.0F);
  CHECK(element(b, 2, 0) == 2.0F);
  CHECK(element(c, 0, 1) == 5.0F);
}

TEST_CASE("attributes of the dict are ignored", "[unit]") {
  auto pickle = dict_of(unicode("w") + Saved{}.pickled());
  pickle.pop_back();
  pickle += "}" + unicode("_metadata") + "}sb.";
  CHECK(refusal(archive_of(pickle)).empty());
}

TEST_CASE("a function that is no part of a dict of tensors is refused by its name, and not called",
          "[unit]") {
  CHECK_THAT(refusal(archive_of("\x80\x02" + global("os", "system") +
                                tuple({unicode("touch /tmp/owned")}) + "R.")),
             test::contains("names os.system,"));
  CHECK_THAT(refusal(archive_of(dict_of(unicode("w") + global("torch.nn", "Linear") + ")R"))),
             test::contains("names torch.nn.Linear,"));
  CHECK_THAT(refusal(archive_of(dict_of(unicode("w") + global("builtins", "eval") + ")R"))),
             test::contains("names builtins.eval,"));
  CHECK_THAT(refusal(archive_of(dict_of(unicode("w") + global("torch.nn", "Linear") + ")\x81"))),
             test::contains("names torch.nn.Linear,"));
  // Instances, extension codes, newer protocols and references to other files need no function.
  for (const std::string code : {"i", "o", "\x82", "\x93", "P", "\x95", "U", "2", "\x8C"})
    CHECK_THAT(refusal(archive_of("\x80\x02" + code + std::string(20, '\0'))),
               test::contains("has the opcode "));
  CHECK_THAT(refusal(archive_of("\x80\x04}.")), test::contains("is not of protocol 2"));
}

TEST_CASE("a tensor outside its storage, or larger than it, is refused by its name", "[unit]") {
  CHECK(refusal_of({}).empty());
  CHECK_THAT(refusal_of({.shape = {2, 4}}), test::contains("tensor 'w': lies outside its storage"));
  CHECK_THAT(refusal_of({.offset = 1}), test::contains("lies outside its storage"));
  CHECK_THAT(refusal_of({.offset = -1}), test::contains("lies outside its storage"));
  CHECK_THAT(refusal_of({.shape = {1000000, 1000000}, .strides = {0, 0}}),
             test::contains("or repeats them"));
  CHECK_THAT(refusal_of({.shape = {INT64_MAX, 2}, .strides = {2, 1}}),
             test::contains("lies outside its storage"));
  CHECK_THAT(refusal_of({.shape = {-2, 3}}), test::contains("negative size or stride"));
  CHECK_THAT(refusal_of({.strides = {-3, 1}}), test::contains("negative size or stride"));
  CHECK_THAT(refusal_of({.strides = {1}}), test::contains("lies outside its storage"));
  CHECK_THAT(refusal_of({.shape = std::vector<std::int64_t>(9, 1)}),
             test::contains("no proper shape"));
  CHECK_THAT(refusal_of({.elements = 7}), test::contains("has a storage of 24 bytes for 7"));
  CHECK_THAT(refusal_of({.elements = -1}), test::contains("has a storage of 24 bytes for -1"));
  CHECK_THAT(refusal_of({.key = "1"}), test::contains("has no storage 1 in the archive"));
  CHECK_THAT(refusal_of({.key = "../data.pkl"}), test::contains("has no storage ../data.pkl"));
  CHECK_THAT(refusal_of({.type = "QInt8Storage"}), test::contains("names torch.QInt8Storage"));
}

TEST_CASE("what is no dict of tensors is refused", "[unit]") {
  CHECK_THAT(refusal("\x80\x02}."), test::contains("torch 1.6"));
  CHECK_THAT(refusal(test::zip_of({{.name = "a", .content = "b"}})),
             test::contains("has no data.pkl"));
  CHECK_THAT(refusal(archive_of("\x80\x02].")), test::contains("is not a dict of tensors"));
  CHECK_THAT(refusal(archive_of(dict_of(unicode("step") + integer(3)))),
             test::contains("tensor 'step': is not a tensor"));
  CHECK_THAT(refusal(archive_of(dict_of(integer(1) + Saved{}.pickled()))),
             test::contains("a key that is not a text"));
  CHECK_THAT(refusal(archive_of(
                 dict_of(unicode("w") + Saved{}.pickled() + unicode("w") + Saved{}.pickled()))),
             test::contains("tensor 'w': occurs twice"));
  CHECK_THAT(refusal(test::zip_of({{.name = "m/data.pkl", .content = dict_of("")},
                                   {.name = "m/byteorder", .content = "big"}})),
             test::contains("its byte order is big"));
}

TEST_CASE("a pickle that names itself, or ends anywhere, does no harm", "[property]") {
  // A dict that holds itself; a tuple of many references to one list.
  CHECK_THAT(refusal(archive_of("\x80\x02}q" + std::string(1, '\0') + unicode("self") + 'h' +
                                std::string(1, '\0') + "s.")),
             test::contains("tensor 'self': is not a tensor"));
  std::string many = "\x80\x02]q" + std::string(1, '\0') + '(';
  for (int i = 0; i < 10000; ++i) many += std::string("h") + '\0';
  CHECK_THAT(refusal(archive_of(many + "t.")), test::contains("leaves values behind"));
  const auto whole = dict_of(unicode("w") + Saved{}.pickled());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(refusal(archive_of(whole.substr(0, size))).empty());
  }
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '(', 'u', '\x85', '\xFF'}) {
      auto damaged = whole;
      damaged[at] = value;
      refusal(archive_of(damaged));  // no crash, no other exception
    }
}

TEST_CASE("a pickle of more values than a dict of tensors in such a file has is refused",
          "[unit]") {
  const auto is_too_many = [](const std::string& pickle) {
    CHECK_THAT(refusal(archive_of(pickle)),
               test::contains("data.pkl: byte ") &&
                   test::contains(" values, too many for a file of this size"));
  };
  const auto values = [](std::size_t count) {
    return "\x80\x02(" + std::string(count, 'N') + "t.";
  };
  constexpr std::size_t few = 1 << 14;
  CHECK_THAT(refusal(archive_of(values(few - 2))), test::contains("is not a dict of tensors"));
  is_too_many(values(2 * few));
  // The weights of a larger model leave room for more.
  CHECK_THAT(refusal(archive_of(values(2 * few), std::string(64 * few, '\0'))),
             test::contains("is not a dict of tensors"));
  for (const char* opcode : {"(", "]q!h!", "h!"}) {
    CAPTURE(opcode);
    std::string repeated = "\x80\x02]q!";
    for (std::size_t i = 0; i < 2 * few; ++i) repeated += opcode;
    is_too_many(repeated + '.');
  }
  // A storage and an object copy the items of a tuple and of a dict, which may be recalled often.
  const std::string zero(1, '\0'), recall = "h" + zero;
  std::string wide = "\x80\x02(";
  for (int i = 0; i < 2048; ++i) wide += 'N';
  wide += "tq" + zero;
  for (int i = 0; i < 1024; ++i) wide += recall + 'Q';
  is_too_many(wide + "t.");
}

}  // namespace torch_file_test
