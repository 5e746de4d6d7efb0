// RecordSettings: how the records of a dataset are written from now on. And PoolCodecs, the codecs of a pool by number.
//
// Threads: RecordSettings never change; PoolCodecs under the pool's lock, but its decoders belong to one call at a
// time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "blkpress/zfs_policy.hpp"

namespace blkpress {

struct RecordSettings {
  ZfsOptions options;
  std::uint8_t codec = 0;  // number of options.compression's in block pointers
  bool read_only = false;
};

class PoolCodecs {
 public:
  // Numbers below are the same in all pools: docs/format.md. Above, a pool lists them by name.
  static constexpr std::uint8_t kFirstOwn = 64;

  explicit PoolCodecs(std::vector<const CodecInfo*> extra) : extra_(std::move(extra)) {}

  // As parse_compression(), with the codecs of the pool's options. Errors: usage.
  [[nodiscard]] Result<Compression> parse(std::string_view text) const;
  // 0: the codec has no number yet; it gets next_own().
  [[nodiscard]] std::uint8_t number_of(const CodecInfo& codec) const;
  // The next free number. 0: there is none.
  [[nodiscard]] std::uint8_t next_own() const;
  // From the pool's list.
  void name(std::uint8_t number, std::string_view name) { names_[number] = name; }
  [[nodiscard]] const std::map<std::uint8_t, std::string>& names() const { return names_; }
  // Errors: corrupt: no such number; usage: a codec that was not registered.
  [[nodiscard]] Result<const CodecInfo*> codec(std::uint8_t number) const;
  // A context that decodes. Errors: as codec().
  Result<std::unique_ptr<CodecContext>> decoder(std::uint8_t number);
  // Gives it back for the next one.
  void give_back(std::uint8_t number, std::unique_ptr<CodecContext> decoder);

 private:
  [[nodiscard]] const CodecInfo* find(std::string_view name) const;

  std::vector<const CodecInfo*> extra_;
  std::map<std::uint8_t, std::string> names_;
  std::map<std::uint8_t, std::vector<std::unique_ptr<CodecContext>>> idle_;
};

}  // namespace blkpress
