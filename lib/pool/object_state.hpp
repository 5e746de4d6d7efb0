// ObjectState: an object or a volume that is open or has changed, and where its parts lie in the tree of its dataset.
// ReadStream: what is known of who reads it.
//
// Threads: under the pool's lock, except what is said to be fixed.
#pragma once

#include <atomic>
#include <memory>

#include "pool/btree.hpp"
#include "pool/field_bytes.hpp"

namespace blkpress {

struct ObjectState {
  std::uint64_t owner = 0;  // dataset or snapshot; fixed
  std::uint64_t id = 0;     // fixed
  std::string name;         // "" of a volume
  std::uint64_t size = 0;
  std::uint32_t record_bytes = 512;
  bool frozen = false;     // record_bytes will not change any more: there is, or was, a second record
  bool changed = false;    // the tree does not say so yet
  bool gone = false;       // removed, rolled back or destroyed
  bool read_only = false;  // of a snapshot; fixed

  [[nodiscard]] std::string encode() const;
  // Errors: corrupt.
  static Result<std::shared_ptr<ObjectState>> decode(std::uint64_t owner, std::string_view name,
                                                     std::string_view value);
};

// Reads of one handle. ahead: while they follow each other, how many records are begun in advance.
struct ReadStream {
  std::uint64_t end = 0;                   // of the last one
  std::uint64_t ahead = 0, ahead_end = 0;  // records; the first one that is not begun yet
};

// Keys of a dataset's tree. docs/format.md, "Trees".
inline constexpr char kObjectKey = 'n', kRecordKey = 'r';
inline constexpr std::size_t kRecordKeyBytes = 17;
inline std::string object_key(std::string_view name) { return std::string(1, kObjectKey).append(name); }
inline std::string record_key(std::uint64_t object, std::uint64_t index) {
  return std::string(1, kRecordKey) + key_number(object) + key_number(index);
}

// "" when it is allowed: 1 to 255 bytes, none of them zero; otherwise what is wrong.
std::string wrong_object_name(std::string_view name);

inline constexpr std::uint64_t kObjectBytesMax = std::uint64_t{1} << 62;

}  // namespace blkpress
