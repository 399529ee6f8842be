#pragma once

#include "dragoman/storage/strided_tensor.h"
#include "dragoman/storage/zip_file.h"

#include <filesystem>
#include <vector>

namespace dragoman {

/// A dict of tensors that `torch.save` wrote, such as pytorch_model.bin. It is a pickle, a program
/// by itself; this reader knows only dicts, tensors and their storages and refuses all else by its
/// name. Tensors are views of the mapped file.
class TorchFile {
 public:
  /// \throws DataError if the file cannot be read.
  /// \throws FormatError naming the file, and the tensor if one is at fault: outside its storage, of
  ///     more elements than that, of an unknown type, or of a name that occurs twice.
  explicit TorchFile(const std::filesystem::path& path);

  /// In the order of the file. The bytes live as long as this object.
  const std::vector<StridedTensor>& tensors() const { return tensors_; }

 private:
  ZipFile zip_;
  std::vector<StridedTensor> tensors_;
};

}  // namespace dragoman
