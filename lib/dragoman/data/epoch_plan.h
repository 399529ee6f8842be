#pragma once

#include "dragoman/corpus/examples.h"
#include "dragoman/data/buckets.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace dragoman {

/// A corpus within the examples: from the end of the previous corpus up to `end`.
struct CorpusShare {
  std::size_t end = 0;
  double weight = 1.0;  ///< how often an epoch contains each pair; 0.5 = half of them, a different
                        ///< half each time
};

/// What determines the plan of an epoch, besides the lengths of the examples.
struct EpochOptions {
  BatchLimits limits;
  std::vector<CorpusShare> shares = {};  ///< none = every example once
  std::uint64_t seed = 1;
  /// Pairs planned together: their lengths are sorted, their batches shuffled.
  std::size_t window = std::size_t{1} << 20;
  /// Number of neighbours that always share a window.
  std::size_t stretch = 1024;
};

/// The batches of one epoch, in the order of training.
///
/// Up to `window` pairs are planned as one. A larger corpus is cut into stretches of neighbours;
/// the epoch shuffles these and plans one window of them at a time, so that memory does not grow
/// with the corpus and each window is a sample of all of it. A corpus with weight 2.5 contributes
/// its stretches three times, the third time with a random half of their pairs. Everything is
/// determined by (seed, epoch).
class EpochPlan {
 public:
  /// Reads all lengths to count the batches. Weights below 1 that leave no pair by chance leave the
  /// one that came nearest.
  /// \param examples must outlive the plan
  /// \throws OptionsError as `plan_batches` does; FormatError if the token store has changed since
  ///     it was opened; Cancelled if `stop` asks for it, between two windows
  EpochPlan(const Examples& examples, const EpochOptions& options, std::int64_t epoch,
            const std::stop_token& stop = {});

  std::int64_t size() const { return ends_.back(); }  ///< batches

  /// Batch `number`, from 0. Fast if accessed in order: one window is held in memory.
  /// \throws FormatError as the constructor does
  const BatchIndices& batch(std::int64_t number);

 private:
  /// A stretch, and how many times the epoch has visited it before.
  struct Visit {
    std::uint32_t stretch;
    std::uint32_t time;
    auto operator<=>(const Visit&) const = default;
  };
  void shuffle_visits();
  void count_windows(const std::stop_token& stop);
  std::size_t windows() const;
  BatchIndices pairs_of(std::size_t window) const;
  void add_pairs(const Visit& visit, BatchIndices& pairs) const;
  double draw(std::size_t index) const;
  std::uint32_t nearest_pair() const;
  void plan(std::size_t window);

  Examples examples_;
  EpochOptions options_;
  std::uint64_t key_;               ///< of this epoch
  std::vector<Visit> visits_;       ///< in the order of the windows
  std::vector<std::int64_t> ends_;  ///< batches up to the end of each window
  std::size_t planned_ = 0;
  std::vector<BatchIndices> plan_;  ///< of window `planned_`
};

}  // namespace dragoman
