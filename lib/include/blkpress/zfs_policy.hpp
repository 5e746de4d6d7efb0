// Policy zfs: OpenZFS's rules for records, keep limits, holes, embedding and indirect blocks, by version.
//
// Use it through policy.hpp, or directly when the options are known at compile time. docs/policies.md says where each
// rule comes from. Threads: as in policy.hpp; ZfsOptions and ZfsRules are values.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/codec.hpp"
#include "blkpress/policy.hpp"
#include "blkpress/vdev.hpp"

namespace blkpress {

// An OpenZFS release, or a pool version from before feature flags; ordered by age.
struct ZfsVersion {
  int major = 2;  // 0 for a pool version
  int minor = 4;
  int pool = 0;  // 13 to 28, or 0

  static constexpr ZfsVersion release(int major, int minor) { return {major, minor, 0}; }
  static constexpr ZfsVersion pool_version(int number) { return {0, 0, number}; }
  // "2.1", "2.2", "2.3", "2.4" (a point release "2.1.2" counts as its series), "v13" to "v28". Errors: usage.
  static Result<ZfsVersion> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] bool before_feature_flags() const { return pool != 0; }

  friend constexpr auto operator<=>(const ZfsVersion&, const ZfsVersion&) = default;
};

enum class ZfsLayout : std::uint8_t {
  file,   // block size grows with a file of one block; one block pointer in the dnode
  volume  // every block has full size; three block pointers in the dnode
};

struct ZfsOptions {
  ZfsVersion version = {};
  Compression compression = compression_named("off");
  std::uint64_t recordsize = 128 * kKiB;  // of a volume: volblocksize
  ZfsLayout layout = ZfsLayout::file;
  VdevGeometry vdev = {};  // with the ashift
  int copies = 1;
  // Compress each raw record once more, with room to spare, to tell its reason apart: it saves nothing (codec_gave_up),
  // less than an eighth (saves_too_little), or an eighth but no sector (sector_rounding). Without, whatever misses the
  // keep limit says saves_too_little. Outcomes do not change.
  bool exact_reasons = false;
  // What the dataset costs when empty; unset: the measured value for version, ashift and vdev.
  std::optional<EmptyDataset> empty_dataset = std::nullopt;

  // The defaults of a version: what `zfs create` without properties gives.
  static ZfsOptions defaults(ZfsVersion version, ZfsLayout layout = ZfsLayout::file);
  // From properties: version, layout (file, volume), compression, recordsize or volblocksize, ashift, vdev, copies,
  // exact_reasons (on, off). Checked as by check().
  static Result<ZfsOptions> parse(std::span<const Property> properties);
  // ok, or what this version would refuse: "recordsize 100000 is not a power of two between 512 and 16777216".
  [[nodiscard]] Status check() const;
};

// The arithmetic of one set of options, without any codec: for callers that know the codec's output length.
class ZfsRules {
 public:
  explicit ZfsRules(const ZfsOptions& options);  // options.check() holds
  // Those of the indirect blocks that belong to data with these options.
  static ZfsRules of_indirect_blocks(const ZfsOptions& options);

  // Room that is given to the codec for a record of lsize bytes.
  [[nodiscard]] std::uint32_t capacity(std::uint32_t lsize) const;
  // How a record ends whose codec wrote length bytes, framing included (nullopt: did not fit into the capacity), when
  // it is not all zeros and compression is on.
  [[nodiscard]] RecordOutcome outcome(std::uint32_t lsize, std::optional<std::size_t> length) const;
  [[nodiscard]] RecordOutcome hole(std::uint32_t lsize) const;
  [[nodiscard]] RecordOutcome raw(std::uint32_t lsize, RecordReason reason) const;
  // Bytes allocated for psize in the data's number of copies.
  [[nodiscard]] std::uint32_t asize(std::uint32_t psize) const;
  // Whether zstd's early abort looks at records of that size, before the real level is tried.
  [[nodiscard]] bool early_abort(std::uint32_t lsize) const;
  [[nodiscard]] const ZfsOptions& options() const { return options_; }

 private:
  ZfsOptions options_;
  std::uint32_t rounding_;  // psize is a multiple of this
  bool capacity_in_sectors_;
  bool embeds_;
};

class ZfsPolicy final : public Policy {
 public:
  // Errors: as ZfsOptions::check().
  static Result<std::unique_ptr<ZfsPolicy>> make(const ZfsOptions& options);

  [[nodiscard]] std::uint32_t unit_bytes(std::uint64_t object_bytes) const override;
  [[nodiscard]] std::uint32_t max_unit_bytes() const override;
  [[nodiscard]] std::unique_ptr<Decider> make_decider() const override;
  [[nodiscard]] std::unique_ptr<ObjectAccount> make_account() const override;
  [[nodiscard]] EmptyDataset empty_dataset() const override;
  [[nodiscard]] std::vector<Property> properties() const override;
  [[nodiscard]] const ZfsOptions& options() const { return options_; }

 private:
  explicit ZfsPolicy(const ZfsOptions& options) : options_(options) {}
  ZfsOptions options_;
};

// What an empty dataset costs: measured on OpenZFS 2.4 for ashift 9 and 12 and the vdevs file, mirror, raidz1:3,
// raidz1:5, raidz2:6 and raidz3:8, computed by the same rule for others (12 metadata blocks for a filesystem, 7 for a
// volume).
EmptyDataset zfs_empty_dataset(ZfsVersion version, ZfsLayout layout, const VdevGeometry& vdev);

}  // namespace blkpress
