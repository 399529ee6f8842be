#pragma once

#include "dragoman/data/batch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace test {

/// What the decoder reads and what it has to write, in words; BOS is START.
struct TeacherForced {
  std::vector<std::string> input, output;
};

inline TeacherForced teacher_forced(const std::vector<std::string>& target) {
  constexpr std::int32_t first_id = 4;  // of the words, in order
  dragoman::Example example{.source_ids = {3}, .target_ids = {}};
  for (std::size_t i = 0; i < target.size(); ++i)
    example.target_ids.push_back(first_id + static_cast<std::int32_t>(i));
  const auto batch = dragoman::make_batch(std::vector<const dragoman::Example*>{&example}, {}, {});
  const auto words = [&target](const at::Tensor& ids) {
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < ids.size(0); ++i) {
      const auto id = ids[i].item<std::int64_t>();
      all.push_back(id == dragoman::SpecialIds().bos
                        ? "START"
                        : target.at(static_cast<std::size_t>(id - first_id)));
    }
    return all;
  };
  return {words(batch.target_input[0]), words(batch.target_output[0])};
}

}  // namespace test
