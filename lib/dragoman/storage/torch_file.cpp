#include "dragoman/storage/torch_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/pickle.h"
#include "dragoman/storage/pickled_options.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>
#include <utility>

namespace dragoman {

namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view rebuild_tensor = "torch._utils _rebuild_tensor_v2",
                           rebuild_parameter = "torch._utils _rebuild_parameter",
                           rebuild_with_state = "torch._utils _rebuild_parameter_with_state";
constexpr std::size_t longest_shape = 8;

constexpr std::array<std::pair<std::string_view, DType>, 10> storage_types = {
    {{"torch FloatStorage", DType::f32},
     {"torch HalfStorage", DType::f16},
     {"torch BFloat16Storage", DType::bf16},
     {"torch DoubleStorage", DType::f64},
     {"torch LongStorage", DType::i64},
     {"torch IntStorage", DType::i32},
     {"torch ShortStorage", DType::i16},
     {"torch CharStorage", DType::i8},
     {"torch ByteStorage", DType::u8},
     {"torch BoolStorage", DType::boolean}}};

/// \param options whether a class of options may occur
std::vector<std::string_view> known_functions(bool options) {
  std::vector<std::string_view> names{"collections OrderedDict", rebuild_tensor, rebuild_parameter,
                                      rebuild_with_state};
  if (options) names.push_back("argparse Namespace");
  for (const auto& [name, type] : storage_types) names.push_back(name);
  return names;
}

/// The archive of `path`. Files of torch before 1.6 are bare pickles.
ZipFile open_torch_file(const std::filesystem::path& path, std::string_view or_else = "") {
  if (!is_zip(MappedFile(path).bytes()))
    throw FormatError(concat(path.string(),
                             ": is not the zip archive that torch.save writes since "
                             "torch 1.6; load and save it again with a newer torch",
                             or_else));
  return ZipFile(path);
}

/// The folder of the archive that holds its parts: "archive" of "archive/data.pkl".
std::string folder_of(const ZipFile& zip, const std::string& place) {
  constexpr std::string_view ending = "/data.pkl";
  std::string folder;
  for (const auto& [name, content] : zip.entries()) {
    if (!name.ends_with(ending)) continue;
    if (!folder.empty()) throw FormatError(place + ": has more than one data.pkl; it is damaged");
    folder = name.substr(0, name.size() - ending.size());
  }
  if (folder.empty())
    throw FormatError(place + ": has no data.pkl; it was not written by torch.save");
  return folder;
}

/// A tensor takes 13 values beside its entry of the archive; the rest is for the options of a
/// training and for tensors that share their elements.
std::size_t most_values(const ZipFile& zip) {
  constexpr std::size_t of_options = std::size_t{1} << 14, of_tensor = 16;
  return of_options + of_tensor * zip.entries().size() + zip.size() / 64;
}

class TensorReader {
 public:
  /// \param model the entry that holds the tensors; empty = they are the root
  TensorReader(const ZipFile& zip, const std::string& place, std::string_view model = {})
      : zip_(zip), place_(place), folder_(folder_of(zip, place)), model_(model) {
    const auto* order = zip.find(folder_ + "/byteorder");
    if (order != nullptr && *order != "little")
      throw FormatError(concat(place, ": its byte order is ", printable(*order, 20),
                               "; write it on a machine with little-endian numbers"));
    pickle_ = read_pickle(*zip.find(folder_ + "/data.pkl"), most_values(zip),
                          known_functions(!model.empty()), place + ": data.pkl",
                          model.empty() ? "convert the file to safetensors with the program that "
                                          "wrote it"
                                        : "load it in Python, and save its tensors and options "
                                          "again as plain values");
  }

  nlohmann::json options() const {
    if (model_.empty()) return nullptr;
    return pickled_entries(pickle_, {"args", "cfg"}, place_);
  }

  std::vector<StridedTensor> read() const {
    const auto& root = model_.empty() ? pickle_[pickle_.root] : entry(model_);
    if (root.kind != Kind::dict) fail("is not a dict of tensors; save a model's state_dict()");
    std::vector<StridedTensor> tensors;
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i < root.items.size(); i += 2) {
      const auto& key = pickle_[root.items[i]];
      if (key.kind != Kind::text) fail("has a key that is not a text; save a model's state_dict()");
      if (!names.insert(key.text).second) fail_at(key.text, "occurs twice; the file is damaged");
      tensors.push_back(tensor(key.text, pickle_[root.items[i + 1]]));
    }
    return tensors;
  }

 private:
  [[noreturn]] void fail(std::string_view fact) const {
    throw FormatError(concat(place_, ": ", fact));
  }
  [[noreturn]] void fail_at(std::string_view name, std::string_view fact) const {
    fail(concat("tensor '", printable(name, 80), "': ", fact));
  }

  /// The arguments of a call of `function`, at least `count`; none if it is something else.
  std::span<const std::uint32_t> arguments(const PickleValue& value, std::string_view function,
                                           std::size_t count) const {
    if (value.kind != Kind::call || pickle_[value.items[0]].text != function) return {};
    const auto& items = pickle_[value.items[1]].items;
    return items.size() < count ? std::span<const std::uint32_t>() : items;
  }

