// Blocks, groups, faults, flipped bits and a full file.
#include "pool/block_store.hpp"

#include "pool/image_file.hpp"
#include "pool/model.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

// A committed store with a tree of some hundred keys; all is in image.
Model fill(Image& image, unsigned ashift) {
  auto store = BlockStore::create(std::make_unique<ImageFile>(image), small_store(ashift));
  REQUIRE(store);
  Btree tree(**store, {});
  Model model;
  Random random(3);
  for (int i = 0; i < 400; ++i) REQUIRE(change_both(tree, model, random, 300, 200, 10));
  auto root = tree.write();
  REQUIRE(root);
  REQUIRE((*store)->commit(*root));
  return model;
}

std::vector<BlockPointer> blocks_of(Image& image) {
  auto store = BlockStore::open(std::make_unique<ImageFile>(image));
  REQUIRE(store);
  Btree tree(**store, (*store)->superblock().root);
  std::vector<BlockPointer> blocks;
  REQUIRE(tree.walk(0, [&](const BlockPointer& pointer) {
    blocks.push_back(pointer);
    return ok();
  }));
  return blocks;
}

// Flips one bit, reads everything. Returns how many copies were healed; nothing when what was read is wrong.
std::optional<std::uint64_t> read_with_flip(Image& image, const Model& model, std::uint64_t bit) {
  Undo undo;
  const std::byte flipped = image[bit / 8] ^ static_cast<std::byte>(1U << (bit % 8));
  overwrite(image, bit / 8, {&flipped, 1}, &undo);
  std::optional<std::uint64_t> healed;
  {
    auto store = BlockStore::open(std::make_unique<ImageFile>(image, &undo));
    if (store && check_store(**store, model)) healed = (*store)->healed();
  }
  put_back(image, undo);
  return healed;
}

}  // namespace

TEST_CASE("pool store: the checksum is the published XXH3-128") {
  // xxHash, doc/xxhash_spec.md and its sanity tests: of no bytes, with seed 0.
  const BlockChecksum empty = block_checksum({});
  const unsigned char published[16] = {0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
                                       0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f};
  CHECK(std::memcmp(empty.data(), published, 16) == 0);
}

