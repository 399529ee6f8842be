#include "dragoman/storage/safetensors.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/little_endian.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/safetensors_header.h"
#include "dragoman/storage/zip_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace dragoman {

namespace {

constexpr std::uint64_t longest_header = 100000000;  // bytes; the reference reader's limit
constexpr std::size_t alignment = 64;                // bytes, of the data in the file

/// What a file is instead of a safetensors file, judged by its first bytes.
std::string foreign_hint(std::string_view bytes) {
  if (bytes.starts_with("version https://git-lfs"))
    return "; it is a Git LFS pointer in place of the file: fetch the file with 'git lfs pull'";
  if (is_zip(bytes)) return "; it is a zip archive, such as torch.save writes";
  if (bytes.starts_with("<")) return "; it is a web page or XML text";
  return "; it is damaged, or not a safetensors file";
}

std::string_view header_of(std::string_view bytes, const std::string& place) {
  if (bytes.size() < length_word)
    throw FormatError(concat(place, ": has ", bytes.size(),
                             " bytes, too few for a safetensors file; get it again"));
  const auto length = from_little_endian(bytes.substr(0, length_word));
  if (length > longest_header)
    throw FormatError(concat(place, ": announces a header of ", length, " bytes, more than ",
                             longest_header, foreign_hint(bytes)));
  if (length > bytes.size() - length_word)
    throw FormatError(concat(place, ": announces a header of ", length, " bytes, but only ",
                             bytes.size() - length_word, " follow", foreign_hint(bytes)));
  return bytes.substr(length_word, length);
}

/// Checks that the entries cover the data without gap or overlap.
void check_cover(std::vector<SafetensorsHeader::Entry>& entries, std::uint64_t data_size,
                 const std::string& place) {
  std::ranges::sort(entries, {},
                    [](const auto& entry) { return std::tie(entry.begin, entry.end, entry.name); });
  std::uint64_t covered = 0;
  for (const auto& entry : entries) {
    if (entry.begin != covered)
      throw FormatError(concat(place, ": tensor '", printable(entry.name), "': begins at byte ",
                               entry.begin, " of the data, but what is before it ends at byte ",
                               covered, "; the file is damaged, get it again"));
    covered = entry.end;
    if (covered > data_size)
      throw FormatError(concat(place, ": tensor '", printable(entry.name), "': ends at byte ",
                               covered, " of the data, but the file holds ", data_size,
                               "; its end is missing, get the file again"));
  }
  if (covered < data_size)
    throw FormatError(concat(place, ": ", data_size - covered,
                             " bytes follow the last tensor; the file is damaged, get it again"));
}

nlohmann::ordered_json entry_json(const TensorView& tensor, std::size_t begin) {
  return {{"dtype", name_of(tensor.dtype)},
          {"shape", tensor.shape},
          {"data_offsets", {begin, begin + tensor.bytes.size()}}};
}

void check_tensors(const std::vector<TensorView>& sorted_tensors) {
  std::map<std::string_view, int> count;
  for (const auto& tensor : sorted_tensors) {
    if (++count[tensor.name] > 1 || tensor.name == "__metadata__")
      throw ContractError(
          concat("safetensors: the name '", tensor.name, "' cannot be used (again)"));
    const auto bytes = tensor_bytes(tensor.shape, tensor.dtype, tensor.name);
    if (static_cast<std::size_t>(bytes) != tensor.bytes.size())
      throw ContractError(concat("safetensors: tensor '", tensor.name, "' has ",
                                 tensor.bytes.size(), " bytes, its shape ", bytes));
  }
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  const auto place = path.string();
  const auto text = header_of(file_.bytes(), place);
  auto header = parse_safetensors_header(text, place);
  const auto data = file_.bytes().substr(length_word + text.size());
  check_cover(header.entries, data.size(), place);

  metadata_ = std::move(header.metadata);
  tensors_.reserve(header.entries.size());
  for (auto& entry : header.entries)
    tensors_.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                        data.substr(entry.begin, entry.end - entry.begin)});
  std::ranges::sort(tensors_, {}, &TensorView::name);
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(tensors_, name, {}, &TensorView::name);
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

std::vector<std::string_view> SafetensorsContent::parts() const {
  std::vector<std::string_view> all{header};
  all.insert(all.end(), data.begin(), data.end());
  return all;
}

SafetensorsContent make_safetensors(std::vector<TensorView> tensors, const Metadata& metadata) {
  check_tensors(tensors);
  std::ranges::sort(tensors, {}, [](const TensorView& tensor) {
    return std::tuple(-size_of(tensor.dtype), std::string_view(tensor.name));
  });
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!metadata.empty()) json["__metadata__"] = metadata;
  SafetensorsContent content;
  std::size_t begin = 0;
  for (const auto& tensor : tensors) {
    json[tensor.name] = entry_json(tensor, begin);
    begin += tensor.bytes.size();
    content.data.push_back(tensor.bytes);
  }

  std::string text = json.dump();
  text.resize((length_word + text.size() + alignment - 1) / alignment * alignment - length_word,
              ' ');
  content.header = to_little_endian(std::uint64_t{text.size()}) + text;
  return content;
}

}  // namespace dragoman
