#include "support/scratch_directory.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "blkpress/result.hpp"

namespace blkpress::test {

namespace fs = std::filesystem;

ScratchDirectory::ScratchDirectory() : path_((fs::temp_directory_path() / "blkpress-test-XXXXXX").string()) {
  BLKPRESS_ASSERT(::mkdtemp(path_.data()) != nullptr);
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string ScratchDirectory::path(std::string_view name) const {
  return name.empty() ? path_ : path_ + '/' + std::string(name);
}

std::string ScratchDirectory::write(std::string_view name, ByteView content) const {
  return write(name, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

std::string ScratchDirectory::write(std::string_view name, std::string_view content) const {
  const std::string target = path(name);
  fs::create_directories(fs::path(target).parent_path());
  std::ofstream file(target, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  BLKPRESS_ASSERT(file.good());
  return target;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  BLKPRESS_ASSERT(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace blkpress::test
