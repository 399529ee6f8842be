#pragma once

#include <filesystem>

namespace dragoman {

/// Unpacks the files of a zip archive, stored or deflated, into a folder. If all of them lie in one
/// folder of the archive, they are unpacked without it; those in folders below are left out, and so
/// is what macOS adds in its folder __MACOSX. A name
/// is never more than that of a file in `folder`, and no file becomes larger than its entry says,
/// nor do all together become larger than 16 MiB and 100 times their packed size.
/// \param folder that is there
/// \throws DataError if a file cannot be read or written
/// \throws FormatError as zip_entries does; also for another compression, content that does not
///     have the announced size and checksum, names that are no file's, and more than the sizes
///     above
void unzip(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace dragoman