TEST_CASE("pool store: a flipped bit in any first copy is healed from the second, in second copies it does no harm") {
  Image image;
  const Model model = fill(image, 9);
  Random random(5);
  const auto blocks = blocks_of(image);
  REQUIRE(blocks.size() > 3);
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const BlockPointer& block = blocks[random.below(blocks.size())];
    const std::size_t copy = random.below(2);
    const auto healed = read_with_flip(
        image, model, block.copy(static_cast<unsigned>(copy))[0].address * 512 * 8 + random.below(block.psize * 8));
    if (!healed || (copy == 0 && *healed == 0)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("pool store: a flipped bit in the live superblock or in the first copy of the table is healed") {
  Image image;
  const Model model = fill(image, 12);
  auto store = BlockStore::open(std::make_unique<ImageFile>(image));
  REQUIRE(store);
  const Superblock live = (*store)->superblock();
  Random random(6);
  const std::uint64_t slot = live.txg % 64 * 4096;
  int wrong = 0;
  for (int i = 0; i < 600; ++i) {
    const std::uint64_t starts[] = {slot, image.size() - 256 * 1024 + slot,
                                    live.geometry.table_offset(live.table_side, 0)};
    const std::uint64_t bit = starts[i % 3] * 8 + random.below((i % 3 == 2 ? 32 : 4096) * 8);
    const auto healed = read_with_flip(image, model, bit);
    if (!healed || *healed == 0) ++wrong;
  }
  CHECK(wrong == 0);
  // Both places of a superblock that is not the newest one do not matter.
  CHECK(read_with_flip(image, model, (live.txg - 1) % 64 * 4096 * 8) == 0U);
}

TEST_CASE("pool store: an I/O error anywhere reaches the caller and leaves the last group") {
  Image image;
  const Model model = fill(image, 10);
  int wrong = 0, failed = 0;
  for (std::uint64_t at = 0; at < 90; ++at) {
    Undo undo;
    FaultPlan plan;
    (at % 3 == 0 ? plan.failing_read : at % 3 == 1 ? plan.failing_write : plan.failing_flush) = at / 3;
    plan.torn_bytes = 512;
    bool committed = false;
    auto store = BlockStore::open(make_faulty_file(std::make_unique<ImageFile>(image, &undo), plan));
    Model changed = model;
    if (store) {
      Btree tree(**store, (*store)->superblock().root);
      Random random(at);
      bool good = true;
      for (int i = 0; i < 100 && good; ++i) {
        Model next = changed;
        good = change_both(tree, next, random, 300, 200, 40).has_value();
        if (good) changed = std::move(next);
      }
      auto root = tree.write();
      committed = good && root && (*store)->commit(*root);
      if (!committed && plan.failing_write != FaultPlan::kNever && (*store)->commit({})) ++wrong;
    }
    if (!committed) ++failed;
    store = BlockStore::open(std::make_unique<ImageFile>(image, &undo));
    // A failed commit may have come through or not; one that returned has.
    const bool old = store && check_store(**store, model), fresh = store && check_store(**store, changed);
    if (committed ? !fresh : !old && !fresh) ++wrong;
    put_back(image, undo);
  }
  CHECK(wrong == 0);
  CHECK(failed > 20);
}

TEST_CASE("pool store: a full pool refuses data, keeps what it has and comes back") {
  for (const unsigned ashift : {9U, 12U, 16U}) {
    CAPTURE(ashift);
    Image image;
    auto store = BlockStore::create(std::make_unique<ImageFile>(image), small_store(ashift));
    REQUIRE(store);
    const std::uint64_t empty = (*store)->free_sectors();
    BlockPointer shape;
    shape.kind = BlockKind::data;
    shape.lsize = 128 * 1024;
    std::vector<BlockPointer> blocks;
    std::vector<std::byte> bytes(shape.lsize);
    std::optional<Error> refused;
    while (!refused) {
      store_le(bytes.data(), static_cast<std::uint64_t>(blocks.size()));
      auto pointer = (*store)->write(shape, bytes, 1);
      if (pointer) blocks.push_back(*pointer);
      if (!pointer) refused = pointer.error();
    }
    CHECK(refused->kind == ErrorKind::no_space);
    // All but the slop, 1/32 and at least 1 MiB.
    const std::uint64_t slop = std::max(empty / 32, kMiB >> ashift);
    CHECK(blocks.size() == (empty - slop) / (shape.lsize >> ashift));
    Btree tree(**store, {});
    for (std::uint64_t i = 0; i < blocks.size(); ++i) {
      std::string value(BlockPointer::kBytes, '\0');
      blocks[i].encode({reinterpret_cast<std::byte*>(value.data()), value.size()});
      REQUIRE(tree.put(std::to_string(i), value));
    }
    auto root = tree.write();
    REQUIRE(root);
    REQUIRE((*store)->commit(*root));
    store = BlockStore::open(std::make_unique<ImageFile>(image));
    REQUIRE(store);
    bool same = true;
    for (std::uint64_t i = 0; i < blocks.size(); ++i) {
      auto got = (*store)->read(blocks[i]);
      same = same && got && load_le<std::uint64_t>(got->data()) == i;
      (*store)->release(blocks[i]);
    }
    CHECK(same);
    // Not before the group is committed: a cut would bring the blocks back.
    CHECK((*store)->write(shape, bytes, 1).has_value() == false);
    Btree again(**store, (*store)->superblock().root);
    for (std::uint64_t i = 0; i < blocks.size(); ++i) REQUIRE(again.erase(std::to_string(i)));
    root = again.write();
    REQUIRE(root);
    REQUIRE((*store)->commit(*root));
    CHECK((*store)->free_sectors() == empty);
    CHECK((*store)->write(shape, bytes, 1));
  }
}

TEST_CASE("pool store: an unknown version is refused by number, an unknown feature by name or read only") {
  Image image;
  const Model model = fill(image, 12);
  const auto open_with = [&](auto change) {
    auto found = find_superblock(*std::make_unique<ImageFile>(image));
    REQUIRE(found);
    Superblock superblock = found->superblock;
    change(superblock);
    superblock.txg += 1;
    Image other = image;
    ImageFile file(other);
    REQUIRE(write_superblock(file, superblock));
    auto store = BlockStore::open(std::make_unique<ImageFile>(other));
    if (!store) return store.error().message;
    if (Status read = check_store(**store, model); !read) return read.error().message;
    Status written = (*store)->commit((*store)->superblock().root);
    return written ? std::string("writable") : written.error().message;
  };
  CHECK(open_with([](Superblock& s) { s.compatible = {"later_hint"}; }) == "writable");
  CHECK(open_with([](Superblock& s) { s.read_only_compatible = {"later_map"}; }).find("later_map") !=
        std::string::npos);
  CHECK(open_with([](Superblock& s) { s.incompatible = {"later_tree"}; }).find("later_tree") != std::string::npos);
  Image nothing(8 * kMiB);
  auto store = BlockStore::open(std::make_unique<ImageFile>(nothing));
  REQUIRE_FALSE(store);
  CHECK(store.error().kind == ErrorKind::corrupt);
}

TEST_CASE("pool store: geometries that do not fit are refused, and the same operations give the same file") {
  for (const PoolGeometry& bad : {PoolGeometry{.size = 4 * kMiB}, PoolGeometry{.size = 8 * kMiB + 512},
                                  PoolGeometry{.size = 16 * kMiB, .ashift = 17},
                                  PoolGeometry{.size = 16 * kMiB, .ashift = 12, .region_bytes = 3 * kMiB}}) {
    auto store = BlockStore::create(make_memory_file(), {.geometry = bad});
    REQUIRE_FALSE(store);
    CHECK(store.error().kind == ErrorKind::usage);
  }
  Image one, other;
  fill(one, 12);
  fill(other, 12);
  CHECK(one == other);
}
