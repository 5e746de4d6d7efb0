#include "pool/pool_life.hpp"

#include <fmt/format.h>

#include "support/must.hpp"

namespace blkpress::test {
namespace {

class Recorder {
 public:
  Recorder(std::uint64_t seed, unsigned calls, const FaultPlan& plan) : random_(seed), plan_(plan) {
    auto pool = must(Pool::create(std::make_unique<ImageFile>(image_), {.size = 8 * kMiB}, repeatable()));
    must(pool->create_volume("v", kBlock * kBlocks, {{"volblocksize", "4K"}, {"compression", "lz4"}}));
    must(pool->close());
    life_.begin = image_;
    life_.blocks.resize(kBlocks);
    for (auto& versions : life_.blocks) versions.push_back({0, Bytes8(kBlock)});
    durable();
    Status going = open();
    for (unsigned call = 0; call < calls && going; ++call) going = step();
    if (going && pool_->close()) durable();
    volume_.reset();
    pool_.reset();
    life_.end = image_;
  }
  PoolLife take() { return std::move(life_); }

 private:
  void durable() {
    PoolLife::Flush flush{life_.log->size(), {}, snapshots_};
    for (const auto& versions : life_.blocks) flush.versions.push_back(versions.size() - 1);
    life_.flushes.push_back(std::move(flush));
  }

  void change(std::size_t block, std::size_t from, const Bytes8& data) {
    Bytes8 bytes = life_.blocks[block].back().bytes;
    std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(from));
    life_.blocks[block].push_back({life_.log->size(), std::move(bytes)});
  }

  Status open() {
    auto file = make_faulty_file(make_recording_file(std::make_unique<ImageFile>(image_), life_.log), plan_);
    auto pool = Pool::open(std::move(file), repeatable());
    if (!pool) return pool.error();
    pool_ = std::move(*pool);
    auto volume = pool_->open_volume("v");
    if (!volume) return volume.error();
    volume_ = *volume;
    return ok();
  }

  Status step() {
    const std::uint64_t kind = random_.below(100);
    const std::size_t block = random_.below(kBlocks);
    if (kind < 60) {
      // Of one block, whole or not; incompressible or not.
      const std::size_t from = random_.below(3) == 0 ? random_.below(kBlock) : 0;
      Bytes8 data(random_.below(3) == 0 ? 1 + random_.below(kBlock - from) : kBlock - from);
      const bool noise = random_.below(2) == 0;
      for (auto& byte : data) byte = static_cast<std::byte>(noise ? random_.next() : block);
      change(block, from, data);
      return volume_->write(block * kBlock + from, data);
    } else if (kind < 68) {
      change(block, 0, Bytes8(kBlock));
      return volume_->trim(block * kBlock, kBlock);
    } else if (kind < 92) {
      BLKPRESS_TRY(volume_->flush());
      durable();
    } else if (kind < 96) {
      const std::string name = fmt::format("v@s{}", snapshots_.size());
      BLKPRESS_TRY(pool_->snapshot(name));
      std::vector<std::size_t> versions;
      for (const auto& block_versions : life_.blocks) versions.push_back(block_versions.size() - 1);
      snapshots_.emplace_back(name, versions);
      durable();
    } else if (kind < 98) {
      BLKPRESS_TRY(pool_->set("v", {"compression", random_.below(2) == 0 ? "zle" : "gzip-1"}));
      durable();
    } else {
      volume_.reset();
      BLKPRESS_TRY(pool_->close());
      durable();
      return open();
    }
    return ok();
  }

  Random random_;
  FaultPlan plan_;
  Image image_;
  PoolLife life_;
  std::unique_ptr<Pool> pool_;
  std::shared_ptr<PoolObject> volume_;
  std::vector<std::pair<std::string, std::vector<std::size_t>>> snapshots_;
};

std::string why(const Status& status) { return status.error().message; }

}  // namespace

PoolLife record_life(std::uint64_t seed, unsigned calls, const FaultPlan& plan) {
  return Recorder(seed, calls, plan).take();
}

// cut: changes that were begun. Returns what is wrong, or nothing.
std::string reopen(const PoolLife& life, Image& image, std::size_t cut, bool go_on, Undo& undo) {
  const PoolLife::Flush* flushed = nullptr;
  for (const PoolLife::Flush& flush : life.flushes) {
    if (flush.done_at <= cut) flushed = &flush;
  }
  auto pool = Pool::open(std::make_unique<ImageFile>(image, &undo), repeatable());
  if (!pool) return pool.error().message;
  const auto report = (*pool)->check();
  if (!report) return report.error().message;
  if (!report->problems.empty()) return report->problems.front().where + ": " + report->problems.front().what;
  const auto volume = (*pool)->open_volume("v");
  if (!volume) return volume.error().message;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    Bytes8 bytes(kBlock);
    const auto got = (*volume)->read(block * kBlock, bytes);
    if (!got) return got.error().message;
    const auto& versions = life.blocks[block];
    bool known = false;
    for (std::size_t i = flushed->versions[block]; i < versions.size() && versions[i].begun_at <= cut; ++i) {
      known = known || versions[i].bytes == bytes;
    }
    if (!known) return fmt::format("block {} holds something else", block);
  }
  for (const auto& [name, versions] : flushed->snapshots) {
    const auto snapshot = (*pool)->open_volume(name);
    if (!snapshot) return snapshot.error().message;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      Bytes8 bytes(kBlock);
      const auto got = (*snapshot)->read(block * kBlock, bytes);
      if (!got) return got.error().message;
      if (bytes != life.blocks[block][versions[block]].bytes) return fmt::format("{}: block {} differs", name, block);
    }
  }
  if (!go_on) return "";
  // What is written now lasts as well.
  const Bytes8 mark(kBlock, std::byte{0x5a});
  if (Status done = (*volume)->write(0, mark); !done) return why(done);
  if (Status done = (*volume)->flush(); !done) return why(done);
  Image later = image;
  auto again = Pool::open(std::make_unique<ImageFile>(later), repeatable());
  if (!again) return again.error().message;
  const auto reread = (*again)->open_volume("v");
  Bytes8 bytes(kBlock);
  if (!reread || !(*reread)->read(0, bytes) || bytes != mark) return "what was written after the cut is lost";
  return "";
}

}  // namespace blkpress::test
