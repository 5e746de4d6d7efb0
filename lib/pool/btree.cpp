#include "pool/btree.hpp"

#include <algorithm>

namespace blkpress {
namespace {

// Nodes below this are merged with a neighbour when both together leave room for more.
constexpr std::size_t kSparseBytes = BtreeNode::kBytes / 4;
constexpr std::size_t kMergedBytesMax = BtreeNode::kBytes / 4 * 3;

}  // namespace

Btree::Btree(BlockStore& store, const BlockPointer& root, Release release, Born born, std::size_t nodes_kept)
    : store_(store),
      root_pointer_(root),
      release_(std::move(release)),
      born_(std::move(born)),
      nodes_kept_(std::max<std::size_t>(nodes_kept, 1)),
      forget_at_(nodes_kept_) {
  if (!release_) release_ = [this](const BlockPointer& pointer) { store_.release(pointer); };
}

Result<std::unique_ptr<BtreeNode>> Btree::read_node(const BlockPointer& pointer, std::optional<unsigned> level) {
  Result<std::vector<std::byte>> bytes = store_.read_metadata(pointer);
  if (!bytes) return bytes.error();
  auto node = Node::decode(*bytes);
  // Levels go down by one, so that damage cannot make a circle.
  if (node && level && (*node)->level != *level) return Error{ErrorKind::corrupt, "tree node: of another level"};
  return node;
}

Status Btree::load_root() {
  if (root_ || root_pointer_.is_hole()) return ok();
  auto node = read_node(root_pointer_, std::nullopt);
  if (!node) return node.error();
  root_ = std::move(*node);
  ++in_memory_;
  return ok();
}

Result<BtreeNode*> Btree::load_child(Node& node, std::size_t at) {
  Node::Entry& entry = node.entries[at];
  if (!entry.child) {
    auto child = read_node(entry.pointer, node.level - 1);
    if (!child) return child.error();
    entry.child = std::move(*child);
    ++in_memory_;
  }
  return entry.child.get();
}

Result<std::vector<Btree::Step>> Btree::descend(std::string_view key) {
  forget_if_many();
  BLKPRESS_TRY(load_root());
  std::vector<Step> path;
  Node* node = root_.get();
  while (node != nullptr && node->level > 0) {
    path.push_back({node, node->child_of(key)});
    Result<Node*> child = load_child(*node, path.back().at);
    if (!child) return child.error();
    node = *child;
  }
  if (node != nullptr) path.push_back({node, node->lower_bound(key)});
  return path;
}

Result<std::optional<std::string>> Btree::get(std::string_view key) {
  auto path = descend(key);
  if (!path) return path.error();
  if (path->empty()) return std::optional<std::string>();
  const auto [leaf, at] = path->back();
  if (at == leaf->entries.size() || leaf->entries[at].key != key) return std::optional<std::string>();
  return std::optional(leaf->entries[at].value);
}

void Btree::make_child_dirty(Node& parent, std::size_t at) {
  Node::Entry& entry = parent.entries[at];
  if (entry.child->dirty) return;
  entry.child->dirty = true;
  ++dirty_;
  release_(entry.pointer);
  entry.pointer = {};
}

void Btree::make_dirty(std::vector<Step>& path) {
  if (!root_->dirty) {
    root_->dirty = true;
    ++dirty_;
    release_(root_pointer_);
    root_pointer_ = {};
  }
  for (std::size_t i = 0; i + 1 < path.size(); ++i) make_child_dirty(*path[i].node, path[i].at);
}

Status Btree::put(std::string_view key, std::string_view value) {
  const auto before = exchange(key, value);
  return before ? ok() : Status(before.error());
}

Result<std::optional<std::string>> Btree::exchange(std::string_view key, std::string_view value) {
  BLKPRESS_ASSERT(key.size() <= Node::kKeyMax && value.size() <= Node::kValueMax);
  auto path = descend(key);
  if (!path) return path.error();
  if (path->empty()) {
    root_ = std::make_unique<Node>();
    ++in_memory_;
    ++dirty_;
    path->push_back({root_.get(), 0});
  }
  make_dirty(*path);
  const auto [leaf, at] = path->back();
  std::optional<std::string> before;
  if (at < leaf->entries.size() && leaf->entries[at].key == key) {
    before = std::move(leaf->entries[at].value);
    leaf->entries[at].value.clear();
    leaf->bytes -= before->size();
    leaf->erase(at);
  }
  Node::Entry entry;
  entry.key = key;
  entry.value = value;
  leaf->insert(at, std::move(entry));
  if (leaf->bytes > Node::kBytes) {
    split_upwards(*path);
  } else {
    shrink_upwards(*path);  // a replaced value may be shorter than the one before
  }
  return before;
}

void Btree::split_upwards(std::vector<Step>& path) {
  for (std::size_t i = path.size(); i-- > 0;) {
    Node* node = path[i].node;
    if (node->bytes <= Node::kBytes) return;
    if (i == 0) {
      auto root = std::make_unique<Node>();
      root->level = node->level + 1;
      BLKPRESS_ASSERT(root->level <= Node::kLevelMax);
      Node::Entry entry;
      entry.child = std::move(root_);
      root->insert(0, std::move(entry));
      root_ = std::move(root);
      ++in_memory_;
      ++dirty_;
      path.insert(path.begin(), {root_.get(), 0});
      i = 1;
    }
    // Entries are short against a node, so both halves fit.
    const auto [parent, at] = path[i - 1];
    Node::Entry entry;
    entry.child = node->split();
    entry.key = entry.child->entries.front().key;
    ++in_memory_;
    ++dirty_;
    parent->insert(at + 1, std::move(entry));
  }
}

Result<bool> Btree::erase(std::string_view key) {
  auto path = descend(key);
  if (!path) return path.error();
  if (path->empty()) return false;
  const auto [leaf, at] = path->back();
  if (at == leaf->entries.size() || leaf->entries[at].key != key) return false;
  make_dirty(*path);
  leaf->erase(at);
  shrink_upwards(*path);
  return true;
}

// The left one of two neighbours takes over the other one's entries, if both are small. Reading may fail: then they
// stay as they are, which is only less dense.
bool Btree::merge_neighbours(Node& parent, std::size_t left) {
  Result<Node*> one = load_child(parent, left), other = load_child(parent, left + 1);
  if (!one || !other || (*one)->bytes + (*other)->bytes > kMergedBytesMax) return false;
  make_child_dirty(parent, left);
  make_child_dirty(parent, left + 1);
  // Below the first key of an inner node there may be smaller ones, down to what its parent says.
  if ((*other)->level > 0) (*other)->rename_first(parent.entries[left + 1].key);
  (*one)->append(**other);
  parent.erase(left + 1);
  --in_memory_;
  --dirty_;
  return true;
}

void Btree::shrink_upwards(std::vector<Step>& path) {
  for (std::size_t i = path.size(); i-- > 1;) {
    Node& node = *path[i].node;
    auto [parent, at] = path[i - 1];
    if (parent->entries[at].child.get() != &node || node.bytes >= kSparseBytes) return;
    if (node.entries.empty()) {
      parent->erase(at);
      --in_memory_;
      --dirty_;
      continue;
    }
    if (at + 1 < parent->entries.size() && merge_neighbours(*parent, at)) continue;
    if (at > 0) merge_neighbours(*parent, at - 1);
  }
  while (root_->level > 0 && root_->entries.size() == 1) {
    Result<Node*> only = load_child(*root_, 0);
    if (!only) return;
    make_child_dirty(*root_, 0);
    std::unique_ptr<Node> child = std::move(root_->entries[0].child);
    root_ = std::move(child);
    --in_memory_;
    --dirty_;
  }
  if (root_->entries.empty()) {
    root_.reset();
    --in_memory_;
    --dirty_;
  }
}

Status Btree::scan(std::string_view begin, std::string_view end, const Visit& visit) {
  std::string from(begin);
  while (true) {
    auto path = descend(from);
    if (!path) return path.error();
    if (path->empty()) return ok();
    const auto [leaf, first] = path->back();
    for (std::size_t at = first; at < leaf->entries.size(); ++at) {
      const Node::Entry& entry = leaf->entries[at];
      if ((!end.empty() && entry.key >= end) || !visit(entry.key, entry.value)) return ok();
    }
    // The next leaf begins at the nearest separator to the right.
    path->pop_back();
    while (!path->empty() && path->back().at + 1 == path->back().node->entries.size()) path->pop_back();
    if (path->empty()) return ok();
    from = path->back().node->entries[path->back().at + 1].key;
  }
}

void Btree::forget_if_many() {
  if (in_memory_ <= forget_at_ || !root_) return;
  if (root_->dirty) {
    in_memory_ = 1 + forget_clean(*root_);
  } else {
    root_.reset();
    in_memory_ = 0;
  }
  // When most of them are dirty, looking again soon would be in vain.
  forget_at_ = std::max(nodes_kept_, 2 * in_memory_);
}

// Below a clean node everything is clean. Returns how many nodes below stay.
std::size_t Btree::forget_clean(Node& node) {
  std::size_t stay = 0;
  for (Node::Entry& entry : node.entries) {
    if (!entry.child) continue;
    if (entry.child->dirty) {
      stay += 1 + forget_clean(*entry.child);
    } else {
      entry.child.reset();
    }
  }
  return stay;
}

Result<BlockPointer> Btree::write_node(Node& node) {
  Result<BlockPointer> pointer = store_.write_metadata(node.encode());
  if (!pointer) return pointer;
  node.dirty = false;
  --dirty_;
  if (born_) born_(*pointer);
  return pointer;
}

Status Btree::write_below(Node& node) {
  for (Node::Entry& entry : node.entries) {
    if (!entry.child || !entry.child->dirty) continue;
    BLKPRESS_TRY(write_below(*entry.child));
    Result<BlockPointer> pointer = write_node(*entry.child);
    if (!pointer) return pointer.error();
    entry.pointer = *pointer;
  }
  return ok();
}

Result<BlockPointer> Btree::write() {
  if (root_ && root_->dirty) {
    BLKPRESS_TRY(write_below(*root_));
    Result<BlockPointer> pointer = write_node(*root_);
    if (!pointer) return pointer.error();
    root_pointer_ = *pointer;
  }
  forget_at_ = nodes_kept_;
  return root_pointer_;
}

Status Btree::walk_below(const BlockPointer& pointer, std::optional<unsigned> level, std::string_view from,
                         std::string_view to, const Walk& walk) {
  if (pointer.birth <= walk.since) return ok();
  auto node = read_node(pointer, level);
  if (!node) return node.error();
  BLKPRESS_TRY(walk.visit_node(pointer));
  const auto& entries = (*node)->entries;
  // The first child's key may stand below what the parent says when smaller keys have gone; never the other way.
  const bool first_in = (*node)->level > 0 || entries.front().key >= from;
  if (!first_in || (!to.empty() && entries.back().key >= to)) {
    return Error{ErrorKind::check_failed, "tree node: keys outside of what its parent says"};
  }
  if ((*node)->level == 0) {
    for (const Node::Entry& entry : entries) {
      if (walk.visit_entry) BLKPRESS_TRY(walk.visit_entry(entry.key, entry.value));
    }
    return ok();
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string_view low = i == 0 ? from : std::string_view(entries[i].key);
    const std::string_view high = i + 1 < entries.size() ? std::string_view(entries[i + 1].key) : to;
    BLKPRESS_TRY(walk_below(entries[i].pointer, (*node)->level - 1, low, high, walk));
  }
  return ok();
}

Status Btree::walk(std::uint64_t since, const VisitNode& visit_node, const VisitEntry& visit_entry) {
  BLKPRESS_ASSERT(dirty_ == 0);
  if (root_pointer_.is_hole()) return ok();
  return walk_below(root_pointer_, std::nullopt, {}, {}, {since, visit_node, visit_entry});
}

}  // namespace blkpress
