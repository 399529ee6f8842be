#include "dragoman/config/require.h"

namespace dragoman::options {

void require_rate(std::string_view key, double value) {
  require(value >= 0.0 && value < 1.0, key, value, "is outside 0 to below 1",
          "choose a share such as 0.1");
}

}  // namespace dragoman::options
