#include "dragoman/corpus/token_store_writer.h"

#include "dragoman/core/fingerprint.h"

#include <utility>

namespace dragoman {

namespace {

std::string_view bytes_of(const void* start, std::size_t size) {
  return {static_cast<const char*>(start), size};
}

/// Padding up to the next multiple of the alignment.
std::string padding_after(std::uint64_t size) {
  const auto rest = size % token_format::alignment;
  return std::string(rest == 0 ? 0 : token_format::alignment - rest, '\0');
}

}  // namespace

TokenStoreWriter::TokenStoreWriter(const std::filesystem::path& path,
                                   std::int64_t largest_vocabulary)
    : file_(path), id_bytes_(token_format::id_bytes(largest_vocabulary)) {
  file_.append(token_format::magic);
}

void TokenStoreWriter::add(const Example& example) {
  add_ids(example.source_ids);
  add_ids(example.target_ids);
  if (ends_.size() == 2 * token_format::segment_pairs) write_segment();
}

void TokenStoreWriter::add_ids(const std::vector<std::int32_t>& ids) {
  if (id_bytes_ == sizeof(std::uint16_t)) {
    for (const auto id : ids) {
      const auto narrow = static_cast<std::uint16_t>(id);
      ids_ += bytes_of(&narrow, sizeof narrow);
    }
  } else {
    ids_ += bytes_of(ids.data(), ids.size() * sizeof(std::int32_t));
  }
  ends_.push_back(static_cast<std::uint32_t>(ids_.size() / id_bytes_));
}

void TokenStoreWriter::write_segment() {
  if (ends_.empty()) return;
  std::string segment(bytes_of(ends_.data(), ends_.size() * sizeof(std::uint32_t)));
  segment += ids_;
  segment += padding_after(segment.size());
  places_.push_back({.offset = file_.size(),
                     .bytes = segment.size(),
                     .pairs = ends_.size() / 2,
                     .fingerprint = token_format::fingerprint_text(segment)});
  file_.append(segment);
  ends_.clear();
  ids_.clear();
}

void TokenStoreWriter::commit(const nlohmann::json& facts) {
  write_segment();
  const nlohmann::json description{
      {"id_bytes", id_bytes_}, {"segments", places_}, {"facts", facts}};
  const auto text = description.dump();
  const token_format::TokenFooter footer{.description_offset = file_.size(),
                                         .description_bytes = text.size(),
                                         .description_fingerprint = fingerprint(text)};
  file_.append(text);
  file_.append(bytes_of(&footer, sizeof footer));
  file_.commit();
}

}  // namespace dragoman
