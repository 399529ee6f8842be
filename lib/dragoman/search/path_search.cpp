#include "dragoman/search/path_search.h"

#include "dragoman/core/mix.h"
#include "dragoman/search/logits_reader.h"
#include "dragoman/search/ngram.h"
#include "dragoman/search/prefix_start.h"
#include "dragoman/search/token_sampler.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

namespace dragoman {

namespace {

/// A path that needs its next token.
struct OpenPath {
  std::size_t sentence = 0;
  std::size_t path = 0;  ///< index among the sentence's paths
  const Hypothesis& so_far;
};

/// How paths are continued.
struct TokenChoice {
  /// What is asked of a path's row: the best of the tokens that are not banned, or a drawn one.
  std::function<TokenQuery(const OpenPath&)> query;
  /// The answer, with its log-probability; none if no token is allowed.
  /// \param row of the path in `reader`
  std::function<std::optional<Candidate>(StepReader& reader, std::int64_t row)> answer;
  const SearchOptions* sampling = nullptr;  ///< as in `RankingRequest`
};

/// The paths of a batch, some independent ones for each sentence, and the scorer rows they occupy.
/// Paths share only the batch; finished ones leave it.
class PathBatch {
 public:
  PathBatch(NextTokenScorer& scorer, const SearchBatch& batch, const SearchOptions& options,
            std::int64_t paths, const TokenChoice& choice)
      : scorer_(scorer),
        batch_(batch),
        options_(options),
        rules_(token_rules(batch.special, options)),
        choice_(choice),
        paths_(batch.max_lengths.size(), std::vector<Hypothesis>(static_cast<std::size_t>(paths))),
        width_(static_cast<std::size_t>(paths)) {
    std::vector<std::size_t> open(width_);
    std::iota(open.begin(), open.end(), 0);
    for (std::size_t i = 0; i < batch.max_lengths.size(); ++i) active_.push_back({i, open});
  }

  std::vector<std::vector<Hypothesis>> run() {
    begin();
    while (!active_.empty()) {
      scorer_.advance(next_tokens_);
      const auto asked = queries();
      const RankingRequest request{
          .rows = asked, .count = 1, .rules = rules_, .sampling = choice_.sampling};
      StepReader reader(scorer_, request);
      std::vector<Sentence> next;
      std::vector<std::int64_t> kept, rows;
      for (std::size_t i = 0; i < active_.size(); ++i) extend(reader, i, next, kept, rows);
      reorder(std::move(next), kept, rows);
    }
    return std::move(paths_);
  }

 private:
  /// A sentence in the batch: its unfinished paths, with one row each.
  struct Sentence {
    std::size_t index = 0;
    std::vector<std::size_t> open;
  };

  /// Reads the prefixes up to the length of the shortest, then gives each path its own row.
  void begin() {
    const auto start = start_with_prefixes(scorer_, batch_, rules_);
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      rows.insert(rows.end(), width_, static_cast<std::int64_t>(i));
      next_tokens_.insert(next_tokens_.end(), width_, start.next_token(batch_, i));
      if (start.length == 0) continue;
      Hypothesis begun;
      for (std::size_t t = 0; t < start.log_probs[i].size(); ++t) {
        begun.ids.push_back(batch_.prefixes[i][t]);
        begun.score = begun.log_prob += start.log_probs[i][t];
      }
      paths_[i].assign(width_, begun);
    }
    if (width_ > 1) scorer_.select_rows(rows);
  }

  /// What `append_token` asks of each row.
  std::vector<TokenQuery> queries() const {
    std::vector<TokenQuery> queries(next_tokens_.size());
    for (std::size_t i = 0; i < active_.size(); ++i)
      for (std::size_t k = 0; k < active_[i].open.size(); ++k) {
        const auto sentence = active_[i].index, path = active_[i].open[k];
        const auto& so_far = paths_[sentence][path];
        auto& query = queries[i * width_ + k];
        query.given = forced_token(batch_.prefixes, sentence, so_far.ids.size());
        if (!query.given) query = choice_.query({sentence, path, so_far});
      }
    return queries;
  }

