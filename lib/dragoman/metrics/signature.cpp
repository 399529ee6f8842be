#include "dragoman/metrics/signature.h"

#include <utility>

namespace dragoman {

namespace {

constexpr const char* sacrebleu_version = "2.6.0";

std::string join(const std::vector<SignatureField>& fields, std::string SignatureField::* key) {
  std::string text;
  for (const auto& field : fields) {
    if (!text.empty()) text += '|';
    text += field.*key + ':' + field.value;
  }
  return text;
}

}  // namespace

Signature::Signature(const ScoringFacts& facts, const std::vector<SignatureField>& metric_fields) {
  add("nrefs", "#", facts.references == 0 ? "var" : std::to_string(facts.references));
  if (facts.bootstrap) add("bs", "bs", std::to_string(*facts.bootstrap));
  if (facts.randomization) add("ar", "ar", std::to_string(*facts.randomization));
  if (facts.seed) add("seed", "rs", std::to_string(*facts.seed));
  fields_.insert(fields_.end(), metric_fields.begin(), metric_fields.end());
  add("version", "v", sacrebleu_version);
}

void Signature::add(std::string key, std::string short_key, std::string value) {
  fields_.push_back({std::move(key), std::move(short_key), std::move(value)});
}

std::string Signature::text() const { return join(fields_, &SignatureField::key); }

std::string Signature::short_text() const { return join(fields_, &SignatureField::short_key); }

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

}  // namespace dragoman
