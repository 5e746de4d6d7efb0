// Codecs: one record at a time.
//
// A codec turns a record into fewer bytes, framed as the named filesystem frames it inside the record, and back.
// Whether the result is worth keeping is not its business: that is policy.hpp. The registry is codecs.def. Threads:
// CodecInfo and Compression are immutable values; a CodecContext belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "blkpress/bytes.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

// The scratch memory of one worker for one codec and level. After construction, compress and decompress allocate
// nothing.
class CodecContext {
 public:
  virtual ~CodecContext() = default;

  // Compresses source (up to 16 MiB, empty included) into target and returns the number of bytes written, framing
  // included. nullopt: does not fit into target, a normal answer. Never writes past target. The bytes do not depend on
  // where source lies in memory.
  [[nodiscard]] virtual std::optional<std::size_t> compress(ByteView source, ByteSpan target) = 0;

  // Restores exactly target.size() bytes. source may be followed by padding, as in a stored sector. Errors: corrupt,
  // when source does not decode to that size; target's content is then unspecified.
  virtual Status decompress(ByteView source, ByteSpan target) = 0;
};

struct CodecInfo {
  std::string_view name;             // as in compression=, without a level: "gzip", "zstd-fast"
  std::string_view description;      // one line
  std::string_view library;          // whose bytes the results are: "liblz4", or "own"
  std::string (*library_version)();  // as found at run time; empty for "own"
  std::span<const int> levels;       // empty: the codec has none
  int default_level;                 // 0 when it has none
  std::unique_ptr<CodecContext> (*make_context)(int level);
};

// Every codec that this build has, in the order of codecs.def.
std::span<const CodecInfo> codecs();

// codec + level, as "lz4", "gzip-7", "zstd-3" or "zstd-fast-10". codec points into codecs() and is never null.
struct Compression {
  const CodecInfo* codec;
  int level;

  [[nodiscard]] bool is_off() const;
  [[nodiscard]] std::unique_ptr<CodecContext> make_context() const { return codec->make_context(level); }
  friend bool operator==(const Compression&, const Compression&) = default;
};

// Parses what `zfs set compression=` takes, and this project's own lz4-lib and lzo. Aliases: on is what the caller says
// (lz4 since OpenZFS 0.6.5, before lzjb), gzip = gzip-6, zstd = zstd-3, zstd-fast = zstd-fast-1. Errors: usage, listing
// what would be right.
Result<Compression> parse_compression(std::string_view text, std::string_view on = "lz4");

// The inverse: the canonical name with its level, "gzip-6".
std::string to_string(const Compression& compression);

// The codec of that exact name; aborts if this build does not have it. For names that are fixed in our own code.
Compression compression_named(std::string_view name);

}  // namespace blkpress
