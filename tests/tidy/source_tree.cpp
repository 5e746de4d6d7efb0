#include "tidy/source_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "support/scratch_directory.hpp"

namespace blkpress::test {

namespace fs = std::filesystem;

std::string SourceFile::text() const {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

namespace {

SourceFile read_source(const fs::path& root, const fs::path& path) {
  SourceFile file{fs::relative(path, root).string(), {}};
  std::istringstream lines(read_text(path.string()));
  for (std::string line; std::getline(lines, line);) file.lines.push_back(line);
  return file;
}

}  // namespace

std::vector<SourceFile> root_files() {
  const fs::path root(BLKPRESS_SOURCE_DIR);
  std::vector<SourceFile> files;
  for (const fs::path& folder : {root, root / ".ci"}) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      // In a work tree of git, .git is a file that names the repository's place.
      if (entry.is_regular_file() && entry.path().filename() != ".git")
        files.push_back(read_source(root, entry.path()));
    }
  }
  return files;
}

std::vector<SourceFile> source_files(const std::vector<std::string>& folders, const std::vector<std::string>& endings) {
  const fs::path root(BLKPRESS_SOURCE_DIR);
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string path = fs::relative(entry.path(), root).string();
      const bool wanted = endings.empty() || std::any_of(endings.begin(), endings.end(), [&path](const auto& ending) {
                            return path.ends_with(ending);
                          });
      if (!wanted) continue;
      files.push_back(read_source(root, entry.path()));
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace blkpress::test
