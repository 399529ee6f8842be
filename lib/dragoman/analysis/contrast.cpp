#include "dragoman/analysis/contrast.h"

#include "dragoman/analysis/attention_pictures.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/text/text_file.h"
#include "dragoman/translate/module_models.h"
#include "dragoman/translate/scorer.h"

#include <algorithm>
#include <span>
#include <sstream>

namespace dragoman {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

/// Where `word` first stands in `text` as a whole word; npos if it does not.
std::size_t find_word(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || !is_letter(text[at - 1]);
    if (begins && (end == text.size() || !is_letter(text[end]))) return at;
  }
  return std::string::npos;
}

/// The pieces of the first whole-word occurrence of `word` in a sentence.
/// \param pieces without EOS
std::vector<std::size_t> pieces_of_word(std::span<const std::string> pieces,
                                        const std::string& word) {
  std::string text;
  std::vector<std::size_t> owner;  // one per byte of text
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    constexpr std::string_view blank = "\u2581";
    const bool begins_word = pieces[i].starts_with(blank);
    if (begins_word) text += ' ';
    text += std::string_view(pieces[i]).substr(begins_word ? blank.size() : 0);
    owner.resize(text.size(), i);
  }
  const auto at = find_word(text, word);
  if (at == std::string::npos) return {};
  const auto begin = owner.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::size_t> found(begin, begin + static_cast<std::ptrdiff_t>(word.size()));
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// The weight from the last piece of a word to all pieces of another.
double weight_between(const AttentionMap& map, std::int64_t layer, std::int64_t head,
                      const std::vector<std::size_t>& from, const std::vector<std::size_t>& to) {
  double sum = 0.0;
  for (const auto key : to) sum += map.weight(layer, head, from.back(), key);
  return sum;
}

/// Empty if the encoder has no self-attention.
/// \param with_eos whether the source ends with EOS
std::vector<CandidateWeights> candidate_weights(const AttentionPicture& picture, bool with_eos,
                                                const Contrast& contrast) {
  if (picture.maps.empty() || picture.maps.front().kind != AttentionPart::encoder) return {};
  const auto& map = picture.maps.front();
  const std::span source(map.keys.data(), map.keys.size() - (with_eos ? 1 : 0));
  const auto from = pieces_of_word(source, contrast.word);
  std::vector<std::vector<std::size_t>> candidates;
  for (const auto& candidate : contrast.candidates)
    candidates.push_back(pieces_of_word(source, candidate));
  const bool all_found =
      !from.empty() && std::none_of(candidates.begin(), candidates.end(),
                                    [](const auto& pieces) { return pieces.empty(); });
  if (!all_found) return {};
  std::vector<CandidateWeights> layers(static_cast<std::size_t>(map.layers));
  for (std::int64_t layer = 0; layer < map.layers; ++layer) {
    const auto heads = map.remaining_heads(layer);
    if (heads.empty()) continue;
    for (const auto& candidate : candidates) {
      double sum = 0.0, most = 0.0;
      for (const auto head : heads) {
        const double weight = weight_between(map, layer, head, from, candidate);
        sum += weight;
        most = std::max(most, weight);
      }
      auto& result = layers[static_cast<std::size_t>(layer)];
      result.mean.push_back(sum / static_cast<double>(heads.size()));
      result.most.push_back(most);
    }
  }
  return layers;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// \throws FormatError if the source lacks the word or a candidate
void expect_words(const Contrast& contrast, const std::string& place) {
  auto named = contrast.candidates;
  if (!contrast.word.empty()) named.insert(named.begin(), contrast.word);
  for (const auto& word : named)
    if (find_word(contrast.source, word) == std::string::npos)
      throw FormatError(concat(place, ": the source has no word \"", printable(word),
                               "\"; write WORD and CANDIDATES as they stand in it"));
}

}  // namespace

std::vector<Contrast> worked_contrasts() {
  return {{"The animal didn't cross the street because it was too tired.",
           "Das Tier überquerte die Straße nicht, weil es zu müde war.",
           "Das Tier überquerte die Straße nicht, weil sie zu müde war.",
           "it",
           {"animal", "street"}},
          {"The animal didn't cross the street because it was too wide.",
           "Das Tier überquerte die Straße nicht, weil sie zu breit war.",
           "Das Tier überquerte die Straße nicht, weil es zu breit war.",
           "it",
           {"animal", "street"}},
          {"The cat ate the fish because it was hungry.",
           "Die Katze aß den Fisch, weil sie hungrig war.",
           "Die Katze aß den Fisch, weil er hungrig war.",
           "it",
           {"cat", "fish"}},
          {"The keys, which were on the table near the door, are missing.",
           "Die Schlüssel, die auf dem Tisch neben der Tür lagen, fehlen.",
           "Die Schlüssel, die auf dem Tisch neben der Tür lagen, fehlt.",
           "are",
           {"keys", "table", "door"}},
          {"Vatsal studies at the university because he likes it.",
           "Vatsal studiert an der Universität, weil er sie mag.",
           "Vatsal studiert an der Universität, weil sie sie mag.",
           "he",
           {"Vatsal", "university"}}};
}

std::vector<ContrastResult> test_contrasts(const LoadedRun& run,
                                           std::span<const Contrast> contrasts) {
  std::vector<LinePair> pairs;
  std::vector<std::string> sources;
  for (const auto& contrast : contrasts) {
    pairs.push_back({contrast.source, contrast.right});
    pairs.push_back({contrast.source, contrast.wrong});
    sources.push_back(contrast.source);
  }
  const auto scores = score_pairs({inference_model(run.model)}, run.vocabulary, pairs);
  const auto translations = translations_by(run, sources);
  std::vector<ContrastResult> results;
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    results.push_back({.right_log_prob = scores[2 * i].log_prob,
                       .wrong_log_prob = scores[2 * i + 1].log_prob,
                       .translation = translations[i].text(),
                       .layers = {}});
    if (contrasts[i].word.empty()) continue;
    const auto picture = attention_pictures(run, std::span(&pairs[2 * i], 1)).front();
    results.back().layers =
        candidate_weights(picture, run.vocabulary.source.ends_sources(), contrasts[i]);
  }
  return results;
}

std::vector<Contrast> read_contrasts(const std::filesystem::path& file) {
  constexpr std::size_t fewest = 3, most = 5;
  std::vector<Contrast> contrasts;
  auto reader = open_text(file.string(), LineUse::scoring);
  while (const auto line = reader.next()) {
    const auto place = concat(reader.place(), ": line ", line->number);
    const auto fields = split(line->text, '\t');
    if (fields.size() != fewest && fields.size() != most)
      throw FormatError(
          concat(place, " has ", fields.size(),
                 " fields; write SOURCE, RIGHT, WRONG and optionally WORD and CANDIDATES, "
                 "separated by tabs"));
    if (std::ranges::any_of(fields, &std::string::empty))
      throw FormatError(concat(place, " has an empty field; write text in each"));
    contrasts.push_back({fields[0], fields[1], fields[2], fields.size() == most ? fields[3] : "",
                         fields.size() == most ? words_in(fields[4]) : std::vector<std::string>{}});
    expect_words(contrasts.back(), place);
  }
  if (contrasts.empty())
    throw DataError(concat(reader.place(), ": has no lines; write one for each contrast"));
  return contrasts;
}

}  // namespace dragoman
