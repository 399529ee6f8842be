#include "dragoman/convert/pieces_by_id.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <algorithm>

namespace dragoman {

void PiecesById::put(const std::string& piece, std::int64_t id, const std::filesystem::path& file) {
  if (id < 0 || id >= rows())
    throw FormatError(concat(file.string(), ": the piece ", printable(piece, 40), " has the id ",
                             id, ", but the model has only ", rows(), " rows"));
  auto& place = pieces_[static_cast<std::size_t>(id)];
  if (place && *place != piece)
    throw FormatError(concat(file.string(), ": the pieces ", printable(*place, 40), " and ",
                             printable(piece, 40), " have the id ", id));
  place = piece;
  auto& least = ids_.try_emplace(piece, id).first->second;
  least = std::min(least, id);
  end_ = std::max(end_, id + 1);
}

std::optional<std::int64_t> PiecesById::find(const std::string& piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t PiecesById::id_of(const std::string& piece, const std::filesystem::path& file) const {
  if (const auto found = find(piece)) return *found;
  throw FormatError(concat(file.string(), ": has no piece ", printable(piece, 40),
                           ", which the tokenizer needs; take all files from one model"));
}

}  // namespace dragoman
