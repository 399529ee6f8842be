#include "corpus.h"

#include "sentences.h"

#include <algorithm>
#include <set>

namespace demo {

namespace {

constexpr std::uint64_t seed = 20170612;
constexpr std::size_t train_size = 24000;
constexpr std::size_t valid_size = 500;
constexpr std::size_t test_size = 700;

/// FNV-1a: independent of the compiler.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xCBF29CE484222325ULL;
  for (const char letter : text)
    value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001B3ULL;
  return value;
}

bool unseen(const Sentence& sentence) {
  return std::any_of(sentence.combinations.begin(), sentence.combinations.end(), held_out);
}

/// Sentences drawn so far: no source and no target occurs twice in the three sets.
class Collection {
 public:
  bool insert(const Pair& pair) {
    if (sources_.contains(pair.english) || targets_.contains(pair.german)) return false;
    sources_.insert(pair.english);
    targets_.insert(pair.german);
    return true;
  }

 private:
  std::set<std::string> sources_, targets_;
};

}  // namespace

bool held_out(std::string_view combination) { return (hash(combination) >> 20U) % 10 == 0; }

Corpus make_corpus() {
  Chooser chooser(seed);
  Collection collection;
  Corpus corpus;
  const auto complete = [&] {
    return corpus.train.size() == train_size && corpus.valid.size() == valid_size &&
           corpus.test.size() == test_size;
  };
  while (!complete()) {
    const auto sentence = draw_sentence(chooser);
    if (!sentence) continue;
    const bool for_test = unseen(*sentence);
    const bool for_valid = !for_test && corpus.valid.size() < valid_size;
    auto& set = for_test ? corpus.test : for_valid ? corpus.valid : corpus.train;
    const auto limit = for_test ? test_size : for_valid ? valid_size : train_size;
    if (set.size() < limit && collection.insert(sentence->text)) set.push_back(sentence->text);
  }
  return corpus;
}

}  // namespace demo
