#include "blkpress/sim/record_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace blkpress::sim {

Result<std::unique_ptr<RecordSampler>> RecordSampler::make(const ZfsPolicy& policy, const HostModel& host,
                                                           RecordContent& content, std::uint64_t bytes,
                                                           std::uint64_t sample) {
  BLKPRESS_ASSERT(bytes > 0 && sample > 0);
  std::unique_ptr<RecordSampler> sampler(new RecordSampler(policy, bytes));
  const std::uint32_t unit = policy.unit_bytes(bytes);
  sampler->records_ = (bytes + unit - 1) / unit;
  if (sampler->records_ > kMostRecords) {
    return Error{ErrorKind::usage,
                 fmt::format("a file of {} records of {} bytes is more than the {} that are simulated",
                             sampler->records_, unit, kMostRecords)};
  }
  const std::uint64_t count = std::min(sample, sampler->records_);
  const auto decider = policy.make_decider();
  std::vector<std::byte> record(unit);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t index = i * sampler->records_ / count;
    const ByteSpan bytes_of_record = ByteSpan(record).first(std::min<std::uint64_t>(unit, bytes - index * unit));
    content.fill(index, bytes_of_record);
    sampler->sample_.push_back(decider->decide(bytes_of_record, unit));
  }
  if (!policy.options().compression.is_off()) {
    const auto cost = host.compress_time(policy.options().compression, content.cost_class(), unit);
    if (!cost) return cost.error();
    sampler->compress_time_ = *cost;
    const auto back = host.decompress_time(policy.options().compression, content.cost_class(), unit);
    if (!back) return back.error();
    sampler->decompress_time_ = *back;
  }
  return sampler;
}

std::size_t RecordSampler::sampled(std::uint64_t index) const {
  return static_cast<std::size_t>(index * sample_.size() / records_);
}

StoredRecord RecordSampler::record(std::uint64_t index) {
  BLKPRESS_ASSERT(index < records_);
  const RecordFinding& finding = sample_[sampled(index)];
  const bool seen_by_codec = finding.outcome.kind != RecordKind::hole;
  const bool stored_compressed =
      finding.outcome.kind == RecordKind::compressed || finding.outcome.kind == RecordKind::embedded;
  return {finding.outcome, seen_by_codec ? compress_time_ : Duration{},
          stored_compressed ? decompress_time_ : Duration{}};
}

std::uint64_t RecordSampler::compressed_for_real() const {
  if (policy_.options().compression.is_off()) return 0;
  std::uint64_t seen = 0;
  for (const RecordFinding& finding : sample_) seen += finding.outcome.kind != RecordKind::hole ? 1 : 0;
  return seen;
}

ObjectSums RecordSampler::account() const {
  const auto account = policy_.make_account();
  account->begin(bytes_);
  for (std::uint64_t index = 0; index < records_; ++index) account->add(sample_[sampled(index)]);
  return account->finish();
}

ObjectSums RecordSampler::sample_account() const {
  if (sample_.size() == records_) return account();
  const auto account = policy_.make_account();
  account->begin(sample_.size() * std::uint64_t{record_bytes()});
  for (const RecordFinding& finding : sample_) account->add(finding);
  return account->finish();
}

}  // namespace blkpress::sim
