#include "dragoman/storage/npz_file.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "storage/zip_support.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <string>

namespace npz_file_test {

using namespace dragoman;

TEST_CASE("arrays that are damaged are refused by name", "[unit]") {
  const auto array = [](const std::string& dict, const std::string& data) {
    return "\x93NUMPY\x01" + std::string(1, '\0') + test::little(dict.size(), 2) + dict + data;
  };
  const auto refused = [&](const std::string& dict, const std::string& data) {
    const test::TemporaryDirectory folder;
    write_file_atomically(folder / "a.npz",
                          test::zip_of({{.name = "w.npy", .content = array(dict, data)}}));
    try {
      const NpzFile file(folder / "a.npz");
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string eight(8, '\0');
  CHECK(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", eight).empty());
  CHECK(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", eight).empty());
  CHECK_THAT(refused("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", eight),
             test::contains("array w: is in Fortran's order"));
  CHECK_THAT(refused("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }", eight),
             test::contains("is of the type '>f4'"));
  CHECK_THAT(refused("{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }", eight),
             test::contains("is of the type"));
  CHECK_THAT(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", eight),
             test::contains("has 8 bytes, its shape 24"));
  CHECK_THAT(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 2), }", eight),
             test::contains("has no proper shape"));
  CHECK_THAT(
      refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }",
              eight),
      test::contains("more bytes than 64 bits"));
  CHECK_THAT(refused("{}", eight), test::contains("in its header"));
}

}  // namespace npz_file_test
