// RunWriter: what is in the file after wait(), in how many writes, and what an error does.
#include "pool/run_writer.hpp"

#include "blkpress/random.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

using Log = std::vector<FileChange>;

std::shared_ptr<std::vector<std::byte>> block(Random& random, std::size_t size) {
  auto bytes = std::make_shared<std::vector<std::byte>>(size);
  for (std::byte& byte : *bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

std::vector<std::byte> contents(BlockFile& file, std::size_t size) {
  std::vector<std::byte> bytes(size);
  REQUIRE(file.read(0, bytes).has_value());
  return bytes;
}

}  // namespace

TEST_CASE("pool runs: blocks of any size at any place are in the file after waiting, the later over the earlier") {
  constexpr std::size_t kSector = 4096, kFileBytes = 512 * kSector;
  Random random(1);
  for (int life = 0; life < 20; ++life) {
    auto file = make_memory_file();
    REQUIRE(file->resize(kFileBytes).has_value());
    std::vector<std::byte> model(kFileBytes);
    RunWriter runs(*file, kSector);
    std::uint64_t next = 0;
    for (int i = 0; i < 200; ++i) {
      const auto bytes = block(random, 1 + random.below(random.below(2) == 0 ? 6000 : 40000));
      if (random.below(4) == 0) next = random.below(500);
      if (next + 10 > 512) next = 0;
      const bool owned = random.below(2) == 0;
      REQUIRE(runs.append(next, *bytes, owned ? bytes : nullptr).has_value());
      const std::size_t begin = next * kSector, filled = round_up(bytes->size(), kSector);
      std::fill_n(model.begin() + static_cast<std::ptrdiff_t>(begin), filled, std::byte{0});
      std::copy(bytes->begin(), bytes->end(), model.begin() + static_cast<std::ptrdiff_t>(begin));
      if (!owned) std::fill(bytes->begin(), bytes->end(), std::byte{0xee});
      next += filled / kSector;
      if (random.below(50) == 0) REQUIRE(runs.wait().has_value());
    }
    REQUIRE(runs.wait().has_value());
    CHECK(contents(*file, kFileBytes) == model);
  }
}

TEST_CASE("pool runs: neighbours are written together, in order, and their owners are let go") {
  const auto log = std::make_shared<Log>();
  auto file = make_recording_file(make_memory_file(), log);
  RunWriter runs(*file, 512);
  Random random(2);
  const auto large = block(random, 20000);
  for (const std::uint64_t sector : {10, 50, 90, 7, 8, 9}) {
    REQUIRE(runs.append(sector, ByteView(*large).first(sector < 10 ? 100 : 20000), large).has_value());
  }
  // 20000 bytes are 40 sectors.
  REQUIRE(runs.settle().has_value());
  CHECK(log->size() == 1);
  REQUIRE(runs.wait().has_value());
  REQUIRE(log->size() == 2);
  CHECK((*log)[0].offset == 10 * 512);
  CHECK((*log)[0].bytes.size() == 3 * 40 * 512);
  CHECK((*log)[1].offset == 7 * 512);
  CHECK((*log)[1].bytes.size() == 3 * 512);
  CHECK(large.use_count() == 1);
}

TEST_CASE("pool runs: after a write that failed nothing is written, and every call says so") {
  const auto log = std::make_shared<Log>();
  FaultPlan plan;
  plan.failing_write = 2;
  auto file = make_faulty_file(make_recording_file(make_memory_file(), log), plan);
  Random random(3);
  const auto bytes = block(random, 512);
  {
    RunWriter runs(*file, 512);
    for (std::uint64_t sector = 0; sector < 8; sector += 2) {
      if (!runs.append(sector, *bytes, nullptr)) break;
    }
    const Status done = runs.wait();
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().kind == ErrorKind::io);
    CHECK_FALSE(runs.settle().has_value());
    CHECK_FALSE(runs.append(100, *bytes, nullptr).has_value());
  }
  // A torn write of nothing is a change, too.
  std::size_t written = 0;
  for (const FileChange& change : *log) written += change.bytes.size();
  CHECK(written == 2 * 512);
}
