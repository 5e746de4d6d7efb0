// The project's own source files, for tests of their shape.
#pragma once

#include <string>
#include <vector>

namespace blkpress::test {

struct SourceFile {
  std::string path;  // relative to the source tree: "lib/codec/lz4.cpp"
  std::vector<std::string> lines;

  [[nodiscard]] std::string text() const;
};

// All files below these folders whose names end in one of the endings (empty: all), sorted by path.
std::vector<SourceFile> source_files(const std::vector<std::string>& folders, const std::vector<std::string>& endings);

// The text files of the source tree's own folder, whatever their names end in, and those of .ci.
std::vector<SourceFile> root_files();

}  // namespace blkpress::test
