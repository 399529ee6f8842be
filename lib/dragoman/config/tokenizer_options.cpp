#include "dragoman/config/tokenizer_options.h"

#include "dragoman/config/option_table.h"

namespace dragoman {

void TokenizerOptions::validate() const {
  require_ranges(nlohmann::json(*this), "tokenizer");
  if (lowercase && normalization != Normalization::nfkc)
    throw OptionsError(
        "tokenizer.lowercase: is a part of nfkc; set tokenizer.normalization=nfkc or "
        "tokenizer.lowercase=false");
}

}  // namespace dragoman
