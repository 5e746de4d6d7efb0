// Policy btrfs: which data Btrfs compresses, what it keeps, and how its extents add up to bytes on disk.
//
// Use it through policy.hpp, or directly when the options are known at compile time. docs/policies.md says where each
// rule comes from. Threads: as in policy.hpp; BtrfsOptions is a value.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "blkpress/policy.hpp"

namespace blkpress {

enum class BtrfsCodec : std::uint8_t { none, zlib, lzo, zstd };

struct BtrfsOptions {
  BtrfsCodec codec = BtrfsCodec::none;
  int level = 0;                    // 1 to 9 (zlib), -15 to 15 without 0 (zstd), 0 (lzo, none)
  bool force = false;               // compress-force: no heuristic, no sticky NOCOMPRESS
  std::uint32_t max_inline = 2048;  // bytes of data in a metadata leaf, at most; 0: none
  bool nodatacow = false;           // or chattr +C: written in place, never compressed
  bool fallocated = false;          // space was reserved before writing, as fio does by default: never compressed

  // From properties: compress or compress-force (no, zlib[:N], lzo, zstd[:N]), max_inline, nodatacow, fallocate
  // (on, off). Levels out of range are moved into it as the kernel does. Errors: usage.
  static Result<BtrfsOptions> parse(std::span<const Property> properties);
  // ok, or what is out of range, or a codec that this build does not have.
  [[nodiscard]] Status check() const;
  // Whether any data is offered to the codec.
  [[nodiscard]] bool compresses() const { return codec != BtrfsCodec::none && !nodatacow && !fallocated; }
  // "zstd:3", "lzo", "no".
  [[nodiscard]] std::string compression() const;
};

// Units are the 128 KiB that one compressed extent holds at most, counted from the start of the file; a file of one
// sector is a unit of 4 KiB. Objects are taken as written in order and flushed together: a run of units without a hole
// is one range, cut after 128 MiB. In the sums data.blocks counts extents, inline ones included; data.asize is what
// compsize prints as disk usage, data.lsize what it prints as uncompressed. Trees are shared by all files and count
// nowhere.
class BtrfsPolicy final : public Policy {
 public:
  // Errors: as BtrfsOptions::check().
  static Result<std::unique_ptr<BtrfsPolicy>> make(const BtrfsOptions& options);

  [[nodiscard]] std::uint32_t unit_bytes(std::uint64_t object_bytes) const override;
  [[nodiscard]] std::uint32_t max_unit_bytes() const override;
  [[nodiscard]] std::unique_ptr<Decider> make_decider() const override;
  [[nodiscard]] std::unique_ptr<ObjectAccount> make_account() const override;
  [[nodiscard]] EmptyDataset empty_dataset() const override { return {}; }
  [[nodiscard]] std::vector<Property> properties() const override;
  [[nodiscard]] const BtrfsOptions& options() const { return options_; }

 private:
  explicit BtrfsPolicy(const BtrfsOptions& options) : options_(options) {}
  BtrfsOptions options_;
};

}  // namespace blkpress
