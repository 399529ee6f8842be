#include "dragoman/text/corpus.h"

#include "dragoman/core/error.h"
#include "dragoman/text/lines.h"

#include <algorithm>
#include <functional>
#include <future>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>

namespace dragoman {

namespace {

// Below this many pairs a thread costs more than it saves.
constexpr std::size_t pairs_per_thread = 2000;

enum class Fate { kept, empty, duplicate, too_long, ratio };

struct Encoded {
  Fate fate = Fate::kept;
  Example example;
};

/// Pairs by their text; no copies are kept.
struct SameText {
  std::size_t operator()(const LinePair* pair) const {
    const std::hash<std::string_view> hash;
    return hash(pair->source) * 31 + hash(pair->target);
  }
  bool operator()(const LinePair* a, const LinePair* b) const {
    return a->source == b->source && a->target == b->target;
  }
};

std::vector<bool> find_duplicates(std::span<const LinePair> pairs) {
  std::vector<bool> duplicate(pairs.size(), false);
  std::unordered_set<const LinePair*, SameText, SameText> seen;
  for (std::size_t i = 0; i < pairs.size(); ++i) duplicate[i] = !seen.insert(&pairs[i]).second;
  return duplicate;
}

Encoded encode_pair(const LinePair& pair, const Vocabulary& vocabulary,
                    const DataOptions& options) {
  Encoded result;
  auto& [source, target] = result.example;
  source = vocabulary.source.encode(pair.source);
  target = vocabulary.target.encode(pair.target);
  const auto [shorter, longer] = std::minmax({source.size(), target.size()});
  if (shorter == 0) {
    result.fate = Fate::empty;
  } else if (longer > static_cast<std::size_t>(options.max_length)) {
    result.fate = Fate::too_long;
  } else if (options.max_ratio > 0.0 &&
             static_cast<double>(longer) > options.max_ratio * static_cast<double>(shorter)) {
    result.fate = Fate::ratio;
  }
  if (result.fate != Fate::kept) result.example = {};
  return result;
}

/// Calls `work(begin, end)` for slices of [0, count), each in a thread of its own.
template <typename Work>
void in_slices(std::size_t count, const Work& work) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const auto slices = std::clamp(count / pairs_per_thread, std::size_t{1}, cores);
  std::vector<std::future<void>> running;
  for (std::size_t i = 0; i < slices; ++i)
    running.push_back(std::async(slices == 1 ? std::launch::deferred : std::launch::async, work,
                                 count * i / slices, count * (i + 1) / slices));
  for (auto& slice : running) slice.get();
}

std::int64_t count_id(const std::vector<std::int32_t>& ids, std::int64_t id) {
  return std::count(ids.begin(), ids.end(), static_cast<std::int32_t>(id));
}

/// Counts a pair and, if it is kept, moves it to the result.
void settle(Encoded&& pair, const Vocabulary& vocabulary, EncodedCorpus& corpus) {
  auto& report = corpus.report;
  switch (pair.fate) {
    case Fate::empty: ++report.empty; return;
    case Fate::duplicate: ++report.duplicates; return;
    case Fate::too_long: ++report.too_long; return;
    case Fate::ratio: ++report.ratio; return;
    case Fate::kept: ++report.kept; break;
  }
  auto& [source, target] = pair.example;
  const auto source_special = vocabulary.source.special();
  const auto target_special = vocabulary.target.special();
  report.source_pieces += static_cast<std::int64_t>(source.size());
  report.target_pieces += static_cast<std::int64_t>(target.size());
  report.source_unknown += count_id(source, source_special.unk);
  report.target_unknown += count_id(target, target_special.unk);
  source.push_back(static_cast<std::int32_t>(source_special.eos));
  target.push_back(static_cast<std::int32_t>(target_special.eos));
  corpus.examples.push_back(std::move(pair.example));
}

std::string left_out(const CorpusReport& report) {
  std::string text;
  const auto add = [&text](std::int64_t count, std::string_view what) {
    if (count > 0) text += concat(text.empty() ? "" : ", ", count, ' ', what);
  };
  add(report.empty, "empty");
  add(report.duplicates, "duplicates");
  add(report.too_long, "too long");
  add(report.ratio, "of unlike lengths");
  return text;
}

void append_lines(const std::string& source_file, const std::string& target_file,
                  std::vector<LinePair>& pairs) {
  auto sources = read_lines(source_file);
  auto targets = read_lines(target_file);
  if (sources.size() != targets.size())
    throw DataError(concat(source_file, " and ", target_file, ": have ", sources.size(), " and ",
                           targets.size(),
                           " lines; line n of one must translate line n of the other"));
  pairs.reserve(pairs.size() + sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    pairs.push_back({.source = std::move(sources[i]), .target = std::move(targets[i])});
}

}  // namespace

std::string CorpusReport::text() const {
  const auto out = left_out(*this);
  return concat(read, " pairs read, ", out, out.empty() ? "" : ", ", kept, " kept (", source_pieces,
                " source pieces, ", source_unknown, " unknown; ", target_pieces, " target pieces, ",
                target_unknown, " unknown)");
}

std::string corpus_place(std::span<const std::string> sources,
                         std::span<const std::string> targets) {
  std::string text;
  for (const auto& file : sources) text += (text.empty() ? "" : ", ") + file;
  text += " and ";
  for (std::size_t i = 0; i < targets.size(); ++i) text += (i == 0 ? "" : ", ") + targets[i];
  return text;
}

std::vector<LinePair> read_parallel(std::span<const std::string> sources,
                                    std::span<const std::string> targets) {
  if (sources.size() != targets.size() || sources.empty())
    throw OptionsError(concat("training text: ", sources.size(), " source and ", targets.size(),
                              " target files; name one target file for each source file"));
  std::vector<LinePair> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) append_lines(sources[i], targets[i], pairs);
  const auto has_text = [](const LinePair& pair) {
    return !pair.source.empty() && !pair.target.empty();
  };
  if (std::none_of(pairs.begin(), pairs.end(), has_text))
    throw DataError(concat(corpus_place(sources, targets), ": 0 of ", pairs.size(),
                           " pairs are usable: no line has text on both sides"));
  return pairs;
}

EncodedCorpus encode_corpus(std::span<const LinePair> pairs, const Vocabulary& vocabulary,
                            const DataOptions& options, std::string_view place) {
  std::vector<bool> duplicate(pairs.size(), false);
  if (options.drop_duplicates) duplicate = find_duplicates(pairs);
  std::vector<Encoded> encoded(pairs.size());
  in_slices(pairs.size(), [&](std::size_t begin, std::size_t end) {
    for (auto i = begin; i < end; ++i) {
      if (pairs[i].source.empty() || pairs[i].target.empty()) {
        encoded[i].fate = Fate::empty;
      } else if (duplicate[i]) {
        encoded[i].fate = Fate::duplicate;
      } else {
        encoded[i] = encode_pair(pairs[i], vocabulary, options);
      }
    }
  });
  EncodedCorpus corpus;
  corpus.report.read = static_cast<std::int64_t>(pairs.size());
  for (auto& pair : encoded) settle(std::move(pair), vocabulary, corpus);
  if (corpus.examples.empty())
    throw DataError(concat(place, ": 0 of ", pairs.size(),
                           " pairs are usable: ", left_out(corpus.report), "; data.max_length is ",
                           options.max_length, " pieces"));
  return corpus;
}

}  // namespace dragoman
