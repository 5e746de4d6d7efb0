// A full pool: a clear error, nothing lost, and it comes back.
#include "pool/image_file.hpp"
#include "pool/pool_model.hpp"
#include "support/catch.hpp"
#include "support/must.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

Bytes8 noise(std::uint64_t seed, std::size_t size) {
  Random random(seed);
  Bytes8 bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

void check_clean(Pool& pool) {
  for (const PoolProblem& problem : must(pool.check()).problems) FAIL_CHECK(problem.where << ": " << problem.what);
}

}  // namespace

TEST_CASE("pool: a full pool refuses writes, keeps what it has, and comes back after a trim") {
  for (const unsigned ashift : {9U, 12U, 13U}) {
    for (const char* block : {"4K", "128K"}) {
      CAPTURE(ashift, block);
      Image image;
      auto pool =
          must(Pool::create(std::make_unique<ImageFile>(image), {.size = 16 * kMiB, .ashift = ashift}, repeatable()));
      must(pool->create_volume("v", 64 * kMiB, {{"volblocksize", block}}));
      auto volume = must(pool->open_volume("v"));
      const std::size_t step = volume->record_bytes();
      std::size_t written = 0;
      Status done = ok();
      for (; written < 64 * kMiB; written += step) {
        done = volume->write(written, noise(written, step));
        if (!done) break;
      }
      REQUIRE(!done);
      CHECK(done.error().kind == ErrorKind::no_space);
      // The slop and the trees are all that may be missing.
      CHECK(written > 16 * kMiB * 7 / 10 * step / round_up(step, std::size_t{1} << ashift));
      must(volume->flush());
      // Each time again, and reading goes on.
      CHECK(!volume->write(written, noise(written, step)));
      Bytes8 back(step);
      must(volume->read(written - step, back));
      CHECK(back == noise(written - step, step));
      check_clean(*pool);
      // A snapshot would pin what is there.
      const Status pinned = pool->snapshot("v@full");
      if (pinned) {
        must(pool->destroy("v@full"));
      } else {
        CHECK(pinned.error().kind == ErrorKind::no_space);
      }
      must(volume->trim(0, written / 2 / step * step));
      must(volume->flush());
      for (std::size_t at = 0; at + step <= written / 4; at += step) must(volume->write(at, noise(at + 7, step)));
      must(volume->flush());
      volume.reset();
      must(pool->close());
      pool = must(Pool::open(std::make_unique<ImageFile>(image), repeatable()));
      check_clean(*pool);
      volume = must(pool->open_volume("v"));
      for (std::size_t at = 0; at < written; at += step) {
        must(volume->read(at, back));
        if (at + step <= written / 4) CHECK(back == noise(at + 7, step));
        if (at >= written / 2) CHECK(back == noise(at, step));
      }
      must(pool->destroy("v"));
      check_clean(*pool);
    }
  }
}

TEST_CASE("pool: a full pool of compressible data fills until what it holds takes the space") {
  Image image;
  auto pool = must(Pool::create(std::make_unique<ImageFile>(image), {.size = 16 * kMiB}, repeatable()));
  must(pool->create_volume("v", 512 * kMiB, {{"volblocksize", "16K"}}));
  auto volume = must(pool->open_volume("v"));
  // A quarter of each block is noise: lz4 makes two sectors of four at most.
  std::size_t written = 0;
  for (;; written += 16 * kKiB) {
    Bytes8 bytes = noise(written, 4 * kKiB);
    bytes.resize(16 * kKiB);
    if (!volume->write(written, bytes)) break;
  }
  must(volume->flush());
  CHECK(written > 16 * kMiB * 2 * 7 / 10);
  check_clean(*pool);
}

TEST_CASE("pool: a file that fills up under a sparse pool gives no-space, and what was flushed stays") {
  // The pool promises more than its file can hold.
  Image image(64 * kMiB);
  auto pool = must(Pool::create(std::make_unique<ImageFile>(image), {.size = 64 * kMiB}, repeatable(), true));
  must(pool->create_filesystem("fs"));
  auto object = must(pool->create_object("fs", "o"));
  must(object->write(0, noise(1, kMiB)));
  must(pool->close());
  FaultPlan plan;
  plan.capacity = 24 * kMiB;
  pool = must(Pool::open(make_faulty_file(std::make_unique<ImageFile>(image), plan), repeatable()));
  object = must(pool->open_object("fs", "o"));
  Status done = ok();
  for (std::size_t at = kMiB; at < 60 * kMiB && done; at += kMiB) {
    done = object->write(at, noise(at, kMiB));
    if (done) done = object->flush();
  }
  CHECK(!done);
  object.reset();
  pool.reset();
  pool = must(Pool::open(std::make_unique<ImageFile>(image), repeatable()));
  check_clean(*pool);
  object = must(pool->open_object("fs", "o"));
  Bytes8 back(kMiB);
  must(object->read(0, back));
  CHECK(back == noise(1, kMiB));
}

TEST_CASE("pool: quotas and reservations bound what datasets take") {
  Image image;
  auto pool = must(Pool::create(std::make_unique<ImageFile>(image), {.size = 32 * kMiB}, repeatable()));
  must(pool->create_filesystem("a", {{"quota", "4M"}}));
  must(pool->create_filesystem("a/b"));
  auto object = must(pool->create_object("a/b", "o"));
  std::size_t written = 0;
  Status done = ok();
  for (; done && written < 8 * kMiB; written += 128 * kKiB) done = object->write(written, noise(written, 128 * kKiB));
  REQUIRE(!done);
  CHECK(done.error().kind == ErrorKind::no_space);
  CHECK(done.error().message.find("quota") != std::string::npos);
  must(pool->flush());
  // The quota bounds records; the trees come on top.
  const auto number = [&](const char* property) { return std::stoull(must(pool->get("a/b", property)).value); };
  CHECK(number("used") - number("metadata") <= 4 * kMiB);
  CHECK(written > 3 * kMiB);
  CHECK(!pool->set("a", {"quota", "1M"}));
  must(pool->set("a", {"quota", "none"}));
  must(object->write(written, noise(1, kMiB)));
  // What is reserved for one is not available to others.
  must(pool->create_filesystem("r", {{"reservation", "10M"}}));
  const auto available = [&](const char* name) { return std::stoull(must(pool->get(name, "available")).value); };
  CHECK(available("r") >= available("a") + 10 * kMiB);
  CHECK(std::stoull(must(pool->get("", "usedbychildren")).value) >= 10 * kMiB);
  const auto refused = pool->set("a", {"reservation", "30M"});
  REQUIRE(!refused);
  CHECK(refused.error().kind == ErrorKind::no_space);
}
