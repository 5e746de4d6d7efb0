// What opening a pool does and reads; and what a pool must still hold, or leave out, when it is opened again.
#include "pool/block_store.hpp"
#include "pool/image_file.hpp"
#include "pool/pool_model.hpp"
#include "support/catch.hpp"
#include "support/must.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

// Passes everything on and adds up what is read.
class CountingFile final : public BlockFile {
 public:
  CountingFile(std::unique_ptr<BlockFile> file, std::uint64_t& read_bytes)
      : file_(std::move(file)), read_bytes_(read_bytes) {}
  Result<std::uint64_t> size() override { return file_->size(); }
  Result<std::size_t> read(std::uint64_t offset, ByteSpan target) override {
    read_bytes_ += target.size();
    return file_->read(offset, target);
  }
  Status write(std::uint64_t offset, ByteView source) override { return file_->write(offset, source); }
  Status flush() override { return file_->flush(); }
  Status resize(std::uint64_t size) override { return file_->resize(size); }
  Result<std::optional<DataRange>> next_data(std::uint64_t offset) override { return file_->next_data(offset); }

 private:
  std::unique_ptr<BlockFile> file_;
  std::uint64_t& read_bytes_;
};

}  // namespace

TEST_CASE("pool: opening a full, fragmented pool of 1 TiB reads at most 4 MiB") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("large.blkp");
  must(must(Pool::create(path, {.size = kTiB}, repeatable()))->close());
  {
    // Every second run of 128 KiB is in use, in all regions.
    const auto store = must(BlockStore::open(must(open_file(path, {.mode = OpenMode::read_write}))));
    std::uint64_t apart = 0;
    while (const auto run = must(store->space().allocate(32))) {
      if (++apart % 2 == 0) store->space().take_back(*run, 32);
    }
    CHECK(store->free_sectors() < store->total_sectors() * 51 / 100);
    must(store->commit(store->superblock().root));
  }
  std::uint64_t read_bytes = 0;
  auto file = std::make_unique<CountingFile>(must(open_file(path, {.mode = OpenMode::read_write})), read_bytes);
  const auto pool = must(Pool::open(std::move(file), repeatable()));
  CHECK(read_bytes <= 4 * kMiB);
}

TEST_CASE("pool: a second opening is refused while the first lasts, readers share") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("p.blkp");
  auto pool = must(Pool::create(path, {.size = 16 * kMiB}));
  PoolOptions reading;
  reading.read_only = true;
  for (const PoolOptions& options : {PoolOptions{}, reading}) {
    const auto second = Pool::open(path, options);
    REQUIRE(!second);
    CHECK(second.error().kind == ErrorKind::io);
    CHECK(second.error().message.find("in use") != std::string::npos);
  }
  must(pool->close());
  const auto one = must(Pool::open(path, reading)), other = must(Pool::open(path, reading));
  CHECK(!Pool::open(path));
}

TEST_CASE("pool: opening it read only writes nothing, also when the log is to be read and a superblock is damaged") {
  Image image;
  auto pool = must(Pool::create(std::make_unique<ImageFile>(image), {.size = 16 * kMiB}, repeatable()));
  must(pool->create_volume("v", kMiB));
  const Bytes8 written(20'000, std::byte{7});
  const auto volume = must(pool->open_volume("v"));
  must(volume->write(0, written));
  must(volume->flush());
  Image cut = image;  // the log alone has it
  std::fill_n(cut.begin(), 256 * kKiB, std::byte{0});
  const Image before = cut;
  PoolOptions options = repeatable();
  options.read_only = true;
  {
    const auto reader = must(Pool::open(std::make_unique<ImageFile>(cut), options));
    Bytes8 back(written.size());
    must(must(reader->open_volume("v"))->read(0, back));
    CHECK(back == written);
    CHECK(!must(reader->open_volume("v"))->write(0, written));
    CHECK(!reader->snapshot("v@a"));
    for (const PoolProblem& problem : must(reader->check()).problems) FAIL_CHECK(problem.where << ": " << problem.what);
  }
  CHECK(cut == before);
}

TEST_CASE("pool: a trim that leaves nothing of a flushed write is not undone by closing and opening") {
  Image image;
  auto pool = must(Pool::create(std::make_unique<ImageFile>(image), {.size = 16 * kMiB}, repeatable()));
  must(pool->create_volume("v", kMiB));
  {
    const auto volume = must(pool->open_volume("v"));
    must(volume->write(0, Bytes8(16 * kKiB, std::byte{1})));
    must(volume->flush());
    must(volume->trim(0, 16 * kKiB));
  }
  must(pool->close());
  pool = must(Pool::open(std::make_unique<ImageFile>(image), repeatable()));
  Bytes8 back(16 * kKiB);
  must(must(pool->open_volume("v"))->read(0, back));
  CHECK(all_zero(back));
}

TEST_CASE("pool: a volume without volblocksize has the blocks that OpenZFS gives it") {
  auto pool = must(Pool::create(make_memory_file(), {.size = 16 * kMiB}, repeatable()));
  must(pool->create_volume("v", kMiB));
  // OpenZFS 2.2 and later (72f0521aba).
  CHECK(must(pool->open_volume("v"))->record_bytes() == 16 * kKiB);
  CHECK(!pool->create_volume("w", kMiB + 512));
}
