// What a tree must hold, kept in a std::map, and random changes to both.
#pragma once

#include <map>
#include <string>

#include "blkpress/random.hpp"
#include "pool/btree.hpp"

namespace blkpress::test {

using Model = std::map<std::string, std::string>;

inline std::string random_text(Random& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random.below(256));
  return text;
}

// Puts or erases one key of `keys` many; keys have up to 200 bytes, values up to value_max.
inline Status change_both(Btree& tree, Model& model, Random& random, std::uint64_t keys, std::size_t value_max,
                          unsigned erase_percent) {
  Random of_key(random.below(keys));
  const std::string key = random_text(of_key, 1 + of_key.below(200));
  if (random.below(100) < erase_percent) {
    const Result<bool> erased = tree.erase(key);
    if (!erased) return erased.error();
    if (*erased != (model.erase(key) > 0)) return Error{ErrorKind::check_failed, "erase() says otherwise"};
    return ok();
  }
  const std::string value = random_text(random, random.below(value_max + 1));
  model[key] = value;
  return tree.put(key, value);
}

// The tree holds what the model does, in the same order.
inline Status compare(Btree& tree, const Model& model) {
  auto at = model.begin();
  bool equal = true;
  BLKPRESS_TRY(tree.scan({}, {}, [&](std::string_view key, std::string_view value) {
    equal = at != model.end() && key == at->first && value == at->second;
    if (equal) ++at;
    return equal;
  }));
  if (!equal || at != model.end()) return Error{ErrorKind::check_failed, "tree and model differ"};
  return ok();
}

// Every block of the tree once in the bitmaps, and nothing else.
inline Status check_space(BlockStore& store, Btree& tree) {
  SpaceCheck check(store);
  BLKPRESS_TRY(tree.walk(0, [&check](const BlockPointer& pointer) { return check.add(pointer); }));
  return check.finish();
}

// Of a committed store.
inline Status check_store(BlockStore& store, const Model& model) {
  Btree tree(store, store.superblock().root);
  BLKPRESS_TRY(compare(tree, model));
  return check_space(store, tree);
}

}  // namespace blkpress::test
