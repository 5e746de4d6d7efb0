// Many threads on one pool; and the same bytes from any number of them.
#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "pool/image_file.hpp"
#include "pool/pool_model.hpp"
#include "support/catch.hpp"
#include "support/must.hpp"

using namespace blkpress;
using namespace blkpress::test;

TEST_CASE("pool: readers, writers, trims, flushes and snapshots run side by side") {
  auto pool = must(Pool::create(make_memory_file(), {.size = 128 * kMiB}, repeatable(2)));
  constexpr std::size_t kPart = 2 * kMiB, kWriters = 3;
  must(pool->create_volume("v", kPart * kWriters, {{"volblocksize", "16K"}}));
  const auto volume = must(pool->open_volume("v"));
  std::atomic<unsigned> wrong = 0;
  std::atomic<bool> stop = false;
  std::vector<std::thread> writers, others;
  std::vector<Bytes8> held(kWriters, Bytes8(kPart));
  for (std::size_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      Random random(writer);
      Bytes8& mine = held[writer];
      for (unsigned i = 0; i < 300; ++i) {
        const std::size_t offset = random.below(kPart - 50'000), size = 1 + random.below(50'000);
        const auto begin = mine.begin() + static_cast<std::ptrdiff_t>(offset);
        if (i % 7 == 0) {
          if (!volume->trim(writer * kPart + offset, size)) ++wrong;
          std::fill_n(begin, size, std::byte{0});
        } else {
          Bytes8 data(size, static_cast<std::byte>(random.next()));
          for (std::size_t at = 0; at < size; at += 3) data[at] = static_cast<std::byte>(random.next());
          if (!volume->write(writer * kPart + offset, data)) ++wrong;
          std::copy(data.begin(), data.end(), begin);
        }
        if (i % 50 == 0 && !volume->flush()) ++wrong;
        Bytes8 back(size);
        if (!volume->read(writer * kPart + offset, back) || !std::equal(back.begin(), back.end(), begin)) ++wrong;
      }
    });
  }
  others.emplace_back([&] {
    for (unsigned i = 0; i < 12; ++i) {
      const std::string name = fmt::format("v@s{}", i);
      if (!pool->snapshot(name)) ++wrong;
      const auto snapshot = pool->open_volume(name);
      Bytes8 once(kMiB), again(kMiB);
      if (!snapshot || !(*snapshot)->read(0, once) || !(*snapshot)->read(0, again) || once != again) ++wrong;
      if (i > 2 && !pool->destroy(fmt::format("v@s{}", i - 2))) ++wrong;
      if (!pool->set("v", {"compression", i % 2 == 0 ? "zle" : "lz4"})) ++wrong;
    }
  });
  for (unsigned reader = 0; reader < 2; ++reader) {
    others.emplace_back([&, reader] {
      Random random(100 + reader);
      Bytes8 back(100'000);
      while (!stop) {
        if (!volume->read(random.below(kPart * kWriters), back)) ++wrong;
        if (!pool->list() || !pool->get("v", "used") || !pool->usage()) ++wrong;
        if (!volume->next_data(random.below(kPart * kWriters))) ++wrong;
      }
    });
  }
  for (std::thread& thread : writers) thread.join();
  stop = true;
  for (std::thread& thread : others) thread.join();
  CHECK(wrong == 0);
  for (std::size_t writer = 0; writer < kWriters; ++writer) {
    Bytes8 back(kPart);
    must(volume->read(writer * kPart, back));
    CHECK(back == held[writer]);
  }
  for (const PoolProblem& problem : must(pool->check()).problems) FAIL_CHECK(problem.where << ": " << problem.what);
}

TEST_CASE("pool: the stored bytes do not depend on the number of threads") {
  const auto life = [](unsigned threads, std::uint64_t seed) {
    Image image;
    auto pool = must(Pool::create(std::make_unique<ImageFile>(image), {.size = 24 * kMiB}, repeatable(threads)));
    // More than the dirty limit, in a pool that gets full.
    must(pool->create_volume("v", 64 * kMiB, {{"volblocksize", "32K"}, {"compression", "gzip-1"}}));
    must(pool->create_filesystem("fs", {{"quota", "6M"}}));
    auto volume = must(pool->open_volume("v"));
    auto object = must(pool->create_object("fs", "o"));
    Random random(seed);
    for (unsigned i = 0; i < 900; ++i) {
      Bytes8 data(1 + random.below(60'000));
      for (std::size_t at = 0; at < data.size(); at += 1 + random.below(3))
        data[at] = static_cast<std::byte>(random.next());
      const std::uint64_t kind = random.below(20);
      // Whether there is room must not depend on the threads either: an error counts as part of the life.
      Status done = ok();
      if (kind < 14) done = volume->write(random.below(60 * kMiB), data);
      if (kind >= 14 && kind < 17) done = object->write(random.below(8 * kMiB), data);
      if (kind == 17) done = volume->trim(random.below(50 * kMiB), kMiB);
      if (kind == 18) done = volume->flush();
      if (kind == 19) done = volume->read(random.below(60 * kMiB), data) ? ok() : Status(Error{ErrorKind::io, ""});
    }
    volume.reset();
    object.reset();
    const Status closed = pool->close();
    if (!closed) CHECK(closed.error().kind == ErrorKind::no_space);
    return image;
  };
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Image one = life(1, seed);
    for (const unsigned threads : {2U, 5U}) CHECK(life(threads, seed) == one);
  }
}
