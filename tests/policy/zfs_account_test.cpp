// Indirect blocks, holes, copies, parity: what surrounds the records.
#include <algorithm>
#include <vector>

#include "blkpress/corpus.hpp"
#include "blkpress/pool_space.hpp"
#include "blkpress/zfs_policy.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

std::unique_ptr<Policy> policy_of(std::initializer_list<Property> properties) {
  auto policy = make_policy("zfs", properties);
  BLKPRESS_ASSERT(policy.has_value());
  return std::move(policy).value();
}

ObjectSums store(const Policy& policy, ByteView content) {
  const auto decider = policy.make_decider();
  const auto account = policy.make_account();
  const std::uint32_t unit = policy.unit_bytes(content.size());
  account->begin(content.size());
  for (std::size_t at = 0; at < content.size(); at += unit) {
    account->add(decider->decide(content.subspan(at, std::min<std::size_t>(unit, content.size() - at)), unit));
  }
  return account->finish();
}

// An object of that many bytes of which only the given records were written, with random bytes.
ObjectSums store_sparse(const Policy& policy, std::uint64_t bytes, const std::vector<std::uint64_t>& written) {
  const auto decider = policy.make_decider();
  const auto account = policy.make_account();
  const std::uint32_t unit = policy.unit_bytes(bytes);
  const std::vector<std::byte> content = generate_random(unit, 77);
  account->begin(bytes);
  std::uint64_t next = 0;
  for (const std::uint64_t record : written) {
    account->add_holes(record - next);
    account->add(decider->decide(content, unit));
    next = record + 1;
  }
  return account->finish();
}

bool same(const ObjectSums& a, const ObjectSums& b) {
  return a.data == b.data && a.metadata == b.metadata && a.levels == b.levels && a.st_blocks == b.st_blocks &&
         a.reasons == b.reasons && a.tail_padding == b.tail_padding && a.embedded_payload == b.embedded_payload;
}

}  // namespace

TEST_CASE("zfs account: an empty file has no block, and st_blocks counts its dnode") {
  const auto policy = policy_of({{"compression", "lz4"}});
  const ObjectSums sums = store(*policy, {});
  CHECK(sums.data == BlockSums{});
  CHECK(sums.metadata == BlockSums{});
  CHECK(sums.levels == 1);
  CHECK(sums.st_blocks == 1);
}

TEST_CASE("zfs account: the block of a small file grows in steps of 512, a larger file has whole records") {
  const auto file = policy_of({});
  const std::pair<std::uint64_t, std::uint32_t> sizes[] = {{1, 512},         {512, 512},       {513, 1024},
                                                           {5000, 5120},     {130000, 130048}, {131071, 131072},
                                                           {131072, 131072}, {131073, 131072}, {1 << 30, 131072}};
  for (const auto& [bytes, unit] : sizes) CHECK(file->unit_bytes(bytes) == unit);
  const auto volume = policy_of({{"layout", "volume"}, {"volblocksize", "8K"}});
  CHECK(volume->unit_bytes(1) == 8192);
}

TEST_CASE("zfs account: levels grow when the pointers of a level are used up") {
  const auto file = policy_of({{"recordsize", "512"}, {"compression", "off"}});
  const auto volume = policy_of({{"layout", "volume"}, {"volblocksize", "512"}, {"compression", "off"}});
  const auto levels = [](const Policy& policy, std::uint64_t records) {
    return store_sparse(policy, records * 512, {}).levels;
  };
  CHECK(levels(*file, 1) == 1);
  CHECK(levels(*file, 2) == 2);
  CHECK(levels(*file, 1024) == 2);
  CHECK(levels(*file, 1025) == 3);
  CHECK(levels(*file, 1 << 20) == 3);
  CHECK(levels(*file, (1 << 20) + 1) == 4);
  CHECK(levels(*volume, 3) == 1);
  CHECK(levels(*volume, 4) == 2);
  CHECK(levels(*volume, 3 * 1024) == 2);
  CHECK(levels(*volume, 3 * 1024 + 1) == 3);
}

