// Record sources: what the records of a simulated file become, found out by compressing real bytes.
//
// A file of many GiB is not compressed whole: an evenly spaced sample of its records is, and the rest is counted by it.
// How many were compressed is stated in every result. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "blkpress/ledger.hpp"
#include "blkpress/record_content.hpp"
#include "blkpress/sim/filesystem.hpp"
#include "blkpress/sim/host.hpp"
#include "blkpress/zfs_policy.hpp"

namespace blkpress::sim {

// No file has more records than this: a run is to end within minutes.
inline constexpr std::uint64_t kMostRecords = 20'000'000;

class RecordSampler final : public RecordSource {
 public:
  // bytes: length of the file. content fills any record of it. sample: at most so many records are compressed.
  // Compress and decompress times: what the host's table says for content.cost_class(); nothing for holes, which no
  // codec sees, and no decompression of what is stored raw. Errors: usage,
  // when the table lacks the codec on that content.
  static Result<std::unique_ptr<RecordSampler>> make(const ZfsPolicy& policy, const HostModel& host,
                                                     RecordContent& content, std::uint64_t bytes, std::uint64_t sample);

  StoredRecord record(std::uint64_t index) override;

  [[nodiscard]] std::uint32_t record_bytes() const override { return policy_.unit_bytes(bytes_); }
  [[nodiscard]] std::uint64_t records() const override { return records_; }
  // Records of the sample that a codec saw: none with compression off, no holes.
  [[nodiscard]] std::uint64_t compressed_for_real() const;
  // The whole file's account, indirect blocks included; the findings of the sample stand for the rest.
  [[nodiscard]] ObjectSums account() const;
  // That of an object which has the sample's records alone: the ratios of the whole file, in the time of the sample.
  [[nodiscard]] ObjectSums sample_account() const;

 private:
  RecordSampler(const ZfsPolicy& policy, std::uint64_t bytes) : policy_(policy), bytes_(bytes) {}
  [[nodiscard]] std::size_t sampled(std::uint64_t index) const;

  const ZfsPolicy& policy_;
  std::uint64_t bytes_;
  std::uint64_t records_ = 0;
  Duration compress_time_{};
  Duration decompress_time_{};
  std::vector<RecordFinding> sample_;
};

}  // namespace blkpress::sim
