#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Whose attention: the encoder's, the decoder's over what it has written, or the decoder's over
/// the source (figure 1: left, right below, right in the middle).
enum class AttentionPart { encoder, decoder, cross };

/// "encoder", "decoder" or "cross".
std::string name_of(AttentionPart kind);

/// The inverse. \throws OptionsError for another name.
AttentionPart attention_part(std::string_view name);

/// The weights of all layers and heads of one kind for one sentence.
struct AttentionMap {
  AttentionPart kind = AttentionPart::encoder;
  std::vector<std::string> queries;  ///< pieces that read; in the decoder, those being written
  std::vector<std::string> keys;     ///< pieces that are read
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::vector<float> weights;  ///< [layers, heads, queries, keys]
  /// How much each key counts for the piece that its query writes, shares of 1: [queries, keys].
  /// Empty where the query writes nothing, or where it was not computed.
  std::vector<float> saliency = {};

  float weight(std::int64_t layer, std::int64_t head, std::size_t query, std::size_t key) const;

  /// The heads of a layer, from 0, that have not been pruned: all weights of a pruned one are 0.
  std::vector<std::int64_t> remaining_heads(std::int64_t layer) const;

  /// The mean of the remaining heads of a layer, [queries, keys].
  std::vector<float> mean_of_heads(std::int64_t layer) const;
};

/// One sentence, or one pair, with its attention.
struct AttentionPicture {
  std::string source;
  std::string target;  ///< empty where only the encoder is shown
  std::vector<AttentionMap> maps;
  std::vector<AttentionMap> compared = {};  ///< of another run for the same text; empty = none
  std::int64_t line = 0;                    ///< of the text, from 1
};

/// A choice of what is shown; layers and heads count from 0 here, from 1 in what is shown.
struct AttentionChoice {
  std::optional<AttentionPart> kind;
  std::optional<std::int64_t> layer, head;
};

/// \throws OptionsError if no attention of the chosen kind, or of any, has the chosen layer and
///     head
void expect_chosen(std::span<const AttentionPicture> pictures, const AttentionChoice& choice);

/// Keeps what has the chosen kind, layer and head. \throws as `expect_chosen`
void keep_chosen(std::vector<AttentionPicture>& pictures, const AttentionChoice& choice);

/// The chosen weights, all without a choice, as one JSON object: {"title", "pictures": [{"source",
/// "target", "maps": [{"kind", "queries", "keys", "layers", "heads", "weights":
/// [layer][head][query][key]}]}]}. "layers" and "heads" are the numbers, from 1, of what there is;
/// weights have six digits. In place of a pruned head's weights there is null.
std::string attention_json(const std::string& title, std::span<const AttentionPicture> pictures,
                           const AttentionChoice& choice = {});

}  // namespace dragoman