TEST_CASE("zfs account: number of indirect blocks of a full file and a full volume") {
  const auto blocks = [](const Policy& policy, std::uint64_t records) {
    std::vector<std::uint64_t> all(records);
    for (std::uint64_t i = 0; i < records; ++i) all[i] = i;
    return store_sparse(policy, records * 512, all).metadata.blocks;
  };
  const auto file = policy_of({{"recordsize", "512"}, {"compression", "off"}});
  CHECK(blocks(*file, 1) == 0);
  CHECK(blocks(*file, 1024) == 1);
  CHECK(blocks(*file, 1025) == 2 + 1);
  CHECK(blocks(*file, 5000) == 5 + 1);
  const auto volume = policy_of({{"layout", "volume"}, {"volblocksize", "512"}, {"compression", "off"}});
  CHECK(blocks(*volume, 3) == 0);
  CHECK(blocks(*volume, 3072) == 3);
  CHECK(blocks(*volume, 3073) == 4 + 1);
}

TEST_CASE("zfs account: an indirect block over holes only is a hole") {
  const auto policy = policy_of({{"recordsize", "512"}, {"compression", "lz4"}});
  const std::vector<std::byte> zeros(5000 * 512);
  const ObjectSums sums = store(*policy, zeros);
  CHECK(sums.levels == 3);
  CHECK(sums.metadata == BlockSums{});
  CHECK(sums.of(RecordReason::hole).records == 5000);
  CHECK(sums.of(RecordReason::hole).lsize == 5000 * 512);
  CHECK(sums.st_blocks == 1);
  // One written record costs one indirect block on each level.
  CHECK(store_sparse(*policy, 5000 * 512, {3000}).metadata.blocks == 2);
}

TEST_CASE("zfs account: skipping a range of holes equals adding each") {
  const auto policy = policy_of({{"recordsize", "512"}, {"compression", "lz4"}});
  const std::vector<std::byte> content = generate_random(512, 77);
  const auto decider = policy->make_decider();
  const RecordFinding written = decider->decide(content, 512);
  const RecordFinding hole = decider->decide(std::vector<std::byte>(512), 512);
  for (const std::vector<std::uint64_t>& records :
       {std::vector<std::uint64_t>{0}, {1023}, {1024}, {4999}, {0, 1023, 1024, 2047, 2048}, {1, 2500, 4998}}) {
    const auto account = policy->make_account();
    account->begin(5000 * 512);
    for (std::uint64_t i = 0; i < 5000; ++i) {
      account->add(std::find(records.begin(), records.end(), i) != records.end() ? written : hole);
    }
    CHECK(same(account->finish(), store_sparse(*policy, 5000 * 512, records)));
  }
}

TEST_CASE("zfs account: a sparse exabyte is summed at once") {
  const auto policy = policy_of({{"recordsize", "512"}, {"compression", "lz4"}});
  const std::uint64_t records = (std::uint64_t{1} << 60) / 512;
  const ObjectSums sums = store_sparse(*policy, std::uint64_t{1} << 60, {0, records - 1});
  CHECK(sums.levels == 7);
  CHECK(sums.data.blocks == 2);
  CHECK(sums.metadata.blocks == 5 * 2 + 1);
  CHECK(sums.of(RecordReason::hole).records == records - 2);
}

TEST_CASE("zfs account: an account is used for one object after the other") {
  const auto policy = policy_of({{"recordsize", "4K"}, {"compression", "lz4"}, {"ashift", "9"}});
  const std::vector<std::byte> text = generate_text(3 << 20, 3);
  const ObjectSums expected = store(*policy, text);
  const auto decider = policy->make_decider();
  const auto account = policy->make_account();
  for (int round = 0; round < 3; ++round) {
    account->begin(1 << 30);  // abandoned half way
    account->add(decider->decide(ByteView(text).first(4096), 4096));
    account->begin(text.size());
    for (std::size_t at = 0; at < text.size(); at += 4096) {
      account->add(decider->decide(ByteView(text).subspan(at, 4096), 4096));
    }
    CHECK(same(account->finish(), expected));
  }
}

