#include "blkpress/pool_space.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "blkpress/bytes.hpp"
#include "blkpress/size_format.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

struct PoolRow {
  std::string vdev;
  std::string child_size;
  std::vector<std::uint64_t> numbers;  // from column ashift on
};

std::vector<PoolRow> pool_rows() {
  std::ifstream file(BLKPRESS_GOLDEN_DIR "/openzfs_pool_space.csv");
  std::vector<PoolRow> rows;
  std::string line;
  std::getline(file, line);
  REQUIRE(line ==
          "vdev,file_size,ashift,vdev_asize,ms_shift,ms_count,deflate_ratio,class_space,class_alloc,class_dspace,"
          "embedded_log_space,embedded_log_dspace,spa_dspace,slop,fs_available,fs_used,root_dd_used");
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    PoolRow row;
    std::getline(fields, row.vdev, ',');
    std::getline(fields, row.child_size, ',');
    for (std::string field; std::getline(fields, field, ',');) row.numbers.push_back(std::stoull(field));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("pool space: all 32 pools of 64 MiB to 4 TiB have the sizes that OpenZFS gave them") {
  const auto rows = pool_rows();
  CHECK(rows.size() == 32);
  for (const PoolRow& row : rows) {
    INFO(row.vdev << ' ' << row.child_size << " ashift " << row.numbers[0]);
    const VdevGeometry vdev = *VdevGeometry::parse(row.vdev, static_cast<int>(row.numbers[0]));
    const auto pool = pool_space(vdev, *parse_size(row.child_size));
    REQUIRE(pool.has_value());
    CHECK(pool->vdev_asize == row.numbers[1]);
    CHECK(static_cast<std::uint64_t>(pool->metaslab_shift) == row.numbers[2]);
    CHECK(pool->metaslab_count == row.numbers[3]);
    CHECK(vdev.deflate_ratio() == row.numbers[4]);
    CHECK(pool->normal_space == row.numbers[5]);
    CHECK(pool->dspace == row.numbers[7]);
    CHECK(pool->embedded_log_space == row.numbers[8]);
    CHECK(pool->embedded_log_dspace == row.numbers[9]);
    CHECK(pool->dspace == row.numbers[10]);
    CHECK(pool->slop == row.numbers[11]);
    CHECK(pool->available(row.numbers[14]) == row.numbers[12]);
  }
}

TEST_CASE("pool space: a device below 64 MiB is refused") {
  const auto pool = pool_space({}, 63 * kMiB);
  REQUIRE(!pool.has_value());
  CHECK(pool.error().message ==
        "a device of 66060288 bytes is less than 67108864, the least that a pool can be made of");
}

TEST_CASE("pool space: a full pool has nothing available") {
  const auto pool = pool_space({}, kGiB);
  REQUIRE(pool.has_value());
  CHECK(pool->available(pool->dspace) == 0);
  CHECK(pool->available(pool->dspace - pool->slop) == 0);
  CHECK(pool->available(pool->dspace - pool->slop - 1) == 1);
}

TEST_CASE("pool space: slop has a floor of 128 MiB or half the pool and a cap of 128 GiB") {
  CHECK(slop_space(64 * kMiB, 0) == 32 * kMiB);
  CHECK(slop_space(kGiB, 0) == 128 * kMiB);
  CHECK(slop_space(64 * kGiB, 0) == 2 * kGiB);
  CHECK(slop_space(100 * kTiB, 0) == 128 * kGiB);
  CHECK(slop_space(64 * kGiB, 512 * kMiB) == 2 * kGiB - 512 * kMiB);
  CHECK(slop_space(64 * kGiB, 4 * kGiB) == kGiB);  // at most half is saved by the log
}

TEST_CASE("pool space: a pool of 1.98G before feature flags lists 1.95G available") {
  // zpool list said SIZE 1.98G and zfs list AVAIL 1.95G with 85.5K used, on a pool of v23.
  const auto dspace = static_cast<std::uint64_t>(1.984 * static_cast<double>(kGiB));
  CHECK(format_size(available_before_feature_flags(dspace, 87552), SizeUnit::bare) == "1.95G");
  CHECK(available_before_feature_flags(64, 64) == 0);
}

TEST_CASE("pool space: statvfs counts in records") {
  const StatvfsNumbers numbers = statvfs_numbers(131073, 131072 * 10 + 5, 131072);
  CHECK(numbers.block_bytes == 131072);
  CHECK(numbers.blocks == 12);
  CHECK(numbers.blocks_free == 10);
}

TEST_CASE("pool space: refreservation of a volume is its size and its indirect blocks at their worst") {
  // 1 GiB in 16 KiB blocks: 65536 blocks, 64 + 1 indirect ones, 7 more, two copies of 128 KiB each.
  CHECK(volume_refreservation(kGiB, 16 * kKiB, 1, {}) == kGiB + (64 + 1 + 7) * 2 * 128 * kKiB);
  // Two copies of the data, three of the metadata.
  CHECK(volume_refreservation(kGiB, 16 * kKiB, 2, {}) == 2 * kGiB + (64 + 1 + 7) * 3 * 128 * kKiB);
  CHECK(volume_refreservation(kGiB, 16 * kKiB, 3, {}) == 3 * kGiB + (64 + 1 + 7) * 3 * 128 * kKiB);
  // raidz1 of 3, 4 KiB sectors: 8 KiB blocks take 4 sectors where 128 KiB take 48: 4/3 of what is stored.
  const VdevGeometry raidz = *VdevGeometry::parse("raidz1:3", 12);
  CHECK(volume_refreservation(kGiB, 8 * kKiB, 1, raidz) == kGiB * 4 * 16 / 48 + (128 + 1 + 7) * 2 * 128 * kKiB);
}
