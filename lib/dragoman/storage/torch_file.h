#pragma once

#include "dragoman/storage/strided_tensor.h"
#include "dragoman/storage/zip_file.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string_view>
#include <vector>

namespace dragoman {

/// A dict of tensors that `torch.save` wrote, such as pytorch_model.bin. It is a pickle, a program
/// by itself; this reader knows only dicts, tensors and their storages and refuses all else by its
/// name. Tensors are views of the mapped file.
class TorchFile {
 public:
  /// \throws DataError if the file cannot be read.
  /// \throws FormatError naming the file, and the tensor if one is at fault: outside its storage,
  ///     of more elements than that, of an unknown type, or of a name that occurs twice; also if
  ///     the archive's checksums are not those of its content.
  explicit TorchFile(const std::filesystem::path& path);

  /// A dict with one entry that is such a dict, as fairseq writes them: options beside a model. The
  /// one class that it may name is argparse.Namespace, which is its attributes.
  /// \param model the key of the entry
  /// \throws as above; FormatError also if there is no such entry
  TorchFile(const std::filesystem::path& path, std::string_view model);

  /// The entries `args` and `cfg`, as far as the dict has them; null for a dict of tensors alone.
  const nlohmann::json& options() const { return options_; }

  /// In the order of the file. The bytes live as long as this object.
  const std::vector<StridedTensor>& tensors() const { return tensors_; }

  /// As MappedFile::drop_pages.
  void drop_pages() const { zip_.drop_pages(); }

 private:
  ZipFile zip_;
  nlohmann::json options_;
  std::vector<StridedTensor> tensors_;
};

}  // namespace dragoman