TEST_CASE("zfs account: indirect blocks have one copy more than data, up to three") {
  const std::vector<std::byte> random = generate_random(1 << 20, 5);
  for (const int copies : {1, 2, 3}) {
    const auto policy = policy_of({{"copies", std::to_string(copies)}});
    const ObjectSums sums = store(*policy, random);
    CHECK(sums.data.psize == 1 << 20);
    CHECK(sums.data.asize == static_cast<std::uint64_t>(copies) << 20);
    REQUIRE(sums.metadata.blocks == 1);
    CHECK(sums.metadata.asize == sums.metadata.psize * static_cast<std::uint64_t>(std::min(3, copies + 1)));
  }
}

TEST_CASE("zfs account: what is allocated is content, padding, parity and skipped sectors") {
  const std::vector<std::byte> ramp = corpus_file("ramp4k.bin");
  for (const char* vdev : {"file", "mirror:2", "raidz1:5", "raidz2:6", "raidz3:8"}) {
    for (const char* copies : {"1", "2"}) {
      const auto policy =
          policy_of({{"recordsize", "16K"}, {"compression", "lz4"}, {"vdev", vdev}, {"copies", copies}});
      const ObjectSums sums = store(*policy, ramp);
      std::uint64_t payload = 0, padding = 0, asize = 0, psize = 0, lsize = 0;
      for (const RecordReason reason : {RecordReason::compressed, RecordReason::saves_too_little,
                                        RecordReason::sector_rounding, RecordReason::codec_gave_up}) {
        payload += sums.of(reason).payload;
        padding += sums.of(reason).padding;
        asize += sums.of(reason).asize;
        psize += sums.of(reason).psize;
        lsize += sums.of(reason).lsize;
      }
      const auto n = static_cast<std::uint64_t>(copies[0] - '0');
      CHECK(asize == sums.data.asize);
      CHECK(psize == sums.data.psize);
      CHECK(lsize + sums.of(RecordReason::embedded).lsize == sums.data.lsize);
      CHECK(payload * n + padding + sums.data.parity + sums.data.skip == sums.data.asize);
      CHECK((sums.data.parity > 0) == (vdev[0] == 'r'));
    }
  }
}

TEST_CASE("zfs account: a random file of 131073 bytes takes two records, and its ratio is 1.89x with small sectors") {
  const std::vector<std::byte> random = corpus_file("small_rand_131073.bin");
  const auto policy = policy_of({{"compression", "lz4"}, {"ashift", "9"}});
  Ledger ledger(policy->empty_dataset());
  const ObjectSums sums = store(*policy, random);
  ledger.add(sums);
  CHECK(sums.data.lsize == 262144);
  CHECK(sums.tail_padding == 131071);
  CHECK(ledger.compressratio_x100() == 189);
  CHECK(store(*policy_of({{"compression", "off"}}), random).data.asize == 262144);
}

TEST_CASE("zfs account: the same data takes less with compression on than off") {
  // Upstream tests compression/compress_001 and 003: every value and record size works, and du(on) < du(off).
  const std::vector<std::byte> text = generate_text(300001, 8);
  for (const char* recordsize : {"512", "1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K"}) {
    const std::uint64_t off =
        store(*policy_of({{"compression", "off"}, {"recordsize", recordsize}, {"ashift", "9"}}), text).st_blocks;
    for (const char* compression :
         {"on", "lzjb", "zle", "lz4", "lz4-lib", "gzip-1", "gzip-9", "zstd", "zstd-fast-1000"}) {
      const ObjectSums on =
          store(*policy_of({{"compression", compression}, {"recordsize", recordsize}, {"ashift", "9"}}), text);
      INFO(recordsize << ' ' << compression);
      CHECK(on.st_blocks <= off);
      if (recordsize == std::string_view("128K") && compression != std::string_view("zle")) CHECK(on.st_blocks < off);
    }
  }
}

