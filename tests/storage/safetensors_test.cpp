#include "dragoman/storage/safetensors.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <cstring>
#include <random>

namespace safetensors_test {

using namespace dragoman;

namespace {

const std::string floats(12 * 4, '\x3f');
const std::string halves(3 * 2, '\x11');
const std::string step("\x2a\0\0\0\0\0\0\0", 8);

std::vector<TensorView> three_tensors() {
  return {{"b.weight", DType::f32, {3, 4}, floats},
          {"a.half", DType::bf16, {3}, halves},
          {"step", DType::i64, {}, step}};
}

std::string joined(const SafetensorsContent& content) {
  std::string all;
  for (const auto part : content.parts()) all += part;
  return all;
}

std::string framed(std::string header, const std::string& data) {
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return length + header + data;
}

/// The message with which a file of these bytes is refused, or "".
std::string refusal(const std::string& bytes) {
  const test::TemporaryDirectory folder;
  write_new_file(folder / "x.safetensors", bytes);
  try {
    const SafetensorsFile file(folder / "x.safetensors");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string refused_header(const std::string& header, const std::string& data = "") {
  return refusal(framed(header, data));
}

}  // namespace

TEST_CASE("Tensors written to a file come back as they were", "[property]") {
  const test::TemporaryDirectory folder;
  const Metadata metadata = {{"format", "pt"}, {"note", "\"quoted\" \xc3\xa4"}};
  write_new_file(folder / "x.safetensors", joined(make_safetensors(three_tensors(), metadata)));
  const SafetensorsFile file(folder / "x.safetensors");
  CHECK(file.metadata() == metadata);
  REQUIRE(file.tensors().size() == 3);
  for (const auto& tensor : three_tensors()) {
    const auto* found = file.find(tensor.name);
    REQUIRE(found != nullptr);
    CHECK(found->dtype == tensor.dtype);
    CHECK(found->shape == tensor.shape);
    CHECK(found->bytes == tensor.bytes);
  }
  CHECK(file.find("c") == nullptr);
}

TEST_CASE("The same tensors in any order make the same bytes", "[property]") {
  auto tensors = three_tensors();
  const auto bytes = joined(make_safetensors(tensors));
  std::swap(tensors[0], tensors[2]);
  CHECK(joined(make_safetensors(tensors)) == bytes);
}

TEST_CASE("Written tensors are aligned to their element size and the data to 64 bytes", "[unit]") {
  const auto content = make_safetensors(three_tensors());
  CHECK(content.header.size() % 64 == 0);
  CHECK(content.data == std::vector<std::string_view>{step, floats, halves});
}

TEST_CASE("A file of tensors without elements is legal", "[unit]") {
  CHECK(refusal(joined(make_safetensors({{"none", DType::f64, {0, 7}, ""}}))).empty());
  CHECK(refusal(joined(make_safetensors({}))).empty());
}

TEST_CASE("Tensors that cannot be a file are the caller's fault", "[unit]") {
  CHECK_THROWS_AS(make_safetensors({{"a", DType::i64, {}, step}, {"a", DType::i64, {}, step}}),
                  ContractError);
  CHECK_THROWS_AS(make_safetensors({{"a", DType::f32, {3}, step}}), ContractError);
  CHECK_THROWS_AS(make_safetensors({{"__metadata__", DType::i64, {}, step}}), ContractError);
}

TEST_CASE("Two spellings of one name are one name", "[unit]") {
  CHECK_THAT(refused_header(R"({"ab":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                            R"("a\u0062":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                            "xy"),
             test::contains("tensor 'ab': is repeated"));
  CHECK_THAT(refused_header(R"({"__metadata__":{},"__metadata__":{}})"),
             test::contains("__metadata__: is repeated"));
  CHECK_THAT(refused_header(R"({"__metadata__":{"k":"1","k":"2"}})"),
             test::contains("__metadata__: key 'k' is repeated"));
}

TEST_CASE("A later dimension of 0 does not excuse an overflow", "[unit]") {
  CHECK_THAT(refused_header(
                 R"({"a":{"dtype":"U8","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}})"),
             test::contains("tensor 'a': its shape has more bytes than 64 bits can count"));
}

TEST_CASE("What the format does not know is refused", "[unit]") {
  const std::string fields = R"("dtype":"U8","shape":[1],"data_offsets":[0,1])";
  CHECK_THAT(refused_header("{\"a\":{" + fields + ",\"strides\":[1]}}", "x"),
             test::contains("tensor 'a': field 'strides' is unknown"));
  CHECK_THAT(refused_header(R"({"a":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}})", "x"),
             test::contains("dtype \"F4\" is unknown; known: BOOL, U8"));
  CHECK_THAT(refused_header(
                 R"({"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})", "x"),
             test::contains("more than 8 dimensions"));
  CHECK_THAT(refused_header("{}\n"), test::contains("does not end with '}' and spaces"));
}

TEST_CASE("Control characters of a name do not reach the message", "[unit]") {
  const auto message = refused_header(R"({"a\u001b[2J\n":{"dtype":"U8"}})");
  CHECK(message.find('\x1b') == std::string::npos);
  CHECK_THAT(message, test::contains("tensor 'a\\x1B[2J\\x0A': field 'shape' is missing"));
}

TEST_CASE("What is not a regular file is refused", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(SafetensorsFile(folder.path()), test::contains("is not a regular file"));
  CHECK_THROWS_AS(SafetensorsFile(folder / "missing"), DataError);
}

TEST_CASE("A file cut at any byte is refused", "[property]") {
  const auto whole = joined(make_safetensors(three_tensors(), {{"k", "v"}}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(refusal(whole.substr(0, size)).empty());
  }
}

TEST_CASE("Random damage is refused with a message or read as a legal file", "[property]") {
  const auto whole = joined(make_safetensors(three_tensors(), {{"k", "v"}}));
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 500; ++round) {
    auto bytes = whole;
    for (auto hits = random() % 3 + 1; hits > 0; --hits)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (!refusal(bytes).empty()) ++refused;
  }
  CHECK(refused > 100);
}

}  // namespace safetensors_test
