// Reads of zfs: demand, prefetch streams, and the vdev queue that turns queued records into I/Os.
#include "blkpress/sim/zfs_read_side.hpp"

#include <algorithm>

#include "filesystem/lru_records.hpp"

namespace blkpress::sim {

ZfsReadSide::ZfsReadSide(Scheduler& scheduler, Processor& processor, DeviceQueue& device,
                         const ZfsReadParameters& parameters, Random random)
    : processor_(processor),
      device_(device),
      parameters_(parameters),
      random_(random),
      arc_(std::make_unique<LruRecords>(parameters.arc_max)),
      arrived_(scheduler) {}

ZfsReadSide::~ZfsReadSide() = default;

ZfsReadSide::FileState& ZfsReadSide::new_file(RecordSource& source) {
  files_.push_back({&source, state_.size(), source.records(), {}, UINT64_MAX});
  FileState& file = files_.back();
  BLKPRESS_ASSERT(file.first + file.records < UINT32_MAX);
  state_.resize(file.first + file.records, State::on_disk);
  extents_.resize(file.first + file.records);
  return file;
}

ZfsReadSide::File ZfsReadSide::add_empty_file(RecordSource& source) {
  const FileState& file = new_file(source);
  std::fill(state_.begin() + static_cast<std::ptrdiff_t>(file.first), state_.end(), State::cached);
  return files_.size() - 1;
}

ZfsReadSide::File ZfsReadSide::add_file(RecordSource& source, std::optional<std::uint64_t> resident) {
  FileState& file = new_file(source);
  place(file);
  if (resident) arc_.reset();
  for (std::uint64_t i = 0; i < file.records; ++i) {
    const std::uint64_t record = file.first + i;
    if (extents_[record].psize == 0) {
      state_[record] = State::cached;
    } else if (!resident || i < *resident) {
      keep(record);
    }
  }
  return files_.size() - 1;
}

// Records follow each other; in a scattered region something else lies behind each run of them, too large to be read
// along with its neighbours.
void ZfsReadSide::place(FileState& file) {
  std::uint64_t region_end = 0;
  bool scattered = false;
  std::uint64_t run_end = 0;
  for (std::uint64_t i = 0; i < file.records; ++i) {
    if (parameters_.scattered_share > 0 && i == region_end) {
      scattered = random_.uniform() < parameters_.scattered_share;
      region_end += 1 + static_cast<std::uint64_t>(parameters_.scattered_region_records * draw_exponential(random_));
      run_end = i;
    }
    if (scattered && i == run_end) {
      end_offset_ += parameters_.read_gap_limit + 4096;
      run_end += 1 + static_cast<std::uint64_t>((parameters_.scattered_run_records - 1) * draw_exponential(random_));
    }
    const StoredRecord record = file.source->record(i);
    extents_[file.first + i] = {end_offset_, record.outcome.psize};
    end_offset_ += record.outcome.asize;
  }
}

void ZfsReadSide::keep(std::uint64_t record) {
  state_[record] = State::cached;
  if (!arc_) return;
  const std::uint32_t bytes = extents_[record].psize;
  arc_->use(static_cast<std::uint32_t>(record), bytes, [this](std::uint32_t gone) { state_[gone] = State::on_disk; });
}

void ZfsReadSide::written(File file, std::uint64_t index) {
  const std::uint64_t record = files_[file].first + index;
  if (state_[record] == State::in_flight) return;  // the read that is under way makes it so
  dequeue(record);
  if (extents_[record].psize == 0) {  // it was a hole: records lie where they are written first
    const RecordOutcome outcome = files_[file].source->record(index).outcome;
    extents_[record] = {end_offset_, outcome.psize};
    end_offset_ += outcome.asize;
  }
  if (extents_[record].psize == 0) {
    state_[record] = State::cached;
  } else {
    keep(record);
  }
  arrived_.notify_all();
}

void ZfsReadSide::dequeue(std::uint64_t record) {
  if (state_[record] == State::queued_async) async_queue_.erase(record);
  if (state_[record] == State::queued_sync) --sync_waiting_;
}

// module/zfs/arc.c, arc_read: a demand read of what is being prefetched raises its priority.
void ZfsReadSide::demand(std::uint64_t record) {
  if (state_[record] == State::queued_async && parameters_.promotes_prefetch) {
    async_queue_.erase(record);
    ++promotions_;
  } else if (state_[record] != State::on_disk) {
    return;
  }
  state_[record] = State::queued_sync;
  sync_queue_.push_back(record);
  ++sync_waiting_;
  issue();
}

// module/zfs/dmu_zfetch.c, dmu_zfetch: an access that continues the stream doubles how far it is ahead, up to the
// distance.
void ZfsReadSide::prefetch(FileState& file, std::uint64_t index) {
  if (!parameters_.prefetch) return;
  Stream& stream = file.stream;
  const std::uint64_t end = index + 1;
  if (stream.exists && stream.next == end) return;  // another part of the record that was read last
  if (!stream.exists || stream.next != index) {
    stream = {true, end, end};
    return;
  }
  const std::uint64_t record_bytes = file.source->record_bytes();
  const std::uint64_t distance = parameters_.prefetch_distance / record_bytes;
  const std::uint64_t start = std::max(stream.prefetched, end);
  const std::uint64_t least = std::min(parameters_.prefetch_min_distance / record_bytes, distance);
  const std::uint64_t ahead = std::max(stream.prefetched - index + 1, least);
  const std::uint64_t room = distance > start - end ? distance - (start - end) : 0;
  stream.next = end;
  stream.prefetched = start + std::min(ahead, room);
  for (std::uint64_t i = start; i < stream.prefetched && i < file.records; ++i) {
    const std::uint64_t record = file.first + i;
    if (state_[record] != State::on_disk) continue;
    state_[record] = State::queued_async;
    async_queue_.insert(record);
    issue();
  }
}

// module/zfs/vdev_queue.c: synchronous reads in the order of arrival go first, then prefetches in the order of their
// place from the last I/O on.
bool ZfsReadSide::pick(std::uint64_t& record, bool& sync) {
  sync = sync_waiting_ > 0 && sync_active_ < parameters_.sync_read_max_active;
  if (sync) {
    while (state_[sync_queue_.front()] != State::queued_sync) sync_queue_.pop_front();
    record = sync_queue_.front();
    sync_queue_.pop_front();
    return true;
  }
  if (async_queue_.empty() || async_active_ >= parameters_.async_read_max_active) return false;
  auto next = async_queue_.lower_bound(last_record_);
  if (next == async_queue_.end()) next = async_queue_.begin();
  record = *next;
  return true;
}

void ZfsReadSide::issue() {
  std::uint64_t record = 0;
  bool sync = false;
  while (pick(record, sync)) start(record, sync);
}

// Whether the queued record `high` lies close enough behind `low` to be part of the same I/O.
bool ZfsReadSide::joins(std::uint64_t low, std::uint64_t high) const {
  const std::uint64_t end = extents_[low].offset + extents_[low].psize;
  return extents_[high].offset - end <= parameters_.read_gap_limit;
}

// vdev_queue_aggregate: neighbours of either class join, first those before, then those behind.
void ZfsReadSide::start(std::uint64_t record, bool sync) {
  std::uint64_t first = record;
  std::uint64_t last = record;
  const auto span = [&](std::uint64_t low, std::uint64_t high) {
    return extents_[high].offset + extents_[high].psize - extents_[low].offset;
  };
  const std::uint64_t most = parameters_.aggregation_limit;
  while (first > 0 && queued(first - 1) && joins(first - 1, first) && span(first - 1, last) <= most) --first;
  while (last + 1 < state_.size() && queued(last + 1) && joins(last, last + 1) && span(first, last + 1) <= most) ++last;
  for (std::uint64_t i = first; i <= last; ++i) {
    dequeue(i);
    state_[i] = State::in_flight;
  }
  if (idle_reads_.empty()) {
    reads_.push_back(std::make_unique<Read>());
    idle_reads_.push_back(reads_.back().get());
  }
  Read& read = *idle_reads_.back();
  idle_reads_.pop_back();
  read = {this, first, last + 1, sync};
  ++(sync ? sync_active_ : async_active_);
  ++device_reads_;
  last_record_ = last + 1;
  const std::uint64_t bytes = span(first, last);
  bytes_read_ += bytes;
  device_.submit({DeviceRequest::Kind::read, extents_[first].offset, bytes}, &read_done, &read);
}

void ZfsReadSide::read_done(void* context) {
  Read& read = *static_cast<Read*>(context);
  ZfsReadSide& self = *read.side;
  --(read.sync ? self.sync_active_ : self.async_active_);
  for (std::uint64_t i = read.first; i < read.end; ++i) self.keep(i);
  self.idle_reads_.push_back(&read);
  self.arrived_.notify_all();
  self.issue();
}

Task ZfsReadSide::fetch(Process& process, File file, std::uint64_t index) {
  BLKPRESS_ASSERT(file < files_.size() && index < files_[file].records);
  const std::uint64_t record = files_[file].first + index;
  const bool hit = state_[record] == State::cached;
  if (hit && extents_[record].psize > 0) keep(record);
  demand(record);
  prefetch(files_[file], index);
  if (!hit) processor_.block(process.thread);
  // Evicted before the reader ran: it asks again.
  while (state_[record] != State::cached) {
    co_await arrived_.wait();
    demand(record);
  }
  if (files_[file].last_read == index || extents_[record].psize == 0) co_return;
  files_[file].last_read = index;
  const Duration decompress = files_[file].source->record(index).decompress_time;
  if (decompress.ns > 0) co_await processor_.run(process.thread, decompress);
}

Task ZfsReadSide::read_record(Process& process, File file, std::uint64_t index, std::uint32_t bytes) {
  co_await fetch(process, file, index);
  const std::uint32_t whole = files_[file].source->record_bytes();
  co_await processor_.run(process.thread, parameters_.hit_time.draw(random_) * bytes / whole);
}

}  // namespace blkpress::sim
