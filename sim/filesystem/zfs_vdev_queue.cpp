// The vdev queue for asynchronous writes: how many are in flight, and which become one I/O.
#include "blkpress/sim/zfs_filesystem.hpp"

namespace blkpress::sim {

ZfsFilesystem::Aggregate& ZfsFilesystem::new_aggregate() {
  if (idle_aggregates_.empty()) {
    aggregates_.push_back(std::make_unique<Aggregate>());
    idle_aggregates_.push_back(aggregates_.back().get());
  }
  Aggregate& aggregate = *idle_aggregates_.back();
  idle_aggregates_.pop_back();
  aggregate = {this, 0, 0, 0};
  return aggregate;
}

// module/zfs/vdev_queue.c, vdev_queue_max_async_writes: the minimum below 30 % dirty, linear up to the maximum at 60 %.
std::uint32_t ZfsFilesystem::max_active() const {
  const std::uint64_t low = parameters_.dirty_data_max / 100 * parameters_.active_min_dirty_percent;
  const std::uint64_t high = parameters_.dirty_data_max / 100 * parameters_.active_max_dirty_percent;
  if (dirty_ <= low) return parameters_.async_write_min_active;
  if (dirty_ >= high) return parameters_.async_write_max_active;
  const std::uint64_t range = parameters_.async_write_max_active - parameters_.async_write_min_active;
  return parameters_.async_write_min_active + static_cast<std::uint32_t>((dirty_ - low) * range / (high - low));
}

void ZfsFilesystem::issue_writes() {
  while (!queue_.empty() && active_ < max_active()) {
    const std::uint64_t offset = queue_.front().offset;
    std::uint64_t end = offset;
    Aggregate& aggregate = new_aggregate();
    while (!queue_.empty() && queue_.front().offset == end &&
           (end == offset || end + queue_.front().psize - offset <= parameters_.aggregation_limit)) {
      end += queue_.front().psize;
      ++aggregate.records;
      aggregate.psize += queue_.front().psize;
      aggregate.dirty_bytes += queue_.front().record_bytes;
      queue_.pop_front();
    }
    ++active_;
    ++device_writes_;
    device_.submit({DeviceRequest::Kind::write, offset, end - offset}, &write_done, &aggregate);
  }
}

void ZfsFilesystem::write_done(void* context) {
  auto& aggregate = *static_cast<Aggregate*>(context);
  ZfsFilesystem& self = *aggregate.filesystem;
  --self.active_;
  self.bytes_written_ += aggregate.psize;
  self.syncing_bytes_ += aggregate.psize;
  self.records_done(aggregate.records, aggregate.dirty_bytes);
  self.idle_aggregates_.push_back(&aggregate);
  self.issue_writes();
}

}  // namespace blkpress::sim
