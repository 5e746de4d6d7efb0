// BtreeNode: one node of the copy-on-write tree in memory, and its 16 KiB on disk.
//
// A leaf (level 0) holds keys with values. An inner node holds children, each under a key that is not above the first
// one below it and above all that come before. Threads: one at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pool/block_pointer.hpp"

namespace blkpress {

struct BtreeNode {
  static constexpr std::size_t kBytes = 16 * kKiB;
  static constexpr std::size_t kHeaderBytes = 16;
  static constexpr unsigned kLevelMax = 24;
  static constexpr std::size_t kKeyMax = 512, kValueMax = 2048;

  struct Entry {
    std::string key;
    std::string value;                 // of a leaf
    BlockPointer pointer;              // of an inner node; a hole while the child is dirty
    std::unique_ptr<BtreeNode> child;  // of an inner node; null: not read
  };

  unsigned level = 0;
  bool dirty = true;
  std::vector<Entry> entries;
  std::size_t bytes = kHeaderBytes;  // that it takes on disk

  [[nodiscard]] std::size_t bytes_of(const Entry& entry) const {
    return 4 + entry.key.size() + (level == 0 ? entry.value.size() : BlockPointer::kBytes);
  }
  // Index of the first entry whose key is not below.
  [[nodiscard]] std::size_t lower_bound(std::string_view key) const;
  // Of an inner node: index of the child that key belongs to.
  [[nodiscard]] std::size_t child_of(std::string_view key) const;
  void insert(std::size_t at, Entry entry);
  void erase(std::size_t at);
  void rename_first(const std::string& key);
  // Moves the second half, by bytes, into a new node.
  std::unique_ptr<BtreeNode> split();
  // Appends all of right, which follows it.
  void append(BtreeNode& right);

  [[nodiscard]] std::vector<std::byte> encode() const;
  // Errors: corrupt.
  static Result<std::unique_ptr<BtreeNode>> decode(ByteView bytes);
};

}  // namespace blkpress