TEST_CASE("zfs account: a full volume of random data stays within its refreservation on raidz") {
  // Upstream tests refreserv_raidz and refreserv_multi_raidz: referenced <= refreservation <= 1.1 x referenced.
  const std::uint64_t bytes = 256 * kMiB;
  for (const char* vdev : {"raidz1:2", "raidz1:3", "raidz2:4", "raidz2:5", "raidz3:6", "raidz3:7"}) {
    for (const std::uint64_t block : {4 * kKiB, 8 * kKiB, 128 * kKiB}) {
      const std::string volblocksize = std::to_string(block);
      const auto policy = policy_of({{"layout", "volume"}, {"volblocksize", volblocksize}, {"vdev", vdev}});
      std::vector<std::uint64_t> all(bytes / block);
      for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = i;
      Ledger ledger(policy->empty_dataset());
      ledger.add(store_sparse(*policy, bytes, all));
      const std::uint64_t reserved = volume_refreservation(bytes, block, 1, *VdevGeometry::parse(vdev, 12));
      INFO(vdev << ' ' << block);
      CHECK(ledger.referenced() <= reserved);
      CHECK(static_cast<double>(reserved) <= 1.1 * static_cast<double>(ledger.referenced()));
    }
  }
}

TEST_CASE("zfs account: a pool of v23 stores what its session showed") {
  // ls -ls of a real pool of version 23, in KiB: a bitmap of 5760054 bytes 5638, 128 MiB of random data 131171, of
  // zeros 131100, all without compression; the random data 131172 under lzjb, the zeros 1 (the dnode, rounded up). That
  // pool had two disks and several transaction groups, whose numbers in the pointers cost half a KiB per indirect block
  // more than ours.
  const auto kib = [](const ObjectSums& sums) { return (sums.st_blocks + 1) / 2; };
  const auto near = [](std::uint64_t a, std::uint64_t b, std::uint64_t most) {
    return std::max(a, b) - std::min(a, b) <= most;
  };
  const auto off = policy_of({{"version", "v23"}, {"compression", "off"}});
  const auto lzjb = policy_of({{"version", "v23"}, {"compression", "on"}});
  const std::vector<std::byte> random = generate_random(128 * kMiB, 3);
  const std::vector<std::byte> zeros(128 * kMiB);
  CHECK(near(kib(store(*off, ByteView(random).first(5760054))), 5638, 1));
  CHECK(near(kib(store(*off, random)), 131171, 10));
  CHECK(near(kib(store(*lzjb, random)), 131172, 10));
  CHECK(near(kib(store(*off, zeros)), 131100, 10));
  CHECK(kib(store(*lzjb, zeros)) == 1);
  // Indirect blocks of 16 KiB: eight of 128 pointers and one above.
  const ObjectSums sums = store(*off, zeros);
  CHECK(sums.metadata.blocks == 9);
  CHECK(sums.metadata.lsize == 9 * 16384);
}

TEST_CASE("zfs account: an empty dataset costs what OpenZFS shows, and a v23 one what is given") {
  const auto used = [](const char* vdev, int ashift) {
    return zfs_empty_dataset({}, ZfsLayout::file, *VdevGeometry::parse(vdev, ashift));
  };
  const std::tuple<const char*, int, std::uint64_t, std::uint64_t> measured[] = {
      {"file", 12, 98304, 43008},      {"mirror:2", 12, 98304, 43008},  {"raidz1:3", 12, 130944, 43008},
      {"raidz1:5", 12, 157056, 43008}, {"raidz2:6", 12, 196416, 43008}, {"raidz3:8", 12, 224256, 43008},
      {"file", 9, 24576, 12288},       {"mirror:2", 9, 24576, 12288},   {"raidz1:3", 9, 31372, 12288},
      {"raidz1:5", 9, 35992, 12288},   {"raidz2:6", 9, 42966, 12288},   {"raidz3:8", 9, 53424, 12288}};
  for (const auto& [vdev, ashift, bytes, logical] : measured) {
    INFO(vdev << ' ' << ashift);
    CHECK(used(vdev, ashift) == EmptyDataset{bytes, logical, logical});
  }
  const auto volume = [](int ashift) {
    return zfs_empty_dataset({}, ZfsLayout::volume, *VdevGeometry::parse("file", ashift));
  };
  CHECK(volume(12) == EmptyDataset{57344, 28672, 28672});
  CHECK(volume(9) == EmptyDataset{12288, 6144, 6144});

  ZfsOptions options = ZfsOptions::defaults(ZfsVersion::pool_version(13));
  options.empty_dataset = EmptyDataset{18432, 9216, 9216};
  CHECK((*ZfsPolicy::make(options))->empty_dataset().used == 18432);
}
