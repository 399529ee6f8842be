#include "dragoman/shortlist/shortlist.h"

#include "dragoman/core/error.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dragoman {

std::span<const std::int32_t> Shortlist::of(std::int64_t source) const {
  const auto begin = offsets[static_cast<std::size_t>(source)];
  return std::span(targets).subspan(begin, offsets[static_cast<std::size_t>(source) + 1] - begin);
}

void Shortlist::allow(std::span<const std::int32_t> source, PieceSet& allowed) const {
  for (std::int64_t id = 0; id < first; ++id) allowed.insert(id);
  allowed.insert(vocabulary.target.eos);
  allowed.insert(vocabulary.target.unk);
  for (const auto target : of(vocabulary.source.eos)) allowed.insert(target);
  for (const auto id : source) {
    if (vocabulary.joint) allowed.insert(id);
    for (const auto target : of(id)) allowed.insert(target);
  }
  Ids part;
  for (const auto length : phrase_lengths)
    for (std::size_t at = 0; at + length <= source.size(); ++at) {
      const auto ids = source.subspan(at, length);
      part.assign(ids.begin(), ids.end());
      const auto found = phrases.find(part);
      if (found == phrases.end()) continue;
      for (const auto target : found->second) allowed.insert(target);
    }
  if (first == 0) return;
  for (auto id = first; id < vocabulary.sizes.target && allowed.size() % 8 != 0; ++id)
    allowed.insert(id);
}

void Shortlist::add_phrase(Ids source, Ids list) {
  phrase_lengths.insert(source.size());
  phrases[std::move(source)] = std::move(list);
}

Shortlist make_shortlist(const ShortlistVocabulary& vocabulary, std::vector<LexicalEntry> entries) {
  std::ranges::sort(entries, [](const LexicalEntry& a, const LexicalEntry& b) {
    return std::tuple(a.source, a.target, -a.probability) <
           std::tuple(b.source, b.target, -b.probability);
  });
  const auto repeated =
      std::ranges::unique(entries, [](const LexicalEntry& a, const LexicalEntry& b) {
        return a.source == b.source && a.target == b.target;
      });
  entries.erase(repeated.begin(), repeated.end());
  Shortlist shortlist{.vocabulary = vocabulary};
  shortlist.offsets.assign(static_cast<std::size_t>(vocabulary.sizes.source) + 1, 0);
  for (const auto& entry : entries) {
    ++shortlist.offsets[static_cast<std::size_t>(entry.source) + 1];
    shortlist.targets.push_back(entry.target);
    shortlist.probabilities.push_back(entry.probability);
  }
  for (std::size_t s = 1; s < shortlist.offsets.size(); ++s)
    shortlist.offsets[s] += shortlist.offsets[s - 1];
  return shortlist;
}

Shortlist cut_down(const Shortlist& shortlist, const ShortlistLimits& limits) {
  if (limits.best == 0 && limits.threshold <= 0.0) return shortlist;
  if (shortlist.probabilities.empty() && !shortlist.targets.empty())
    throw DataError(
        "shortlist: has no probabilities, by which its lists could be shortened; use it as it is, "
        "or learn one anew");
  std::vector<LexicalEntry> kept, list;
  for (std::int64_t source = 0; source < shortlist.vocabulary.sizes.source; ++source) {
    list.clear();
    const bool always = source == shortlist.vocabulary.source.eos;
    const auto begin = shortlist.offsets[static_cast<std::size_t>(source)];
    const auto targets = shortlist.of(source);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto probability = shortlist.probabilities[begin + i];
      if (always || static_cast<double>(probability) >= limits.threshold)
        list.push_back({static_cast<std::int32_t>(source), targets[i], probability});
    }
    std::ranges::sort(list, [](const LexicalEntry& a, const LexicalEntry& b) {
      return std::tuple(-a.probability, -a.target) < std::tuple(-b.probability, -b.target);
    });
    if (limits.best > 0 && !always && std::ssize(list) > limits.best)
      list.resize(static_cast<std::size_t>(limits.best));
    kept.insert(kept.end(), list.begin(), list.end());
  }
  auto result = make_shortlist(shortlist.vocabulary, std::move(kept));
  result.first = shortlist.first;
  result.best = limits.best > 0 ? limits.best : shortlist.best;
  result.phrases = shortlist.phrases;
  result.phrase_lengths = shortlist.phrase_lengths;
  return result;
}

}  // namespace dragoman
