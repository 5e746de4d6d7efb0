#include "blkpress/estimate.hpp"

#include <algorithm>
#include <thread>

#include "blkpress/ordered_pool.hpp"
#include "estimate/cell.hpp"
#include "estimate/reader.hpp"

namespace blkpress {
namespace {

// Large enough that handing a batch over costs nothing beside compressing it, small enough to stay in the caches.
constexpr std::size_t kBatchBytes = kMiB;

// Batches that wait or are worked on, beyond one for each thread.
constexpr std::size_t kBatchesAhead = 2;

Result<std::vector<std::unique_ptr<Cell>>> make_cells(const EstimateOptions& options, unsigned threads) {
  if (options.cells.empty()) return Error{ErrorKind::usage, "estimate: nothing to estimate: no cell given"};
  std::vector<std::unique_ptr<Cell>> cells;
  for (const EstimateCell& question : options.cells) {
    auto cell = Cell::make(question, threads);
    if (!cell) return cell.error();
    cells.push_back(std::move(*cell));
  }
  return cells;
}

// Every record of every cell must lie in a batch whole.
std::size_t batch_capacity(const std::vector<std::unique_ptr<Cell>>& cells) {
  std::size_t capacity = kBatchBytes;
  for (const auto& cell : cells) {
    const std::size_t unit = cell->policy().max_unit_bytes();
    capacity = std::max(capacity, unit);
    BLKPRESS_ASSERT(capacity % unit == 0);
  }
  return capacity;
}

// Keeps the buffers of batches for reuse; the caller's thread only.
class BatchStore {
 public:
  explicit BatchStore(std::size_t capacity) : capacity_(capacity) {}
  std::shared_ptr<Batch> take() {
    if (free_.empty()) return std::make_shared<Batch>(capacity_);
    auto batch = std::move(free_.back());
    free_.pop_back();
    batch->clear();
    return batch;
  }
  void give_back(std::shared_ptr<Batch> batch) { free_.push_back(std::move(batch)); }

 private:
  std::size_t capacity_;
  std::vector<std::shared_ptr<Batch>> free_;
};

void submit(OrderedPool& pool, BatchStore& store, Cell& cell, const std::shared_ptr<Batch>& batch, bool last_cell) {
  auto findings = std::make_shared<Cell::Findings>();
  pool.submit([&cell, batch, findings](unsigned worker) { *findings = cell.decide(*batch, worker); },
              [&cell, &store, batch, findings, last_cell] {
                cell.account(*batch, *findings);
                if (last_cell) store.give_back(batch);
              });
}

void read_all(FileTree& tree, Reader& reader, const OrderedPool& pool) {
  while (!pool.failed()) {
    auto file = tree.next();
    if (!file) {
      reader.add_problem(file.error());
    } else if (!file->has_value()) {
      return reader.finish();
    } else {
      reader.read(**file);
    }
  }
}

}  // namespace

Result<EstimateResult> estimate(const EstimateOptions& options) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  // More than a few threads a core only hold more memory: each has a codec context and a batch for every cell.
  const unsigned threads = options.threads > 0 ? std::min(options.threads, 4 * cores) : cores;
  auto cells = make_cells(options, threads);
  if (!cells) return cells.error();
  auto tree = FileTree::open(options.paths, options.tree);
  if (!tree) return tree.error();

  EstimateResult result;
  const std::size_t capacity = batch_capacity(*cells);
  BatchStore store(capacity);
  {
    OrderedPool pool(threads, cells->size() * (threads + kBatchesAhead));
    Reader reader(
        options, result, capacity, [&store] { return store.take(); },
        [&](std::shared_ptr<Batch> batch) {
          for (auto& cell : *cells) submit(pool, store, *cell, batch, cell == cells->back());
        });
    read_all(*tree, reader, pool);
    BLKPRESS_TRY(pool.drain());
  }
  result.skips = tree->skips();
  for (const auto& cell : *cells) result.cells.push_back(cell->result());
  return result;
}

}  // namespace blkpress
