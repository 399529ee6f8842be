#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// One `key:value` of a signature.
struct SignatureField {
  std::string key;
  std::string short_key;
  std::string value;
};

/// The parts of a signature besides the metric's own options.
struct ScoringFacts {
  std::size_t references = 1;                      ///< per line; 0 = varying
  std::optional<std::int64_t> bootstrap = {};      ///< samples drawn
  std::optional<std::int64_t> randomization = {};  ///< trials of approximate randomisation
  std::optional<std::uint64_t> seed = {};          ///< of either
};

/// Everything that must be equal for two scores to be comparable, in sacreBLEU's format:
/// `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0`. The version is that of the
/// sacreBLEU release whose digits the metrics of this folder reproduce.
class Signature {
 public:
  Signature(const ScoringFacts& facts, const std::vector<SignatureField>& metric_fields);

  const std::vector<SignatureField>& fields() const { return fields_; }
  std::string text() const;
  std::string short_text() const;  ///< `#:1|c:mixed|e:no|tok:13a|s:exp|v:2.6.0`

 private:
  void add(std::string key, std::string short_key, std::string value);

  std::vector<SignatureField> fields_;
};

/// "yes" or "no".
std::string yes_or_no(bool value);

}  // namespace dragoman
