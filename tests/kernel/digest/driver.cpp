// A small simulation that uses all of the kernel, and the arithmetic of the devices; prints its digest. compare.sh
// builds it with every compiler at hand.
#include <cstdio>

#include "blkpress/sim/digest.hpp"
#include "blkpress/sim/distribution.hpp"
#include "blkpress/sim/resource.hpp"
#include "blkpress/sim/scheduler.hpp"
#include "device/hdd_geometry.hpp"
#include "device/token_bucket.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

struct World {
  Scheduler scheduler{};
  Resource processor{scheduler, 2};
  Resource disk_queue{scheduler, 1};
  Condition space{scheduler};
  TokenBucket bucket{{.rate = 145e6, .size = 20e6, .initial = 0.25, .line = 1e9}};
  HddGeometry disk{{.capacity_bytes = 1e12,
                    .outer_bytes_per_second = 1.6e8,
                    .inner_bytes_per_second = 0.8e8,
                    .zones = 16,
                    .heads = 4,
                    .rotation = duration_of(60.0 / 7200),
                    .head_switch = microseconds(800),
                    .track_switch = microseconds(1000)}};
  SeekCurve seek{disk.cylinders(), microseconds(1000), microseconds(8500), microseconds(18000)};
  Random random{20220118};
  Digest digest;
  std::int64_t dirty = 0;
  std::uint64_t cylinder = 0;
};

Task write_back(World& world, std::uint64_t sector) {
  co_await world.disk_queue.acquire();
  const HddPosition target = world.disk.position(sector);
  const std::uint64_t distance =
      target.cylinder > world.cylinder ? target.cylinder - world.cylinder : world.cylinder - target.cylinder;
  world.cylinder = target.cylinder;
  co_await world.scheduler.sleep_for(world.seek.time(distance));
  co_await world.scheduler.sleep_for(world.disk.rotation_wait(target, world.scheduler.now()));
  co_await world.scheduler.sleep_for(world.disk.transfer(sector, 256));
  world.disk_queue.release();
  --world.dirty;
  world.space.notify_one();
  world.digest.add(static_cast<std::uint64_t>(world.scheduler.now().ns));
}

Task job(World& world, std::uint64_t name) {
  for (int i = 0; i < 2000; ++i) {
    co_await world.processor.serve(draw_exponential(world.random, microseconds(70)));
    while (world.dirty >= 32) co_await world.space.wait();
    ++world.dirty;
    const double normal = draw_normal(world.random);
    co_await world.scheduler.sleep_for(duration_of(exp_of(0.3 * normal) * 1e-4));
    co_await world.scheduler.sleep_until(world.bucket.take(131072, world.scheduler.now()));
    world.scheduler.spawn(write_back(world, world.random.below(world.disk.sectors() - 256)));
    world.digest.add(name);
  }
}

}  // namespace

int main() {
  World world;
  for (std::uint64_t i = 0; i < 10; ++i) world.scheduler.spawn(job(world, i));
  world.scheduler.run();
  world.digest.add(world.scheduler.events());
  std::printf("%s\n", world.digest.to_string().c_str());
}