  /// Chooses the next token of each path of the i-th active sentence. If any of them continues, the
  /// sentence is appended to `next`, i to `kept`, and the rows of these paths to `rows`.
  void extend(StepReader& reader, std::size_t i, std::vector<Sentence>& next,
              std::vector<std::int64_t>& kept, std::vector<std::int64_t>& rows) {
    const auto& sentence = active_[i];
    Sentence going_on{sentence.index, {}};
    for (std::size_t k = 0; k < sentence.open.size(); ++k) {
      const auto row = static_cast<std::int64_t>(i * width_ + k);
      if (!append_token(reader, row, sentence.index, sentence.open[k])) continue;
      going_on.open.push_back(sentence.open[k]);
      rows.push_back(row);
    }
    if (going_on.open.empty()) return;
    kept.push_back(static_cast<std::int64_t>(i));
    next.push_back(std::move(going_on));
  }

  /// True if the path continues after its new token.
  bool append_token(StepReader& reader, std::int64_t row, std::size_t sentence, std::size_t path) {
    auto& hypothesis = paths_[sentence][path];
    auto token = fixed_token(reader, row, batch_, options_, sentence, std::ssize(hypothesis.ids));
    if (!token) token = choice_.answer(reader, row);
    if (!token) return false;
    hypothesis.ids.push_back(static_cast<std::int32_t>(token->index));
    hypothesis.score = hypothesis.log_prob += token->value;
    hypothesis.finished = token->index == batch_.special.eos;
    return !hypothesis.finished && std::ssize(hypothesis.ids) < batch_.max_lengths[sentence];
  }

  /// Finished sentences leave; one with fewer paths than another repeats its first, so that all
  /// have the same width.
  /// \param rows of all paths of `next`, sentence by sentence
  void reorder(std::vector<Sentence> next, std::span<const std::int64_t> kept,
               std::span<const std::int64_t> rows) {
    std::size_t width = 0, first = 0;
    for (const auto& sentence : next) width = std::max(width, sentence.open.size());
    std::vector<std::int64_t> selected;
    next_tokens_.clear();
    for (const auto& sentence : next) {
      for (std::size_t k = 0; k < width; ++k) {
        const auto path = k < sentence.open.size() ? k : 0;
        selected.push_back(rows[first + path]);
        next_tokens_.push_back(paths_[sentence.index][sentence.open[path]].ids.back());
      }
      first += sentence.open.size();
    }
    if (!next.empty()) {
      if (next.size() < active_.size()) scorer_.select_sentences(kept);
      if (next.size() < active_.size() || width_ > 1) scorer_.select_rows(selected);
    }
    active_ = std::move(next);
    width_ = width;
  }

  NextTokenScorer& scorer_;
  const SearchBatch& batch_;
  const SearchOptions& options_;
  TokenRules rules_;
  const TokenChoice& choice_;
  std::vector<std::vector<Hypothesis>> paths_;  // of all sentences
  std::vector<Sentence> active_;                // sentences still in the batch
  std::size_t width_;                           // rows per active sentence
  std::vector<std::int64_t> next_tokens_;       // one per row
};

/// The number in [0, 1) that selects a path's next token.
double uniform_for(const OpenPath& path, std::uint64_t stream) {
  return uniform(mix(mix(stream, path.path), path.so_far.ids.size()));
}

}  // namespace

std::vector<std::vector<Hypothesis>> greedy_search(NextTokenScorer& scorer,
                                                   const SearchBatch& batch,
                                                   const SearchOptions& options) {
  const auto query = [&options](const OpenPath& path) {
    return TokenQuery{.banned = repeating_tokens(path.so_far.ids, options.no_repeat_ngram)};
  };
  const auto most_probable = [](StepReader& reader, std::int64_t row) -> std::optional<Candidate> {
    Candidate best;
    if (reader.best_tokens(row, {&best, 1}) == 0) return std::nullopt;
    return best;
  };
  const TokenChoice choice{.query = query, .answer = most_probable};
  return PathBatch(scorer, batch, options, 1, choice).run();
}

std::vector<std::vector<Hypothesis>> sample(NextTokenScorer& scorer, const SearchBatch& batch,
                                            const SearchOptions& options) {
  TokenSampler sampler(options);
  const auto query = [&](const OpenPath& path) {
    return TokenQuery{.banned = repeating_tokens(path.so_far.ids, options.no_repeat_ngram),
                      .draw = uniform_for(path, batch.streams[path.sentence])};
  };
  const auto drawn = [&](StepReader& reader, std::int64_t row) {
    return reader.drawn_token(row, sampler);
  };
  const TokenChoice choice{.query = query, .answer = drawn, .sampling = &options};
  return PathBatch(scorer, batch, options, options.n_best, choice).run();
}

}  // namespace dragoman
