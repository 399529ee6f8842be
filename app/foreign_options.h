#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::app {

/// What fairseq, Marian, JoeyNMT, OpenNMT, CTranslate2 or sacreBLEU mean by an option `name`
/// (without dashes in front, in lower case, "-" between words): options of ours, the first that a
/// command has being the one to name, such as "--length-penalty" or "--set train.max_epochs=N".
/// Empty = unknown.
std::vector<std::string> ours_for(std::string_view name);

}  // namespace dragoman::app