  /// The last value of that key, as in Python.
  const PickleValue& entry(std::string_view key) const {
    const auto& items = pickle_[pickle_.root].items;
    const bool is_dict = pickle_[pickle_.root].kind == Kind::dict;
    for (auto i = is_dict ? items.size() : 0; i >= 2; i -= 2)
      if (pickle_[items[i - 2]].kind == Kind::text && pickle_[items[i - 2]].text == key)
        return pickle_[items[i - 1]];
    fail(concat("is not a dict with an entry '", key, "'; it is not a fairseq checkpoint"));
  }

  StridedTensor tensor(std::string_view name, const PickleValue& value) const {
    auto parameter = arguments(value, rebuild_parameter, 1);
    if (parameter.empty()) parameter = arguments(value, rebuild_with_state, 1);
    const auto& call = parameter.empty() ? value : pickle_[parameter[0]];
    const auto parts = arguments(call, rebuild_tensor, 4);
    if (parts.empty()) fail_at(name, "is not a tensor; save a model's state_dict() alone");
    StridedTensor result;
    result.name = name;
    result.shape = numbers(name, pickle_[parts[2]]);
    result.strides = numbers(name, pickle_[parts[3]]);
    const auto elements = storage(name, pickle_[parts[0]], result);
    if (pickle_[parts[1]].kind != Kind::integer) fail_at(name, "has no offset");
    const auto offset = pickle_[parts[1]].number;
    expect_inside(result, offset, elements);
    const auto size = size_of(result.dtype);
    result.bytes.remove_prefix(static_cast<std::size_t>(std::min(offset, elements) * size));
    return result;
  }

  std::vector<std::int64_t> numbers(std::string_view name, const PickleValue& value) const {
    if (value.kind != Kind::tuple || value.items.size() > longest_shape)
      fail_at(name, "has no proper shape; the file is damaged");
    std::vector<std::int64_t> result;
    for (const auto item : value.items) {
      if (pickle_[item].kind != Kind::integer || pickle_[item].number < 0)
        fail_at(name, "has a negative size or stride; the file is damaged");
      result.push_back(pickle_[item].number);
    }
    return result;
  }

  /// Sets type and bytes from ('storage', type, key, device, elements). \return the elements
  std::int64_t storage(std::string_view name, const PickleValue& value, StridedTensor& into) const {
    const auto& id = value.items;
    const bool proper = value.kind == Kind::storage && id.size() == 5 &&
                        pickle_[id[0]].text == "storage" && pickle_[id[1]].kind == Kind::function &&
                        pickle_[id[2]].kind == Kind::text && pickle_[id[4]].kind == Kind::integer;
    if (!proper) fail_at(name, "has no proper storage; the file is damaged");
    bool known = false;
    for (const auto& [type, dtype] : storage_types)
      if (type == pickle_[id[1]].text) into.dtype = dtype, known = true;
    const auto* bytes = zip_.find(concat(folder_, "/data/", pickle_[id[2]].text));
    const auto elements = pickle_[id[4]].number;
    if (!known) fail_at(name, "has no proper storage; the file is damaged");
    if (bytes == nullptr)
      fail_at(name, concat("has no storage ", printable(pickle_[id[2]].text, 40),
                           " in the archive; the file is damaged"));
    const auto held = static_cast<std::int64_t>(bytes->size()) / size_of(into.dtype);
    if (elements != held || static_cast<std::int64_t>(bytes->size()) % size_of(into.dtype) != 0)
      fail_at(name, concat("has a storage of ", bytes->size(), " bytes for ", elements,
                           " elements; the file is damaged"));
    into.bytes = *bytes;
    return elements;
  }

  /// Not more elements than the storage has, so that no view of a few bytes fills the memory.
  void expect_inside(const StridedTensor& tensor, std::int64_t offset,
                     std::int64_t elements) const {
    const auto refuse = [&] {
      fail_at(tensor.name, concat("lies outside its storage of ", elements,
                                  " elements, or repeats them; the file is damaged"));
    };
    if (tensor.shape.size() != tensor.strides.size() || offset < 0) refuse();
    std::int64_t count = 1, last = offset;
    bool overflow = false;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      std::int64_t reach = 0;
      overflow |= __builtin_mul_overflow(count, tensor.shape[i], &count);
      overflow |= __builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach);
      overflow |= __builtin_add_overflow(last, reach, &last);
    }
    if (overflow || count > elements || (count > 0 && last >= elements)) refuse();
  }

  const ZipFile& zip_;
  const std::string& place_;
  std::string folder_;
  std::string_view model_;
  Pickle pickle_;
};

}  // namespace

TorchFile::TorchFile(const std::filesystem::path& path)
    : zip_(open_torch_file(path, ", or convert it to safetensors")),
      tensors_(TensorReader(zip_, path.string()).read()) {
  zip_.expect_checksums();
}

TorchFile::TorchFile(const std::filesystem::path& path, std::string_view model)
    : zip_(open_torch_file(path)) {
  const auto place = path.string();
  const TensorReader reader(zip_, place, model);
  options_ = reader.options();
  tensors_ = reader.read();
  zip_.expect_checksums();
}

}  // namespace dragoman
