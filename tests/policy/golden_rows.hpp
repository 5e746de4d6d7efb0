// Rows of the OpenZFS goldens, and what the policy makes of the same file under the same properties.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/zfs_policy.hpp"

namespace blkpress::test {

// One row: what a real OpenZFS 2.4.4 stored. data/golden/README.md explains the columns.
class GoldenRow {
 public:
  GoldenRow(const std::map<std::string, std::size_t>* columns, std::vector<std::string> fields);
  [[nodiscard]] const std::string& text(const std::string& column) const;
  [[nodiscard]] std::uint64_t number(const std::string& column) const;
  [[nodiscard]] std::uint64_t sector() const { return std::uint64_t{1} << number("ashift"); }
  // "syntext.bin lz4 recordsize 4096 ashift 12 file", for messages.
  [[nodiscard]] std::string name() const;

 private:
  const std::map<std::string, std::size_t>* columns_;
  std::vector<std::string> fields_;
};

// All rows of data/golden/<name>, read once.
const std::vector<GoldenRow>& golden_rows(const std::string& name);

// The properties of a row.
ZfsOptions options_of(const GoldenRow& row);

// Content of a file of the corpus, generated once and kept.
ByteView corpus_bytes(const std::string& name);

struct Stored {
  ObjectSums sums;
  Ledger ledger;
};
// Decides and sums up a whole object. Whole objects of one row are kept, so that aliases (on, gzip) cost nothing.
Stored store(const ZfsOptions& options, ByteView content);
const Stored& store(const GoldenRow& row);

}  // namespace blkpress::test
