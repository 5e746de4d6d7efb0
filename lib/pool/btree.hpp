// Btree: a sorted map of byte strings in a BlockStore, copied on write.
//
// Changed nodes stay in memory until write(), which writes each of them once, from the leaves up, and gives the pointer
// to find the tree by. Nodes that were read stay cached, up to a limit. No function recurses deeper than the tree is
// high. Threads: one at a time.
#pragma once

#include <functional>
#include <optional>

#include "pool/block_store.hpp"
#include "pool/btree_node.hpp"

namespace blkpress {

class Btree {
 public:
  // What becomes of a node's block that the tree no longer needs, and of one that it has written.
  using Release = std::function<void(const BlockPointer&)>;
  using Born = std::function<void(const BlockPointer&)>;

  // store outlives the tree. root: what write() gave; a hole: an empty tree. release: by default the store's.
  Btree(BlockStore& store, const BlockPointer& root, Release release = {}, Born born = {},
        std::size_t nodes_kept = 1024);

  // nullopt: no such key. Errors of all: corrupt; io. The tree is then as it was before.
  Result<std::optional<std::string>> get(std::string_view key);
  // Adds or replaces. Key up to BtreeNode::kKeyMax, value up to kValueMax bytes.
  Status put(std::string_view key, std::string_view value);
  // The same, and what there was before.
  Result<std::optional<std::string>> exchange(std::string_view key, std::string_view value);
  // Whether there was such a key.
  Result<bool> erase(std::string_view key);
  // Keys in [begin, end), in order, until visit returns false; end empty: to the last. visit may not change the tree.
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;
  Status scan(std::string_view begin, std::string_view end, const Visit& visit);
  // The blocks of all nodes that were born after a group, each before those below it, and what their leaves hold; the
  // tree has no changes. Nodes below an older one are older too. Also checks that nodes lie where their keys belong.
  // Errors: also check_failed; those of the visits.
  using VisitNode = std::function<Status(const BlockPointer&)>;
  using VisitEntry = std::function<Status(std::string_view key, std::string_view value)>;
  Status walk(std::uint64_t since, const VisitNode& visit_node, const VisitEntry& visit_entry = {});

  // Writes what has changed. Errors: no_space, what is written stays written, and it may be called again; io.
  Result<BlockPointer> write();

  [[nodiscard]] std::size_t dirty_nodes() const { return dirty_; }
  [[nodiscard]] std::size_t nodes_in_memory() const { return in_memory_; }

 private:
  using Node = BtreeNode;
  struct Step {
    Node* node;
    std::size_t at;  // of the child that comes next
  };

  Result<std::unique_ptr<Node>> read_node(const BlockPointer& pointer, std::optional<unsigned> level);
  Status load_root();
  Result<Node*> load_child(Node& node, std::size_t at);
  // From the root to the leaf that key belongs to; empty when the tree is.
  Result<std::vector<Step>> descend(std::string_view key);
  void make_dirty(std::vector<Step>& path);
  void split_upwards(std::vector<Step>& path);
  void shrink_upwards(std::vector<Step>& path);
  bool merge_neighbours(Node& parent, std::size_t left);
  void make_child_dirty(Node& parent, std::size_t at);
  void forget_if_many();
  std::size_t forget_clean(Node& node);
  Status write_below(Node& node);
  struct Walk {
    std::uint64_t since;
    const VisitNode& visit_node;
    const VisitEntry& visit_entry;
  };
  Status walk_below(const BlockPointer& pointer, std::optional<unsigned> level, std::string_view from,
                    std::string_view to, const Walk& walk);
  Result<BlockPointer> write_node(Node& node);

  BlockStore& store_;
  BlockPointer root_pointer_;
  Release release_;
  Born born_;
  std::unique_ptr<Node> root_;  // null: not read, or the tree is empty
  std::size_t nodes_kept_, forget_at_;
  std::size_t dirty_ = 0, in_memory_ = 0;
};

}  // namespace blkpress
