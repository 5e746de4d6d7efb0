// OrderedPool: work on several threads, results in the order in which the work was submitted.
//
// What comes out does not depend on the number of threads or on which of them was faster. Memory is bounded: only so
// many pieces of work are under way at once. When memory runs out in a piece of work, that piece and those behind it
// are dropped and drain() says so. Threads: one thread submits; done callbacks run in that thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "blkpress/result.hpp"

namespace blkpress {

class OrderedPool {
 public:
  // worker: 0 to threads - 1, never in use by two pieces of work at once; an index for the caller's scratch memory.
  using Work = std::function<void(unsigned worker)>;
  using Done = std::function<void()>;

  // threads >= 1; fewer are used when the system does not give so many, at worst the caller's own. under_way_max >= 1:
  // submit() waits while so many pieces are under way.
  OrderedPool(unsigned threads, std::size_t under_way_max);
  // Drops what drain() has not waited for.
  ~OrderedPool();
  OrderedPool(const OrderedPool&) = delete;
  OrderedPool& operator=(const OrderedPool&) = delete;

  // Queues work. The done callbacks of finished work, this piece's or earlier ones', run from here or from drain(), in
  // the order of submission. Neither callback may throw (but work may std::bad_alloc) or call the pool.
  void submit(Work work, Done done);
  // Returns when all work and all done callbacks have run. Errors: io, memory ran out and not all of it has.
  Status drain();
  // Memory ran out: what is submitted from now on is dropped.
  [[nodiscard]] bool failed() const;
  // Those that the system gave.
  [[nodiscard]] unsigned threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace blkpress
