// The golden corpus in pools: data space equals policy zfs to the byte, and what is read back equals what was written.
#include <map>

#include "blkpress/corpus.hpp"
#include "blkpress/pool.hpp"
#include "blkpress/zfs_policy.hpp"
#include "support/catch.hpp"
#include "support/must.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

using Files = std::map<std::string, std::vector<std::byte>>;

// The corpus, or the first bytes of each file of it; odd, so that there are tails.
Files corpus(std::size_t bytes_max) {
  Files files;
  for (const std::string_view name : corpus_names()) {
    std::vector<std::byte> bytes = corpus_file(name);
    if (bytes.size() > bytes_max) bytes.resize(bytes_max);
    files.emplace(name, std::move(bytes));
  }
  return files;
}

struct Sums {
  std::uint64_t allocated = 0, compressed = 0, logical = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};

// What the policy says of a file, without any pool.
Sums policy_sums(ByteView bytes, const Policy& policy) {
  const auto decider = policy.make_decider();
  const auto account = policy.make_account();
  const std::uint32_t unit = policy.unit_bytes(bytes.size());
  account->begin(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += unit) {
    account->add(decider->decide(bytes.subspan(at, std::min<std::size_t>(unit, bytes.size() - at)), unit));
  }
  const ObjectSums sums = account->finish();
  return {sums.data.asize, sums.data.psize, sums.data.lsize};
}

// Puts all files into a new pool, closes it, opens it again and compares.
void put_and_compare(const Files& files, const std::string& compression, const std::string& recordsize, unsigned ashift,
                     bool volumes) {
  CAPTURE(compression, recordsize, ashift, volumes);
  const auto policy = make_policy("zfs", {{"layout", volumes ? "volume" : "file"},
                                          {"compression", compression},
                                          {volumes ? "volblocksize" : "recordsize", recordsize},
                                          {"ashift", std::to_string(ashift)}});
  REQUIRE(policy);
  std::uint64_t bytes_all = 0;
  for (const auto& [name, bytes] : files) bytes_all += bytes.size() + kMiB;
  const ScratchDirectory scratch;
  const std::string path = scratch.path("corpus.blkp");
  auto pool = must(Pool::create(path, {.size = 2 * bytes_all + 64 * kMiB, .ashift = ashift}));
  const std::uint64_t unit = (*policy)->max_unit_bytes();
  if (!volumes) {
    must(pool->create_filesystem("fs", {{"compression", compression}, {"recordsize", recordsize}}));
  }
  for (const auto& [name, bytes] : files) {
    if (volumes) {
      must(pool->create_volume(name, round_up(bytes.size(), unit),
                               {{"compression", compression}, {"volblocksize", recordsize}}));
    }
    const auto object = must(volumes ? pool->open_volume(name) : pool->create_object("fs", name));
    // In pieces that are no records.
    for (std::size_t at = 0; at < bytes.size(); at += 100'000) {
      must(object->write(at, ByteView(bytes).subspan(at, std::min<std::size_t>(100'000, bytes.size() - at))));
    }
  }
  must(pool->close());
  pool = must(Pool::open(path));
  Sums all;
  for (const auto& [name, bytes] : files) {
    CAPTURE(name);
    const auto object = must(volumes ? pool->open_volume(name) : pool->open_object("fs", name));
    std::vector<std::byte> padded = bytes;
    if (volumes) padded.resize(round_up(bytes.size(), unit));
    const Sums wanted = policy_sums(padded, **policy);
    const ObjectUsage usage = must(object->usage());
    CHECK(Sums{usage.allocated, usage.compressed, usage.logical} == wanted);
    all.allocated += wanted.allocated;
    all.compressed += wanted.compressed;
    std::vector<std::byte> back(padded.size());
    CHECK(must(object->read(0, back)) == padded.size());
    CHECK(back == padded);
  }
  CHECK(must(pool->usage()).data == all.allocated);
  for (const PoolProblem& problem : must(pool->check()).problems) FAIL_CHECK(problem.where << ": " << problem.what);
}

}  // namespace

TEST_CASE("pool: the corpus takes what the policy says, to the byte, and is read back equal") {
  const Files files = corpus(300'007);
  for (const char* recordsize : {"4K", "16K", "128K", "1M"}) {
    for (const unsigned ashift : {9U, 12U}) {
      for (const char* compression : {"off", "zle", "lzjb", "lz4", "gzip-6", "zstd-3"}) {
        put_and_compare(files, compression, recordsize, ashift, false);
      }
    }
  }
}

TEST_CASE("pool: so it does in volumes") {
  const Files files = corpus(300'007);
  for (const char* volblocksize : {"4K", "16K", "128K"}) {
    for (const unsigned ashift : {9U, 12U}) put_and_compare(files, "lz4", volblocksize, ashift, true);
  }
}

TEST_CASE("pool: the whole corpus at every level takes what the policy says", "[.long]") {
  const Files files = corpus(SIZE_MAX);
  for (const char* recordsize : {"4K", "16K", "128K", "1M"}) {
    for (const unsigned ashift : {9U, 12U}) {
      for (const char* compression : {"off", "zle", "lzjb", "lz4", "gzip-1", "gzip-6", "gzip-9", "zstd-3"}) {
        put_and_compare(files, compression, recordsize, ashift, false);
      }
    }
  }
}
