#include "dragoman/storage/sha256.h"
#include "dragoman/storage/sha256_blocks.h"

#include "support/catch.h"
#include "support/skip.h"

namespace sha256_test {

using dragoman::Sha256;
using dragoman::sha256_hex;

TEST_CASE("SHA-256 gives the examples of its standard", "[golden]") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the bytes are cut", "[property]") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  const auto whole = sha256_hex(text);
  for (std::size_t piece : {1, 3, 55, 56, 63, 64, 65, 128, 299}) {
    CAPTURE(piece);
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece)
      hash.update(std::string_view(text).substr(at, piece));
    CHECK(hash.hex_digest() == whole);
  }
}

TEST_CASE("SHA-256 pads every length to a whole block", "[golden]") {
  // The digest of the digests of 'x' * n for n = 0 .. 130, made with Python's hashlib.
  Sha256 all;
  for (std::size_t length = 0; length <= 130; ++length)
    all.update(sha256_hex(std::string(length, 'x')));
  CHECK(all.hex_digest() == "87aca1c44bc7ba8897768170211f0a02063de70801131ff86c7edb9ce32c6a50");
}

TEST_CASE("the processor's own instructions hash as the plain rounds do", "[property]") {
  const auto fast = dragoman::sha256_instructions();
  if (fast == nullptr) {
    test::skip("this processor has no instructions for SHA-256");
    return;
  }
  std::string text;
  for (int i = 0; i < 7 * 64; ++i) text += static_cast<char>(i * i + 3 * i);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  dragoman::Sha256State plain{1, 2, 3, 4, 5, 6, 7, 0xFFFFFFFF}, quick = plain;
  for (const std::size_t count : {1, 0, 3, 7}) {
    dragoman::sha256_blocks(plain, bytes, count);
    fast(quick, bytes, count);
    CHECK(plain == quick);
  }
}

}  // namespace sha256_test
