#include "pool/btree_node.hpp"

#include <algorithm>
#include <iterator>

namespace blkpress {
namespace {

constexpr std::uint32_t kMagic = 0x6e627062;  // "bpbn"

Error bad(const char* what) { return {ErrorKind::corrupt, std::string("tree node: ") + what}; }

std::string text(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

std::size_t BtreeNode::lower_bound(std::string_view key) const {
  const auto at = std::lower_bound(entries.begin(), entries.end(), key,
                                   [](const Entry& entry, std::string_view wanted) { return entry.key < wanted; });
  return static_cast<std::size_t>(at - entries.begin());
}

std::size_t BtreeNode::child_of(std::string_view key) const {
  const std::size_t at = lower_bound(key);
  if (at < entries.size() && entries[at].key == key) return at;
  return at == 0 ? 0 : at - 1;
}

void BtreeNode::insert(std::size_t at, Entry entry) {
  bytes += bytes_of(entry);
  entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(at), std::move(entry));
}

void BtreeNode::erase(std::size_t at) {
  bytes -= bytes_of(entries[at]);
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
}

void BtreeNode::rename_first(const std::string& key) {
  bytes += key.size() - entries.front().key.size();
  entries.front().key = key;
}

std::unique_ptr<BtreeNode> BtreeNode::split() {
  auto right = std::make_unique<BtreeNode>();
  right->level = level;
  std::size_t kept = kHeaderBytes, at = 0;
  while (at < entries.size() && (at == 0 || kept < bytes / 2)) kept += bytes_of(entries[at++]);
  if (at == entries.size()) kept -= bytes_of(entries[--at]);
  const auto from = entries.begin() + static_cast<std::ptrdiff_t>(at);
  right->entries.assign(std::make_move_iterator(from), std::make_move_iterator(entries.end()));
  entries.erase(from, entries.end());
  right->bytes = kHeaderBytes + bytes - kept;
  bytes = kept;
  return right;
}

void BtreeNode::append(BtreeNode& right) {
  bytes += right.bytes - kHeaderBytes;
  entries.insert(entries.end(), std::make_move_iterator(right.entries.begin()),
                 std::make_move_iterator(right.entries.end()));
  right.entries.clear();
}

std::vector<std::byte> BtreeNode::encode() const {
  BLKPRESS_ASSERT(bytes <= kBytes);
  std::vector<std::byte> block(kBytes);
  std::byte* to = block.data();
  store_le(to, kMagic);
  store_le(to + 4, static_cast<std::uint16_t>(level));
  store_le(to + 6, static_cast<std::uint16_t>(entries.size()));
  store_le(to + 8, static_cast<std::uint32_t>(bytes));
  to += kHeaderBytes;
  for (const Entry& entry : entries) {
    const std::size_t value = level == 0 ? entry.value.size() : BlockPointer::kBytes;
    store_le(to, static_cast<std::uint16_t>(entry.key.size()));
    store_le(to + 2, static_cast<std::uint16_t>(value));
    std::memcpy(to + 4, entry.key.data(), entry.key.size());
    to += 4 + entry.key.size();
    if (level == 0) {
      std::memcpy(to, entry.value.data(), value);
    } else {
      entry.pointer.encode({to, value});
    }
    to += value;
  }
  return block;
}

Result<std::unique_ptr<BtreeNode>> BtreeNode::decode(ByteView block) {
  if (block.size() != kBytes || load_le<std::uint32_t>(block.data()) != kMagic) return bad("not one");
  auto node = std::make_unique<BtreeNode>();
  node->dirty = false;
  node->level = load_le<std::uint16_t>(block.data() + 4);
  const std::size_t count = load_le<std::uint16_t>(block.data() + 6);
  const std::size_t end = load_le<std::uint32_t>(block.data() + 8);
  if (node->level > kLevelMax || count == 0 || end > kBytes) return bad("header out of range");
  node->entries.reserve(std::min<std::size_t>(count, kBytes / 4));
  std::size_t at = kHeaderBytes;
  for (std::size_t i = 0; i < count; ++i) {
    if (at + 4 > end) return bad("ends early");
    const std::size_t key = load_le<std::uint16_t>(block.data() + at);
    const std::size_t value = load_le<std::uint16_t>(block.data() + at + 2);
    if (key > kKeyMax || value > kValueMax || at + 4 + key + value > end) return bad("entry out of range");
    Entry entry;
    entry.key = text(block.subspan(at + 4, key));
    if (i > 0 && entry.key <= node->entries.back().key) return bad("keys are out of order");
    const ByteView bytes = block.subspan(at + 4 + key, value);
    if (node->level == 0) {
      entry.value = text(bytes);
    } else {
      Result<BlockPointer> pointer = BlockPointer::decode(bytes);
      if (!pointer) return pointer.error();
      entry.pointer = *pointer;
    }
    at += 4 + key + value;
    node->entries.push_back(std::move(entry));
  }
  if (at != end) return bad("bytes behind the last entry");
  node->bytes = end;
  return node;
}

}  // namespace blkpress
