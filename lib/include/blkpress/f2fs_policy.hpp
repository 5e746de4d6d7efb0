// Policy f2fs: which clusters F2FS compresses, what it keeps, and which blocks that frees or only reserves.
//
// Use it through policy.hpp, or directly when the options are known at compile time. docs/policies.md says where each
// rule comes from. Threads: as in policy.hpp; F2fsOptions is a value.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "blkpress/policy.hpp"

namespace blkpress {

enum class F2fsCodec : std::uint8_t { lz4, lz4hc, lzo, zstd };

enum class F2fsWriter : std::uint8_t {
  kernel,  // a mounted filesystem; a compressed file is never inline
  sload    // sload.f2fs into an image; short files are inline whatever was asked
};

struct F2fsOptions {
  F2fsCodec codec = F2fsCodec::lz4;
  int level = 0;           // 3 to 12 (lz4hc), 1 to 22 (zstd), else 0
  int cluster_log = 2;     // clusters of 2^N blocks of 4 KiB, 2 to 8
  bool all_files = false;  // compress_extension=*: files have the flag. Without, the codec is only named and not used
  bool user_mode = false;  // compress_mode=user: nothing is compressed until it is asked for, file by file
  bool release = false;    // saved blocks are given back, and the file becomes read-only
  F2fsWriter writer = F2fsWriter::kernel;
  int min_saved_blocks = 1;  // sload.f2fs -m: a cluster that saves fewer is stored raw

  // From properties: compress_algorithm (lz4, lz4:N, lzo, zstd, zstd:N), compress_log_size, compress_extension (none,
  // *), compress_mode (fs, user), release (on, off), writer (kernel, sload), min_saved_blocks. Errors: usage.
  static Result<F2fsOptions> parse(std::span<const Property> properties);
  // ok, or what is out of range, or a codec that would be used and that this build does not have.
  [[nodiscard]] Status check() const;
  // Whether any data is offered to the codec.
  [[nodiscard]] bool compresses() const { return all_files && !user_mode; }
  [[nodiscard]] std::uint32_t cluster_bytes() const { return std::uint32_t{4096} << cluster_log; }
  // "zstd:3", "lz4".
  [[nodiscard]] std::string compression() const;
};

// Units are clusters. In the sums data.psize are the blocks that hold data, data.asize those that stay reserved
// besides (i_compr_blocks, unless released); metadata is the inode with the index blocks; st_blocks is i_blocks in
// units of 512 bytes.
class F2fsPolicy final : public Policy {
 public:
  // Errors: as F2fsOptions::check().
  static Result<std::unique_ptr<F2fsPolicy>> make(const F2fsOptions& options);

  [[nodiscard]] std::uint32_t unit_bytes(std::uint64_t object_bytes) const override;
  [[nodiscard]] std::uint32_t max_unit_bytes() const override;
  [[nodiscard]] std::unique_ptr<Decider> make_decider() const override;
  [[nodiscard]] std::unique_ptr<ObjectAccount> make_account() const override;
  [[nodiscard]] EmptyDataset empty_dataset() const override { return {}; }
  [[nodiscard]] std::vector<Property> properties() const override;
  [[nodiscard]] const F2fsOptions& options() const { return options_; }
  // Whether a file of that length lives in its inode.
  [[nodiscard]] bool is_inline(std::uint64_t object_bytes) const;

 private:
  explicit F2fsPolicy(const F2fsOptions& options) : options_(options) {}
  F2fsOptions options_;
};

}  // namespace blkpress
