// Processor: how threads share cores.
#include "blkpress/sim/processor.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace blkpress::sim;

namespace {

Task compute(Scheduler& scheduler, Processor& processor, Processor::Thread& thread, Duration burst, int bursts,
             Instant& end) {
  for (int i = 0; i < bursts; ++i) co_await processor.run(thread, burst);
  processor.block(thread);
  end = scheduler.now();
}

}  // namespace

TEST_CASE("processor: as many threads as cores do not wait for each other") {
  Scheduler scheduler;
  Processor processor(scheduler, 2, milliseconds(3));
  Processor::Thread threads[2];
  Instant ends[2];
  for (int i = 0; i < 2; ++i) scheduler.spawn(compute(scheduler, processor, threads[i], milliseconds(1), 10, ends[i]));
  scheduler.run();
  CHECK(ends[0] == Instant{} + milliseconds(10));
  CHECK(ends[1] == Instant{} + milliseconds(10));
  CHECK(threads[0].involuntary_switches == 0);
  CHECK(threads[0].voluntary_switches == 1);
}

TEST_CASE("processor: more threads than cores take turns of a time slice") {
  Scheduler scheduler;
  Processor processor(scheduler, 1, milliseconds(3));
  Processor::Thread threads[2];
  Instant ends[2];
  for (int i = 0; i < 2; ++i) scheduler.spawn(compute(scheduler, processor, threads[i], milliseconds(1), 6, ends[i]));
  scheduler.run();
  // 0-3 first, 3-6 second, 6-9 first, 9-12 second.
  CHECK(ends[0] == Instant{} + milliseconds(9));
  CHECK(ends[1] == Instant{} + milliseconds(12));
  CHECK(threads[0].cpu_time == milliseconds(6));
  CHECK(threads[0].involuntary_switches == 1 + 1);  // after 3 ms, and again when its last slice is used up
}

TEST_CASE("processor: an urgent thread gets the next core that an ordinary one's burst leaves, and keeps it") {
  Scheduler scheduler;
  Processor processor(scheduler, 1, milliseconds(100));
  Processor::Thread ordinary;
  Processor::Thread urgent;
  urgent.urgent = true;
  Instant ordinary_end;
  Instant urgent_end;
  scheduler.spawn(compute(scheduler, processor, ordinary, milliseconds(2), 5, ordinary_end));
  scheduler.spawn_at(Instant{} + milliseconds(1),
                     compute(scheduler, processor, urgent, milliseconds(50), 1, urgent_end));
  scheduler.run();
  CHECK(urgent_end == Instant{} + milliseconds(52));
  CHECK(ordinary_end == Instant{} + milliseconds(60));
}
