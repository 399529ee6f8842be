#include "dragoman/config/option_names.h"

#include "dragoman/config/run_options.h"
#include "dragoman/core/immortal.h"

#include <nlohmann/json.hpp>

#include <map>

namespace dragoman {

namespace {

using nlohmann::json;

/// All names of an enumeration, in its order: its JSON form gives the first name again for a
/// number past the last.
template <typename Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (int number = 0;; ++number) {
    const auto name = json(static_cast<Enum>(number)).get<std::string>();
    if (!names.empty() && name == names.front()) return names;
    names.push_back(name);
  }
}

const std::map<std::string, std::vector<std::string>>& all_names() {
  using Names = std::map<std::string, std::vector<std::string>>;
  static const auto& names = immortal(Names{
      {"model.norm", names_of<NormPosition>()},
      {"model.activation", names_of<Activation>()},
      {"model.position", names_of<Position>()},
      {"model.sinusoids", names_of<Sinusoids>()},
      {"model.start_vector", names_of<StartVector>()},
      {"model.share_embeddings", names_of<ShareEmbeddings>()},
      {"model.scale", names_of<AttentionScale>()},
      {"model.encoder_layer", names_of<EncoderLayerKind>()},
      {"model.decoder_layer", names_of<DecoderLayerKind>()},
      {"model.average_activation", names_of<Activation>()},
      {"model.pooling", names_of<Pooling>()},
      {"model.encoder_attention.kind", names_of<AttentionKind>()},
      {"model.decoder_attention.kind", names_of<AttentionKind>()},
      {"model.cross_attention.kind", names_of<AttentionKind>()},
      {"tokenizer.type", names_of<TokenizerType>()},
      {"tokenizer.normalization", names_of<Normalization>()},
      {"train.bleu_tokenizer", names_of<BleuTokens>()},
      {"train.early_stopping_metric", names_of<ValidationMetric>()},
      {"train.label_smoothing_kind", names_of<SmoothingKind>()},
      {"train.consistency", names_of<Consistency>()},
      {"train.precision", names_of<Precision>()},
      {"train.recompute", names_of<Recompute>()},
      {"train.schedule", names_of<Schedule>()},
      {"search.length_penalty_kind", names_of<LengthPenaltyKind>()},
      {"search.early_stopping", names_of<EarlyStopping>()},
      {"search.unknown", names_of<UnknownRule>()},
      {"search.precision", names_of<SearchPrecision>()},
  });
  return names;
}

}  // namespace

std::vector<std::string> type_names(const std::string& key) {
  const auto found = all_names().find(key);
  return found == all_names().end() ? std::vector<std::string>{} : found->second;
}

std::vector<std::string> option_names(const std::string& key) {
  auto names = type_names(key);
  const auto drop = [&names](auto&& refused) {
    std::erase_if(
        names, [&](const std::string& name) { return refused(json(name).get<AttentionKind>()); });
  };
  if (key == "model.cross_attention.kind") drop([](AttentionKind kind) { return !is_exact(kind); });
  if (key == "model.decoder_attention.kind")
    drop([](AttentionKind kind) { return kind == AttentionKind::low_rank; });
  return names;
}

}  // namespace dragoman
