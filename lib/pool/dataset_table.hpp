// DatasetTable: all datasets and snapshots of a pool, by id and by name, and the sums over their tree.
//
// Threads: under the pool's lock.
#pragma once

#include "pool/dataset.hpp"

namespace blkpress {

// Keys of the pool's tree. docs/format.md, "Trees".
inline constexpr char kDatasetKey = 'd', kSnapshotKey = 's', kPropertyKey = 'a', kDeadKey = 'x', kCodecKey = 'c';
inline constexpr std::string_view kPoolKey = "p";

inline constexpr std::size_t kDatasetPathMax = 255;
inline constexpr unsigned kDatasetDepthMax = 50;
// In memory they take about a kilobyte each.
inline constexpr std::size_t kDatasetsMax = 1'000'000;

// "db@monday": where the dataset ends. npos: no snapshot.
std::pair<std::string_view, std::string_view> split_snapshot(std::string_view name);
// "a/b/c": "a/b" and "c"; "c": "" and "c".
std::pair<std::string_view, std::string_view> split_path(std::string_view path);
// Whether a path, or a snapshot's name behind its @, is allowed. Errors: usage.
Status check_dataset_path(std::string_view path);
Status check_snapshot_name(std::string_view name);

class DatasetTable {
 public:
  // Errors: corrupt: what is there contradicts itself.
  Status load(Btree& pool_tree);

  // Null: none of that name or id.
  [[nodiscard]] Dataset* find(std::string_view path);
  [[nodiscard]] Snapshot* find_snapshot(std::string_view name);
  [[nodiscard]] Dataset* dataset(std::uint64_t id);
  [[nodiscard]] Snapshot* snapshot(std::uint64_t id);
  // Errors: usage: no such dataset or snapshot.
  [[nodiscard]] Result<Dataset*> need(std::string_view path);
  [[nodiscard]] Result<Snapshot*> need_snapshot(std::string_view name);
  [[nodiscard]] Dataset& root() { return *root_; }
  [[nodiscard]] std::string path_of(const Dataset& dataset) const;
  [[nodiscard]] std::string name_of(const Snapshot& snapshot);
  // The open tree of a dataset or snapshot. Null: no such id.
  [[nodiscard]] OpenTree* open_tree(std::uint64_t owner);

  // In the order of their ids.
  [[nodiscard]] const std::map<std::uint64_t, std::unique_ptr<Dataset>>& datasets() const { return datasets_; }
  [[nodiscard]] const std::map<std::uint64_t, std::unique_ptr<Snapshot>>& snapshots() const { return snapshots_; }
  // A dataset and all below it: parents first, then by name.
  [[nodiscard]] std::vector<Dataset*> below(Dataset& dataset);

  // Memory only; the caller changes the pool's tree. The parent of a dataset is in the table; the dataset of a snapshot
  // is, and the snapshot is its newest.
  Dataset& add(std::unique_ptr<Dataset> dataset);
  Snapshot& add(std::unique_ptr<Snapshot> snapshot);
  // A dataset without children and snapshots.
  void remove(Dataset& dataset);
  // It is no clone any more.
  void leave_origin(Dataset& dataset);
  void remove(Snapshot& snapshot);
  void move(Dataset& dataset, Dataset& parent, std::string_view name);

  // Works out `used` and `available` of all datasets. capacity: bytes that the root has for itself and all below.
  void roll_up(std::uint64_t capacity);
  // Some dataset has a quota or a reservation.
  [[nodiscard]] bool has_limits() const;
  // Allocated by all datasets and their snapshots, in bytes.
  [[nodiscard]] DatasetSpace space() const;

 private:
  Status link();
  std::uint64_t roll_up_used(Dataset& dataset);
  void roll_up_available(Dataset& dataset, std::uint64_t available);

  std::map<std::uint64_t, std::unique_ptr<Dataset>> datasets_;
  std::map<std::uint64_t, std::unique_ptr<Snapshot>> snapshots_;
  Dataset* root_ = nullptr;
};

}  // namespace blkpress
