// Reads that follow each other: records begun in advance, and those that go past the cache.
#include <atomic>
#include <thread>

#include "blkpress/corpus.hpp"
#include "pool/image_file.hpp"
#include "pool/pool_model.hpp"
#include "support/catch.hpp"
#include "support/must.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

constexpr std::size_t kObjectBytes = 6 * kMiB;

PoolOptions reading(unsigned threads, std::uint64_t cache_bytes) {
  PoolOptions options = repeatable(threads);
  options.cache_bytes_max = cache_bytes;
  return options;
}

// Text, random bytes and zeros by turns: compressed records, raw ones and holes.
Bytes8 mixed() { return generate_mixed(kObjectBytes, 5); }

void make_pool(Image& image, const std::string& record, const Bytes8& content) {
  auto pool = must(Pool::create(std::make_unique<ImageFile>(image), {.size = 32 * kMiB}, repeatable(2)));
  must(pool->create_filesystem("fs", {{"recordsize", record}, {"compression", "lz4"}}));
  must(must(pool->create_object("fs", "o"))->write(0, content));
  must(pool->close());
}

}  // namespace

TEST_CASE("pool: an object read in order is what was written, also where it is changed just before") {
  const auto [record, threads, cache] = GENERATE(table<std::string, unsigned, std::uint64_t>(
      {{"16K", 3, kMiB}, {"128K", 3, kMiB}, {"128K", 1, kMiB}, {"128K", 2, 64 * kMiB}, {"4K", 2, kMiB}}));
  Image image;
  Bytes8 content = mixed();
  make_pool(image, record, content);
  auto pool = must(Pool::open(std::make_unique<ImageFile>(image), reading(threads, cache)));
  Random random(threads);
  for (const std::size_t request : {std::size_t{10'000}, 16 * kKiB, 128 * kKiB, 100'000 + 128 * kKiB, kMiB}) {
    const auto object = must(pool->open_object("fs", "o"));
    bool same = true;
    for (std::size_t at = 0; at < content.size(); at += request) {
      if (random.below(8) == 0) {
        // Most probably of records that are begun already.
        const Bytes8 fresh = generate_text(1 + random.below(40'000), 1 + random.below(1000));
        const std::size_t to = std::min(at + random.below(400'000), content.size() - fresh.size());
        must(object->write(to, fresh));
        std::copy(fresh.begin(), fresh.end(), content.begin() + static_cast<std::ptrdiff_t>(to));
        // A snapshot writes a group, so that the record has a new place.
        if (random.below(2) == 0) must(pool->snapshot("fs@s" + std::to_string(random.next())));
      }
      Bytes8 back(std::min(request, content.size() - at));
      REQUIRE(must(object->read(at, back)) == back.size());
      same = same && std::equal(back.begin(), back.end(), content.begin() + static_cast<std::ptrdiff_t>(at));
    }
    CHECK(same);
  }
}

TEST_CASE("pool: a damaged record gives an error where it is read in order, and the others their bytes") {
  Image image;
  const Bytes8 content = mixed();
  make_pool(image, "16K", content);
  Random random(9);
  unsigned damaged = 0, wrong = 0;
  for (int life = 0; life < 30; ++life) {
    std::size_t at = 0;
    do {
      at = random.below(image.size());
    } while (image[at] == std::byte{0});
    Undo undo;
    {
      ImageFile file(image, &undo);
      const std::byte flipped = image[at] ^ std::byte{1};
      must(file.write(at, {&flipped, 1}));
    }
    auto pool = Pool::open(std::make_unique<ImageFile>(image, &undo), reading(3, kMiB));
    const auto object = pool ? (*pool)->open_object("fs", "o") : Result<std::shared_ptr<PoolObject>>(pool.error());
    for (std::size_t from = 0; object && from < content.size(); from += 16 * kKiB) {
      Bytes8 back(16 * kKiB);
      const auto got = (*object)->read(from, back);
      if (!got && got.error().kind == ErrorKind::corrupt) ++damaged;
      const bool same = std::equal(back.begin(), back.end(), content.begin() + static_cast<std::ptrdiff_t>(from));
      if (got ? !same : got.error().kind != ErrorKind::corrupt) ++wrong;
    }
    if (pool) must((*pool)->close());
    put_back(image, undo);
  }
  CHECK(wrong == 0);
  CHECK(damaged > 10);
  CHECK(damaged <= 30);
}

TEST_CASE("pool: closing it while others read gives them an error, and what is behind it is left alone") {
  Image image;
  const Bytes8 content = mixed();
  make_pool(image, "64K", content);
  for (int life = 0; life < 10; ++life) {
    auto pool = must(Pool::open(std::make_unique<ImageFile>(image), reading(2, kMiB)));
    std::atomic<unsigned> wrong = 0;
    std::atomic<int> reading_now = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i) {
      const auto object = must(pool->open_object("fs", "o"));
      readers.emplace_back([&, object] {
        ++reading_now;
        Bytes8 back(64 * kKiB);
        for (std::size_t at = 0;; at = (at + back.size()) % content.size()) {
          const auto got = object->read(at, back);
          if (!got && got.error().kind != ErrorKind::usage) ++wrong;
          if (!got) return;
          if (!std::equal(back.begin(), back.end(), content.begin() + static_cast<std::ptrdiff_t>(at))) ++wrong;
        }
      });
    }
    while (reading_now < 3) std::this_thread::yield();
    must(pool->close());
    for (std::thread& reader : readers) reader.join();
    CHECK(wrong == 0);
  }
}
