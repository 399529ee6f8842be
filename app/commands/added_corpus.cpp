#include "commands/added_corpus.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"

#include <algorithm>
#include <vector>

namespace dragoman::app {

namespace {

/// A language of the synthetic text: the one that was named, if others have it, or theirs. None if
/// they have several.
/// \param side "source" or "target"
std::string synthetic_tag(const std::vector<std::string>& tags, const std::string& language,
                          const char* side) {
  if (std::ranges::find(tags, language) != tags.end()) return language;
  if (std::ranges::count(tags, tags.front()) == std::ssize(tags)) return tags.front();
  log_warning(concat("data.", side, "_tag: the texts have several ", side,
                     " languages, and it is not known which of them the synthetic text has: it "
                     "gets no tag"));
  return {};
}

}  // namespace

void add_corpus(DataOptions& data, const AddedCorpus& corpus) {
  if (!data.weights.empty()) data.weights.push_back(1.0);
  if (!data.target_tag.empty())
    data.target_tag.push_back(
        synthetic_tag(data.target_tag, language_code(corpus.languages.target), "target"));
  if (corpus.tag && (!corpus.tag->empty() || !data.source_tag.empty()))
    data.source_tag.push_back(*corpus.tag);
  else if (!data.source_tag.empty())
    data.source_tag.push_back(
        synthetic_tag(data.source_tag, language_code(corpus.languages.source), "source"));
  data.train_source.push_back(corpus.source.string());
  data.train_target.push_back(corpus.target.string());
}

}  // namespace dragoman::app
