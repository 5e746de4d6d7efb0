// Policy vdo against public reports, arithmetic, and a slow packer.
#include <lz4.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "blkpress/random.hpp"
#include "blkpress/vdo_policy.hpp"
#include "policy/vdo_packer.hpp"
#include "support/catch.hpp"
#include "support/fio_run.hpp"

using namespace blkpress;

namespace {

constexpr std::size_t kBlock = 4096;

std::unique_ptr<Policy> policy_of(std::vector<Property> properties) {
  auto policy = make_policy("vdo", properties);
  if (!policy) FAIL(policy.error().message);
  return std::move(policy).value();
}

ObjectSums store(ByteView content, std::vector<Property> properties = {}) {
  const auto policy = policy_of(std::move(properties));
  const auto decider = policy->make_decider();
  const auto account = policy->make_account();
  account->begin(content.size());
  for (std::size_t at = 0; at < content.size(); at += kBlock) {
    account->add(decider->decide(content.subspan(at, std::min(kBlock, content.size() - at)), kBlock));
  }
  return account->finish();
}

double saved_percent(const ObjectSums& sums) {
  return 100.0 - 100.0 * static_cast<double>(sums.data.asize) / static_cast<double>(sums.bytes);
}

// Blocks whose first part is random and the rest zeros.
std::vector<std::byte> partly_random(std::size_t blocks, std::size_t random_bytes, std::uint64_t seed = 1) {
  Random random(seed, 0);
  std::vector<std::byte> bytes(blocks * kBlock);
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t i = 0; i < random_bytes; ++i) bytes[block * kBlock + i] = static_cast<std::byte>(random.next());
  }
  return bytes;
}

// The same rules with the bins' whole contents kept, and all of them sorted for each fragment.
struct SlowPacker {
  std::vector<std::vector<std::uint32_t>> bins;
  std::size_t blocks = 0;
  std::size_t alone = 0;

  [[nodiscard]] std::uint32_t used(std::size_t bin) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t length : bins[bin]) sum += length;
    return sum;
  }
  void write(std::size_t bin) {
    if (bins[bin].empty()) return;
    ++blocks;
    if (bins[bin].size() == 1) ++alone;
    bins[bin].clear();
  }
  void add(std::uint32_t length) {
    std::vector<std::size_t> order(bins.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return used(a) > used(b); });
    const auto fits = std::find_if(order.begin(), order.end(), [&](std::size_t i) { return used(i) + length <= 4060; });
    std::size_t bin = order.front();
    if (fits != order.end()) {
      bin = *fits;
    } else if (used(bin) < length) {
      ++blocks;
      ++alone;
      return;
    } else {
      write(bin);
    }
    bins[bin].push_back(length);
    if (bins[bin].size() == 14 || used(bin) == 4060) write(bin);
  }
  void flush() {
    for (std::size_t i = 0; i < bins.size(); ++i) write(i);
  }
};

}  // namespace

TEST_CASE("vdo: a fio job at 70 % saves 66.7 %, not the 69 % of its bytes (kvdo issue 41)") {
  // fio bs=1M rw=write scramble_buffers=1 buffer_compress_percentage=70 buffer_compress_chunk=4K
  FioIoOptions options;
  options.access.reads = false;
  options.access.writes = true;
  options.access.size = 32 * kMiB;
  for (FioBlockSizes& sizes : options.access.block_sizes) sizes = {kMiB, kMiB, {}};
  options.content.compress_percentage = 70;
  options.content.compress_chunk = 4096;
  options.content.scramble_buffers = true;
  REQUIRE(check(options));
  const auto file = fio_file_image(options, [](std::uint64_t i) { return FioTime{1000 + i, 5}; });
  const ObjectSums sums = store(file);
  CHECK(saved_percent(sums) == Approx(66.7).margin(0.1));
  const double by_bytes =
      100.0 - 100.0 * static_cast<double>(sums.of(RecordReason::compressed).payload) / static_cast<double>(sums.bytes);
  CHECK(by_bytes == Approx(69.2).margin(0.3));
}

TEST_CASE("vdo: blocks that shrink to 55 to 70 % find no partner and save nothing (kvdo issues 20, 92)") {
  const auto content = partly_random(256, kBlock * 6 / 10);
  const ObjectSums sums = store(content);
  CHECK(sums.data.asize == content.size());
  CHECK(sums.of(RecordReason::no_partner).records == 256);
  CHECK(sums.of(RecordReason::compressed).records == 0);
}

TEST_CASE("vdo: fourteen fragments share a block at most") {
  const auto content = partly_random(140, 16);  // LZ4 makes some 40 bytes of each: fourteen leave most of a block empty
  const ObjectSums sums = store(content);
  CHECK(sums.data.asize == 10 * kBlock);
  CHECK(sums.of(RecordReason::compressed).records == 140);
}

TEST_CASE("vdo: zeros take nothing, with and without compression; random bytes are stored as they are") {
  for (const char* compression : {"lz4", "off"}) {
    const std::vector<std::byte> zeros(10 * kBlock);
    CHECK(store(zeros, {{"compression", compression}}).data.asize == 0);
    CHECK(store(zeros, {{"compression", compression}}).of(RecordReason::hole).records == 10);
    const auto random = partly_random(10, kBlock);
    const ObjectSums sums = store(random, {{"compression", compression}});
    CHECK(sums.data.asize == random.size());
    CHECK(sums.of(compression == std::string("off") ? RecordReason::compression_off : RecordReason::saves_too_little)
              .records == 10);
  }
}

TEST_CASE("vdo: the last block of a file is filled up with zeros") {
  const auto content = partly_random(1, 100);
  const ObjectSums sums = store(ByteView(content).first(100));
  CHECK(sums.data.blocks == 1);
  CHECK(sums.tail_padding == kBlock - 100);
}

TEST_CASE("vdo: packs as a packer that sorts all its bins for each fragment") {
  Random random(GENERATE(1, 2, 3), 0);
  const std::uint32_t bins = GENERATE(1U, 3U, 16U);
  VdoPacker fast(bins);
  SlowPacker slow;
  slow.bins.resize(bins);
  std::size_t blocks = 0;
  std::size_t alone = 0;
  const auto count = [&](const VdoPacker::Written& group) {
    if (group.fragments == 0) return;
    ++blocks;
    if (group.fragments == 1) ++alone;
  };
  for (int i = 0; i < 3000; ++i) {
    const auto length = static_cast<std::uint32_t>(30 + random.below(4030));
    const VdoPacker::Left left = fast.add(length);
    count(left.made_room);
    count(left.full);
    slow.add(length);
  }
  for (auto group = fast.flush(); group.fragments > 0; group = fast.flush()) count(group);
  slow.flush();
  CHECK(blocks == slow.blocks);
  CHECK(alone == slow.alone);
}

TEST_CASE("vdo options: wrong ones get a message that says what would be right") {
  const auto message = [](std::vector<Property> properties) {
    const auto policy = make_policy("vdo", properties);
    REQUIRE(!policy);
    return policy.error().message;
  };
  CHECK(message({{"compression", "zstd"}}) == "compression 'zstd' is not one of: lz4 | off");
  CHECK(message({{"bins", "0"}}) == "bins '0' is not between 1 and 1024");
  CHECK(message({{"dedupe", "on"}}).starts_with("policy vdo has no property 'dedupe'"));
}
