#include "workload/stored_batches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "blkpress/size_format.hpp"

namespace blkpress::sim {

Result<std::unique_ptr<StoredBatches>> StoredBatches::make(std::string_view workload, World& world,
                                                           WorkloadSettings& settings, std::uint64_t default_batch) {
  auto batches = std::make_unique<StoredBatches>();
  const std::string content_name = settings.text("content");
  const double knob = settings.number("knob", 0, 1e9, 0.0);
  batches->bytes_ = settings.count("bytes", 0, kTiB);
  batches->batch_bytes_ = settings.count("batch_bytes", 512, kGiB, default_batch);
  const std::uint64_t sample = settings.count("sample", 1, kMiB, 1024);
  BLKPRESS_TRY(settings.status());
  const std::uint32_t unit = world.policy->unit_bytes(batches->bytes_);
  if (batches->batch_bytes_ % unit != 0) {
    return Error{ErrorKind::usage, fmt::format("{}: batch_bytes {} is no multiple of the record of {} bytes", workload,
                                               batches->batch_bytes_, unit)};
  }
  auto content = make_record_content(content_name, world.options.seed, knob);
  if (!content) return content.error();
  batches->content_ = std::move(*content);
  batches->cost_class_ = batches->content_->cost_class();
  if (batches->bytes_ == 0) return batches;
  auto sampler = RecordSampler::make(*world.policy, world.host, *batches->content_, batches->bytes_, sample);
  if (!sampler) return sampler.error();
  batches->sampler_ = std::move(*sampler);
  return batches;
}

StoredBatch StoredBatches::at(std::uint64_t index) {
  const std::uint64_t unit = sampler_->record_bytes();
  const std::uint64_t begin = index * batch_bytes_;
  const std::uint64_t end = std::min(begin + batch_bytes_, bytes_);
  StoredBatch batch{end - begin, 0, {}};
  for (std::uint64_t at = begin; at < end; at += unit) {
    const StoredRecord record = sampler_->record(at / unit);
    batch.stored += record.outcome.asize;
    batch.compress_time += record.compress_time;
  }
  return batch;
}

void StoredBatches::describe(const ZfsPolicy& policy, WorkloadResult& result) const {
  Ledger ledger(sampler_ ? EmptyDataset{} : policy.empty_dataset());
  if (sampler_) {
    ledger.add(sampler_->sample_account());
    result.records = sampler_->records();
    result.records_compressed_for_real = sampler_->compressed_for_real();
  }
  result.numbers.push_back({"zfs.compressratio", format_ratio(ledger.compressratio_x100())});
}

}  // namespace blkpress::sim
