#include "dragoman/report/crc32c.h"

#include "support/catch.h"

namespace crc32c_test {

TEST_CASE("CRC-32C gives its published values", "[golden]") {
  CHECK(dragoman::crc32c("123456789") == 0xE3069283);  // the check value of the polynomial
  CHECK(dragoman::crc32c(std::string(32, '\0')) == 0x8A9136AA);  // RFC 3720, B.4
  CHECK(dragoman::crc32c(std::string(32, '\xFF')) == 0x62A8AB43);
}

TEST_CASE("A masked CRC-32C is rotated and moved", "[golden]") {
  // 0xE3069283 rotated right by 15 bits is 0x2507C60D.
  CHECK(dragoman::masked_crc32c("123456789") == 0x2507C60D + 0xA282EAD8);
}

}  // namespace crc32c_test
