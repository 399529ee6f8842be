#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace dragoman {

/// A file descriptor that closes itself; its errors name the file. Where the system refuses a call,
/// the DataError is a SystemError.
class Descriptor {
 public:
  /// Opens `path` with the flags of open(2); O_CLOEXEC is added.
  /// \param mode permissions of a file that this makes, before the umask
  /// \throws DataError "PATH: cannot be opened: ..."
  Descriptor(const std::filesystem::path& path, int flags, unsigned mode = 0666);

  /// Takes over an open descriptor. \param path for messages
  Descriptor(int number, std::filesystem::path path);

  /// Another descriptor of what `number` refers to.
  /// \throws DataError "PATH: cannot be opened: ..."
  static Descriptor copy_of(int number, std::filesystem::path path);

  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&&) = delete;

  int number() const { return number_; }
  const std::filesystem::path& path() const { return path_; }

  /// Its size in bytes. \throws DataError
  std::int64_t size() const;

  /// Whether `read` would wait: nothing is there to read, and the end is not reached.
  bool would_wait() const;

  /// Reads the next bytes into `buffer`; waits for them, even if another program has set the pipe
  /// or terminal not to. \return how many; 0 at the end. \throws DataError
  std::size_t read(std::span<char> buffer) const;

  /// Everything from here to the end. \throws DataError
  std::string read() const;

  /// Writes all of `content`, waiting in the same way.
  /// \throws DataError (a full disk, a file size limit)
  void write(std::string_view content) const;

  /// Syncs a regular file or a folder to the disk; does nothing for pipes and devices.
  /// \throws DataError
  void sync() const;

  /// \throws DataError if something written before did not reach the file
  void close();

 private:
  std::filesystem::path path_;
  int number_;
};

}  // namespace dragoman
