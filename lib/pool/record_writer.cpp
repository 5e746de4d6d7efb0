#include "pool/record_writer.hpp"

#include <map>

#include "policy/zfs_decider.hpp"

namespace blkpress {
namespace {

// A decider holds the contexts of its codecs, some MiB each.
constexpr std::size_t kDecidersKept = 4;

}  // namespace

struct RecordWriter::Worker {
  struct Kept {
    std::shared_ptr<const RecordSettings> settings;  // keeps its address from being used again
    std::unique_ptr<ZfsDecider> decider;
  };
  std::map<const RecordSettings*, Kept> deciders;

  ZfsDecider& decider_for(const std::shared_ptr<const RecordSettings>& settings) {
    const auto found = deciders.find(settings.get());
    if (found != deciders.end()) return *found->second.decider;
    if (deciders.size() >= kDecidersKept) deciders.clear();
    // Blocks of a pool have checksums of their own.
    Kept kept{settings, std::make_unique<ZfsDecider>(settings->options, false)};
    return *deciders.emplace(settings.get(), std::move(kept)).first->second.decider;
  }

  void run(RecordJob& job) {
    ZfsDecider& decider = decider_for(job.settings);
    job.finding = decider.decide(*job.bytes, job.unit);
    const ByteView stored = decider.stored();
    if (stored.data() == job.bytes->data()) {
      job.stored = stored;
      job.owner = job.bytes;
    } else {
      auto room = std::make_shared<RecordBytes>(stored);
      job.stored = *room;
      job.owner = std::move(room);
    }
    if (!job.stored.empty()) job.checksum = block_checksum(job.stored);
  }
};

RecordWriter::RecordWriter(unsigned threads, Place place) : place_(std::move(place)), pool_(threads, 4 * threads) {
  for (unsigned i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>());
}

RecordWriter::~RecordWriter() = default;

void RecordWriter::submit(RecordJob job) {
  auto shared = std::make_shared<RecordJob>(std::move(job));
  pool_.submit([this, shared](unsigned worker) { workers_[worker]->run(*shared); },
               [this, shared] { place_(*shared); });
}

Status RecordWriter::drain() { return pool_.drain(); }

}  // namespace blkpress
