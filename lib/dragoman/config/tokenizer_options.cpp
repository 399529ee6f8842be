#include "dragoman/config/tokenizer_options.h"

#include "dragoman/config/option_table.h"

namespace dragoman {

void TokenizerOptions::validate() const { require_ranges(nlohmann::json(*this), "tokenizer"); }

}  // namespace dragoman
