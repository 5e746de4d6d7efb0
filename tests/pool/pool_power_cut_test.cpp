// A power cut at every change of a pool's file: it opens, check() is clean, what was flushed is there, and each record
// holds what it held then or something written since.
#include <fmt/format.h>

#include "pool/image_file.hpp"
#include "pool/pool_model.hpp"
#include "support/catch.hpp"
#include "support/must.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

constexpr std::size_t kBlock = 4096, kBlocks = 40;

// What the volume's blocks held over time, and what was durable when.
struct Life {
  Image begin;
  std::shared_ptr<std::vector<FileChange>> log = std::make_shared<std::vector<FileChange>>();
  // Per block: its contents in the order of the writes, with the length of the log when each was begun.
  struct Version {
    std::size_t begun_at;
    Bytes8 bytes;
  };
  std::vector<std::vector<Version>> blocks;
  // Calls that make everything before them durable.
  struct Flush {
    std::size_t done_at;
    std::vector<std::size_t> versions;  // of each block
    std::vector<std::pair<std::string, std::vector<std::size_t>>> snapshots;
  };
  std::vector<Flush> flushes;
};

class Recorder {
 public:
  explicit Recorder(std::uint64_t seed, unsigned calls) : random_(seed) {
    auto pool = must(Pool::create(std::make_unique<ImageFile>(image_), {.size = 8 * kMiB}, repeatable()));
    must(pool->create_volume("v", kBlock * kBlocks, {{"volblocksize", "4K"}, {"compression", "lz4"}}));
    must(pool->close());
    life_.begin = image_;
    life_.blocks.resize(kBlocks);
    for (auto& versions : life_.blocks) versions.push_back({0, Bytes8(kBlock)});
    pool_ = must(Pool::open(make_recording_file(std::make_unique<ImageFile>(image_), life_.log), repeatable()));
    volume_ = must(pool_->open_volume("v"));
    durable();
    for (unsigned call = 0; call < calls; ++call) step();
    must(pool_->close());
    durable();
  }
  Life take() { return std::move(life_); }

 private:
  void durable() {
    Life::Flush flush{life_.log->size(), {}, snapshots_};
    for (const auto& versions : life_.blocks) flush.versions.push_back(versions.size() - 1);
    life_.flushes.push_back(std::move(flush));
  }

  void change(std::size_t block, std::size_t from, const Bytes8& data) {
    Bytes8 bytes = life_.blocks[block].back().bytes;
    std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(from));
    life_.blocks[block].push_back({life_.log->size(), std::move(bytes)});
  }

  void step() {
    const std::uint64_t kind = random_.below(100);
    const std::size_t block = random_.below(kBlocks);
    if (kind < 60) {
      // Of one block, whole or not; incompressible or not.
      const std::size_t from = random_.below(3) == 0 ? random_.below(kBlock) : 0;
      Bytes8 data(random_.below(3) == 0 ? 1 + random_.below(kBlock - from) : kBlock - from);
      const bool noise = random_.below(2) == 0;
      for (auto& byte : data) byte = static_cast<std::byte>(noise ? random_.next() : block);
      change(block, from, data);
      must(volume_->write(block * kBlock + from, data));
    } else if (kind < 68) {
      change(block, 0, Bytes8(kBlock));
      must(volume_->trim(block * kBlock, kBlock));
    } else if (kind < 92) {
      must(volume_->flush());
      durable();
    } else if (kind < 96) {
      const std::string name = fmt::format("v@s{}", snapshots_.size());
      must(pool_->snapshot(name));
      std::vector<std::size_t> versions;
      for (const auto& block_versions : life_.blocks) versions.push_back(block_versions.size() - 1);
      snapshots_.emplace_back(name, versions);
      durable();
    } else if (kind < 98) {
      must(pool_->set("v", {"compression", random_.below(2) == 0 ? "zle" : "gzip-1"}));
      durable();
    } else {
      volume_.reset();
      must(pool_->close());
      durable();
      pool_ = must(Pool::open(make_recording_file(std::make_unique<ImageFile>(image_), life_.log), repeatable()));
      volume_ = must(pool_->open_volume("v"));
    }
  }

  Random random_;
  Image image_;
  Life life_;
  std::unique_ptr<Pool> pool_;
  std::shared_ptr<PoolObject> volume_;
  std::vector<std::pair<std::string, std::vector<std::size_t>>> snapshots_;
};

// The last that arrives is torn when torn is set.
void apply_some(Image& image, const std::vector<const FileChange*>& pending, std::uint64_t arrive, bool torn,
                Random& random, Undo& undo) {
  const FileChange* last = nullptr;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if ((arrive >> (i % 64) & 1) == 0) continue;
    if (last != nullptr) overwrite(image, last->offset, last->bytes, &undo);
    last = pending[i];
  }
  if (last == nullptr) return;
  for (std::size_t at = 0; at < last->bytes.size(); at += 512) {
    if (torn && random.below(2) == 0) continue;
    const std::size_t count = std::min<std::size_t>(512, last->bytes.size() - at);
    overwrite(image, last->offset + at, ByteView(last->bytes).subspan(at, count), &undo);
  }
}

std::string why(const Status& status) { return status.error().message; }

// cut: changes that were begun. Returns what is wrong, or nothing.
std::string reopen(const Life& life, Image& image, std::size_t cut, bool go_on, Undo& undo) {
  const Life::Flush* flushed = nullptr;
  for (const Life::Flush& flush : life.flushes) {
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

// Returns at how many points the life was cut.
std::uint64_t cut_everywhere(std::uint64_t seed, unsigned calls) {
  const Life life = Recorder(seed, calls).take();
  Image durable = life.begin;
  std::vector<const FileChange*> pending;
  Random random(seed, 1);
  std::uint64_t cuts = 0;
  for (std::size_t cut = 0; cut <= life.log->size(); ++cut) {
    const bool few = pending.size() <= 6;
    const std::uint64_t trials = few ? std::uint64_t{1} << pending.size() : 16;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      Undo undo;
      apply_some(durable, pending, few ? trial : random.next(), random.below(2) == 0, random, undo);
      const std::string wrong = reopen(life, durable, cut, cuts % 16 == 0, undo);
      put_back(durable, undo);
      ++cuts;
      if (wrong.empty()) continue;
      CAPTURE(seed, cut, trial, wrong);
      FAIL_CHECK("damaged by a power cut");
      return cuts;
    }
    if (cut == life.log->size()) break;
    const FileChange& change = (*life.log)[cut];
    if (change.kind == FileChange::Kind::write) pending.push_back(&change);
    if (change.kind != FileChange::Kind::flush) continue;
    for (const FileChange* write : pending) overwrite(durable, write->offset, write->bytes, nullptr);
    pending.clear();
  }
  return cuts;
}

}  // namespace

TEST_CASE("pool: after a power cut at any write it opens, is clean and holds what was flushed") {
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 0; cuts < 3000; ++seed) cuts += cut_everywhere(seed, 40);
  CHECK(cuts >= 2000);
}

TEST_CASE("pool: power cuts at 100,000 points", "[.long]") {
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 100; cuts < 100'000; ++seed) cuts += cut_everywhere(seed, 120);
  WARN(cuts << " cut points");
}
