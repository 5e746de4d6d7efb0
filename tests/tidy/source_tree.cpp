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
      SourceFile file{path, {}};
      std::istringstream lines(read_text(entry.path().string()));
      for (std::string line; std::getline(lines, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace blkpress::test
