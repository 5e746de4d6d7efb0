// The tree against a std::map, across groups and reopening.
#include "pool/btree.hpp"

#include "pool/image_file.hpp"
#include "pool/model.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

std::string why(const Status& status) { return status ? "" : status.error().message; }

// One random life of a tree: groups of changes, reopened now and then. Returns what went wrong, or nothing.
std::string live(std::uint64_t seed) {
  Random random(seed);
  Image image;
  const unsigned ashift = 9 + static_cast<unsigned>(random.below(4));
  auto store = BlockStore::create(std::make_unique<ImageFile>(image), small_store(ashift));
  if (!store) return store.error().message;
  Model model;
  const std::uint64_t keys = 1 + random.below(1200);
  const std::size_t value_max = random.below(2) == 0 ? 40 : BtreeNode::kValueMax / 2;
  for (int reopening = 0; reopening < 4; ++reopening) {
    Btree tree(**store, (*store)->superblock().root, {}, {}, 1 + random.below(40));
    const unsigned erase_percent = 20 + 30 * static_cast<unsigned>(random.below(3));
    for (std::uint64_t group = random.below(4); group < 5; ++group) {
      for (std::uint64_t i = random.below(400); i > 0; --i) {
        if (Status done = change_both(tree, model, random, keys, value_max, erase_percent); !done) return why(done);
      }
      if (Status same = compare(tree, model); !same) return why(same);
      auto root = tree.write();
      if (!root) return root.error().message;
      if (Status done = (*store)->commit(*root); !done) return why(done);
      if (Status clean = check_space(**store, tree); !clean) return why(clean);
    }
    store = BlockStore::open(std::make_unique<ImageFile>(image));
    if (!store) return store.error().message;
    if (Status clean = check_store(**store, model); !clean) return why(clean);
  }
  // Erasing everything gives every sector back.
  Btree tree(**store, (*store)->superblock().root);
  for (const auto& [key, value] : model) {
    auto erased = tree.erase(key);
    if (!erased || !*erased) return "a key of the model cannot be erased";
  }
  auto root = tree.write();
  if (!root || !root->is_hole()) return "an empty tree has a root";
  if (Status done = (*store)->commit(*root); !done) return why(done);
  return (*store)->free_sectors() == (*store)->total_sectors() ? "" : "sectors are lost";
}

}  // namespace

TEST_CASE("pool tree: behaves as a sorted map in random lives across reopening") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const std::string wrong = live(seed);
    CHECK(wrong == "");
  }
}

TEST_CASE("pool tree: behaves as a sorted map in 10,000 random lives", "[.long]") {
  for (std::uint64_t seed = 1000; seed < 11000; ++seed) {
    CAPTURE(seed);
    const std::string wrong = live(seed);
    CHECK(wrong == "");
  }
}

TEST_CASE("pool tree: get finds what is there, scan keeps to its range, memory to its limit") {
  Image image;
  auto store = BlockStore::create(std::make_unique<ImageFile>(image), small_store(12));
  REQUIRE(store);
  constexpr std::size_t kKept = 8;
  Btree tree(**store, {}, {}, {}, kKept);
  const auto key_of = [](unsigned i) { return std::to_string(100000 + i); };
  for (unsigned i = 0; i < 20000; i += 2) (void)tree.put(key_of(i), std::to_string(i));
  auto root = tree.write();
  REQUIRE(root);
  REQUIRE((*store)->commit(*root));
  bool all = true;
  std::size_t most = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    auto found = tree.get(key_of(i));
    all = all && found && found->has_value() == (i % 2 == 0) && (i % 2 == 1 || **found == std::to_string(i));
    most = std::max(most, tree.nodes_in_memory());
  }
  CHECK(all);
  CHECK(most <= kKept + BtreeNode::kLevelMax);
  unsigned expected = 5000;
  bool in_order = true;
  REQUIRE(tree.scan(key_of(4999), key_of(7001), [&](std::string_view key, std::string_view) {
    in_order = in_order && key == key_of(expected);
    expected += 2;
    return true;
  }));
  CHECK(in_order);
  CHECK(expected == 7002);
}
