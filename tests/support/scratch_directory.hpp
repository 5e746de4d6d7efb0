// A directory of its own for a test, gone with the object.
#pragma once

#include <string>
#include <string_view>

#include "blkpress/bytes.hpp"

namespace blkpress::test {

class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  // The directory, or a name in it.
  [[nodiscard]] std::string path(std::string_view name = {}) const;
  // Writes a file, with the directories above it, and returns its path.
  std::string write(std::string_view name, ByteView content) const;
  std::string write(std::string_view name, std::string_view content) const;

 private:
  std::string path_;
};

// The whole content of a file; aborts when it cannot be read.
std::string read_text(const std::string& path);

}  // namespace blkpress::test
