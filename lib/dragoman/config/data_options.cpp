#include "dragoman/config/data_options.h"

#include "dragoman/config/require.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"

namespace dragoman {

namespace {

/// A configuration is JSON, and so UTF-8: it cannot hold any other name. Standard input can be read
/// only once.
void require_file_name(std::string_view key, const std::string& name) {
  options::require(name != "-", key, name,
                   "is standard input, and training reads a text several times",
                   "write it to a file and name that; ./- is a file of this name");
  options::require(!utf8::find_invalid(name), key, printable(name),
                   "is not UTF-8 and cannot be written to a configuration", "rename the file");
}

void require_pairs(const DataOptions& data) {
  options::require(data.train_source.size() == data.train_target.size(), "data.train_target",
                   data.train_target.size(),
                   concat("files, but data.train_source has ", data.train_source.size()),
                   "name one target file for each source file, in the same order");
  options::require(data.weights.empty() || data.weights.size() == data.train_source.size(),
                   "data.weights", data.weights.size(),
                   concat("weights, but data.train_source has ", data.train_source.size(), " files"),
                   "give one weight for each file, or none");
  for (const double weight : data.weights)
    options::require(weight > 0.0 && weight <= 1000.0, "data.weights", weight,
                     "is outside above 0 to 1000", "choose how often an epoch has the file's pairs");
  if (data.valid_source.empty() != data.valid_target.empty())
    throw OptionsError(data.valid_source.empty()
                           ? "data.valid_source: missing beside data.valid_target; name both or none"
                           : "data.valid_target: missing beside data.valid_source; name both or none");
}

}  // namespace

void DataOptions::validate() const {
  for (const auto& name : train_source) require_file_name("data.train_source", name);
  for (const auto& name : train_target) require_file_name("data.train_target", name);
  require_file_name("data.valid_source", valid_source);
  require_file_name("data.valid_target", valid_target);
  require_pairs(*this);
  options::require_between<std::int64_t>("data.max_length", max_length, 1, 65536);
  options::require(max_ratio == 0.0 || (max_ratio >= 1.0 && max_ratio <= 1e6), "data.max_ratio",
                   max_ratio, "is outside 1 to 1e6",
                   "choose a ratio such as 3, or 0 to keep all pairs");
  options::require_between<std::int64_t>("data.prefetch", prefetch, 1, 1024);
  options::require(subword_sampling >= 0.0 && subword_sampling <= 1.0, "data.subword_sampling", subword_sampling,
                   "is outside 0 to 1", "choose 0.1 for bpe, 0.2 for unigram, or 0 for one segmentation");
  options::require(token_dropout >= 0.0 && token_dropout < 1.0, "data.token_dropout", token_dropout,
                   "is outside 0 to below 1", "choose a share such as 0.1, or 0 to keep all tokens");
}

}  // namespace dragoman
