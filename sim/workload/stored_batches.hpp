// What a long copy writes, in batches of many records: how many bytes reach the device and what compressing them costs.
//
// Threads: that of the World.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "blkpress/sim/record_sampler.hpp"
#include "blkpress/sim/workload.hpp"

namespace blkpress::sim {

struct StoredBatch {
  std::uint64_t bytes = 0;   // of content
  std::uint64_t stored = 0;  // allocated for it, all copies
  Duration compress_time{};
};

class StoredBatches {
 public:
  // Reads content, knob, bytes, batch_bytes and sample of the settings. Errors: usage. What is wrong with settings
  // alone is left to settings.status().
  static Result<std::unique_ptr<StoredBatches>> make(std::string_view workload, World& world,
                                                     WorkloadSettings& settings, std::uint64_t default_batch);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t count() const { return (bytes_ + batch_bytes_ - 1) / batch_bytes_; }
  [[nodiscard]] std::uint64_t batch_bytes() const { return batch_bytes_; }
  [[nodiscard]] StoredBatch at(std::uint64_t index);
  [[nodiscard]] const std::string& cost_class() const { return cost_class_; }

  // The compressratio, and how much was compressed for real. What an empty dataset costs is nothing beside a long copy
  // and is left out; result.files stays empty, for nothing asks for the sizes.
  void describe(const ZfsPolicy& policy, WorkloadResult& result) const;

 private:
  std::unique_ptr<RecordContent> content_;
  std::unique_ptr<RecordSampler> sampler_;
  std::string cost_class_;
  std::uint64_t bytes_ = 0;
  std::uint64_t batch_bytes_ = 0;
};

}  // namespace blkpress::sim
