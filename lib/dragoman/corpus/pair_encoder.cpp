#include "dragoman/corpus/pair_encoder.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/thread.h"

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

std::int64_t count_id(const std::vector<std::int32_t>& ids, std::int64_t id) {
  return std::count(ids.begin(), ids.end(), static_cast<std::int32_t>(id));
}

std::int64_t size_of(const std::vector<std::int32_t>& ids) {
  return static_cast<std::int64_t>(ids.size());
}

}  // namespace

CorpusReport& CorpusReport::operator+=(const CorpusReport& other) {
  for (const auto count : {&CorpusReport::read, &CorpusReport::empty, &CorpusReport::duplicates,
                           &CorpusReport::too_long, &CorpusReport::ratio, &CorpusReport::kept,
                           &CorpusReport::source_pieces, &CorpusReport::target_pieces,
                           &CorpusReport::source_unknown, &CorpusReport::target_unknown})
    this->*count += other.*count;
  return *this;
}

std::string CorpusReport::left_out() const {
  std::string text;
  const auto add = [&text](std::int64_t count, std::string_view what) {
    if (count > 0) text += concat(text.empty() ? "" : ", ", grouped(count), ' ', what);
  };
  add(empty, "empty");
  add(duplicates, duplicates == 1 ? "duplicate" : "duplicates");
  add(too_long, "too long");
  add(ratio, "over the length ratio");
  return text;
}

std::string CorpusReport::text() const {
  const auto out = left_out();
  return concat(counted(read, "pair"), " read, ", out, out.empty() ? "" : ", ", grouped(kept),
                " kept (", counted(source_pieces, "source piece"), ", ", grouped(source_unknown),
                " unknown; ", counted(target_pieces, "target piece"), ", ", grouped(target_unknown),
                " unknown)");
}

struct PairEncoder::Encoded {
  CorpusReport report;
  std::vector<Example> examples;
};

PairEncoder::PairEncoder(const Vocabulary& vocabulary, const DataOptions& options)
    : vocabulary_(vocabulary), options_(options) {}

CorpusReport PairEncoder::encode(const PairBlocks& blocks,
                                 const std::function<void(Example&&)>& keep) {
  CorpusReport report;
  std::deque<std::future<Encoded>> running;
  const auto settle_first = [&] {
    auto block = running.front().get();
    running.pop_front();
    report += block.report;
    for (auto& example : block.examples) keep(std::move(example));
  };
  const std::size_t at_once = static_cast<std::size_t>(available_cores()) + 1;
  for (auto pairs = blocks(); !pairs.empty(); pairs = blocks()) {
    auto duplicate = find_duplicates(pairs);
    running.push_back(encode_aside(std::move(pairs), std::move(duplicate)));
    if (running.size() == at_once) settle_first();
  }
  while (!running.empty()) settle_first();
  return report;
}

std::future<PairEncoder::Encoded> PairEncoder::encode_aside(std::vector<LinePair> pairs,
                                                            std::vector<bool> duplicate) const {
  const SignalsBlocked blocked;
  try {
    return std::async(std::launch::async,
                      [this, pairs = std::move(pairs), duplicate = std::move(duplicate)] {
                        return encode_block(pairs, duplicate);
                      });
  } catch (const std::system_error& error) {
    fail_without_thread(error);
  }
}

std::vector<bool> PairEncoder::find_duplicates(const std::vector<LinePair>& pairs) {
  std::vector<bool> duplicate(pairs.size(), false);
  if (!options_.drop_duplicates) return duplicate;
  // The same text in other languages is another example.
  std::string languages;
  for (const auto* side : {&vocabulary_.source, &vocabulary_.target})
    for (const auto id : side->prefix()) languages += concat(id, ' ');
  for (std::size_t i = 0; i < pairs.size(); ++i)
    duplicate[i] = languages.empty()
                       ? !seen_.insert(pairs[i])
                       : !seen_.insert(LinePair{languages + pairs[i].source, pairs[i].target});
  return duplicate;
}

PairEncoder::Encoded PairEncoder::encode_block(const std::vector<LinePair>& pairs,
                                               const std::vector<bool>& duplicate) const {
  Encoded block;
  block.report.read = static_cast<std::int64_t>(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].source.empty() || pairs[i].target.empty()) {
      ++block.report.empty;
    } else if (duplicate[i]) {
      ++block.report.duplicates;
    } else {
      encode_pair(pairs[i], block);
    }
  }
  return block;
}

void PairEncoder::encode_pair(const LinePair& pair, Encoded& block) const {
  auto& report = block.report;
  auto source = vocabulary_.source.encode(pair.source);
  auto target = vocabulary_.target.encode(pair.target);
  if (std::max(size_of(source), size_of(target)) > options_.max_length) {
    ++report.too_long;
    return;
  }
  // Of the text, without the languages in front of it.
  const auto [shorter, longer] =
      std::minmax({size_of(source) - size_of(vocabulary_.source.prefix()),
                   size_of(target) - size_of(vocabulary_.target.prefix())});
  if (shorter == 0) {
    ++report.empty;
    return;
  }
  if (options_.max_ratio > 0.0 &&
      static_cast<double>(longer) > options_.max_ratio * static_cast<double>(shorter)) {
    ++report.ratio;
    return;
  }
  const auto source_special = vocabulary_.source.special();
  const auto target_special = vocabulary_.target.special();
  ++report.kept;
  report.source_pieces += size_of(source);
  report.target_pieces += size_of(target);
  report.source_unknown += count_id(source, source_special.unk);
  report.target_unknown += count_id(target, target_special.unk);
  vocabulary_.source.end_source(source);
  target.push_back(static_cast<std::int32_t>(target_special.eos));
  block.examples.push_back({.source_ids = std::move(source), .target_ids = std::move(target)});
}

void expect_kept(const CorpusReport& report, const DataOptions& options, const std::string& place) {
  if (report.kept == 0)
    throw DataError(concat(place, ": 0 of ", report.read, " pairs are usable: ", report.left_out(),
                           "; data.max_length is ", options.max_length, " pieces"));
}

}  // namespace dragoman
