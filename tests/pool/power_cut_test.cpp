// A power cut at every change of the file: unflushed writes are lost in every combination, and torn at 512 bytes.
#include <set>

#include "pool/image_file.hpp"
#include "pool/model.hpp"
#include "pool/power_cut.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

struct Life {
  Image begin;  // right after the store was made
  std::shared_ptr<std::vector<FileChange>> log = std::make_shared<std::vector<FileChange>>();
  std::vector<Model> models;                   // by group
  std::vector<std::size_t> committed_at = {};  // by group: changes in the log when commit() returned
  std::uint64_t first_txg = 0;
};

Life record_life(std::uint64_t seed, unsigned groups) {
  Life life;
  Image image;
  REQUIRE(BlockStore::create(std::make_unique<ImageFile>(image), small_store(9 + seed % 4)));
  life.begin = image;
  auto store = BlockStore::open(make_recording_file(std::make_unique<ImageFile>(image), life.log));
  REQUIRE(store);
  life.first_txg = (*store)->superblock().txg;
  Random random(seed);
  Model model;
  Btree tree(**store, {});
  life.models = {model};
  life.committed_at = {0};
  for (unsigned group = 0; group < groups; ++group) {
    for (std::uint64_t i = 1 + random.below(40); i > 0; --i) {
      REQUIRE(change_both(tree, model, random, 150, 300, 30));
    }
    auto root = tree.write();
    REQUIRE(root);
    REQUIRE((*store)->commit(*root));
    life.models.push_back(model);
    life.committed_at.push_back(life.log->size());
  }
  return life;
}

// Opens what a cut has left. flushed: the newest group whose commit had returned. Returns what is wrong, or nothing.
std::string reopen(const Life& life, Image& image, std::size_t flushed, bool go_on, Undo& undo) {
  auto store = BlockStore::open(std::make_unique<ImageFile>(image, &undo));
  if (!store) return store.error().message;
  const std::uint64_t group = (*store)->superblock().txg - life.first_txg;
  if (group < flushed || group > flushed + 1 || group >= life.models.size()) return "opens another group";
  if (Status clean = check_store(**store, life.models[group]); !clean) return clean.error().message;
  if (!go_on) return "";
  // What is committed now must survive as well.
  Btree tree(**store, (*store)->superblock().root);
  Model model = life.models[group];
  model["after the cut"] = "it goes on";
  auto done = tree.put("after the cut", "it goes on");
  auto root = tree.write();
  if (!done || !root || !(*store)->commit(*root)) return "cannot be written to";
  store = BlockStore::open(std::make_unique<ImageFile>(image, &undo));
  if (!store) return store.error().message;
  Status clean = check_store(**store, model);
  return clean ? "" : clean.error().message;
}

// Returns at how many points the life was cut.
std::uint64_t cut_life(std::uint64_t seed, unsigned groups) {
  const Life life = record_life(seed, groups);
  std::size_t flushed = 0;
  return cut_everywhere(life.begin, *life.log, seed,
                        [&](Image& image, std::size_t cut, std::uint64_t number, Undo& undo) {
                          while (flushed + 1 < life.committed_at.size() && life.committed_at[flushed + 1] <= cut)
                            ++flushed;
                          return reopen(life, image, flushed, number % 8 == 0, undo);
                        });
}

}  // namespace

TEST_CASE("pool store: a power cut at any write leaves the last group or the one being committed") {
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) cuts += cut_life(seed, 12);
  INFO(cuts);
  CHECK(cuts >= 2000);
}

TEST_CASE("pool store: power cuts at 100,000 points", "[.long]") {
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 100; cuts < 100000; ++seed) cuts += cut_life(seed, 80);
  WARN(cuts << " cut points");
}
