#include "dragoman/core/fingerprint.h"

#include "support/catch.h"

#include <set>
#include <string>

namespace fingerprint_test {

using dragoman::fingerprint;

TEST_CASE("each changed byte changes the fingerprint", "[property]") {
  for (const std::size_t size : {1, 7, 8, 31, 32, 33, 200}) {
    std::string bytes(size, 'a');
    const auto before = fingerprint(bytes);
    for (auto& byte : bytes) {
      byte = 'b';
      CHECK(fingerprint(bytes) != before);
      byte = 'a';
    }
    CHECK(fingerprint(bytes) == before);
  }
}

TEST_CASE("texts of zeros differ by their length", "[unit]") {
  std::set<std::uint64_t> seen;
  for (std::size_t size = 0; size < 100; ++size) seen.insert(fingerprint(std::string(size, '\0')));
  CHECK(seen.size() == 100);
}

TEST_CASE("a million short texts have fingerprints of their own", "[property]") {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000000; ++i) seen.insert(fingerprint(std::to_string(i)));
  CHECK(seen.size() == 1000000);
}

TEST_CASE("words that change places change the fingerprint", "[unit]") {
  const std::string a(32, 'a'), b(32, 'b');
  CHECK(fingerprint(a + b) != fingerprint(b + a));
  CHECK(fingerprint("12345678abcdefgh") != fingerprint("abcdefgh12345678"));
}

}  // namespace fingerprint_test
