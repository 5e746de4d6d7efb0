// fio's normal output, character for character: the numbers of three published blocks go in, the blocks come out.
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "blkpress/sim/fio_statistics.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

FioMoments moments(std::uint64_t samples, double min, double max, double mean, double stdev) {
  return {samples, static_cast<std::uint64_t>(min), static_cast<std::uint64_t>(max), mean,
          stdev * stdev * static_cast<double>(samples - 1)};
}

// The percentiles as printed, in us.
LogHistogram histogram(std::uint64_t count, const std::array<double, 17>& percentiles_usec) {
  LogHistogram result;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < percentiles_usec.size(); ++i) {
    const std::uint64_t upto = i == 16 ? count : (count * kFioPercentiles[i] + 9999) / 10000;
    result.add(static_cast<std::uint64_t>((percentiles_usec[i] - 0.5) * 1000), upto - before);
    before = upto;
  }
  return result;
}

std::uint64_t share(double percent, std::uint64_t count) {
  return static_cast<std::uint64_t>(std::lround(percent / 100 * static_cast<double>(count)));
}

}  // namespace

TEST_CASE("fio normal output: the block of document vps-zfs-fio, write, lz4") {
  constexpr std::uint64_t n = 81920;
  FioGroup group;
  group.name = "seqwrite";
  group.pid = 3933293;
  group.end_time = "Tue Jan 18 22:48:55 2022";
  group.iodepth = 32;
  group.jobs = 10;
  FioDirectionResult& write = group.directions[1];
  write.ios = n;
  write.bytes = n * 131072;
  write.runtime_ms = 73305;
  write.clat_ns = moments(n, 13e3, 65950e3, 8856.39e3, 1989.56e3);
  write.lat_ns = moments(n, 13e3, 65951e3, 8857.77e3, 1989.60e3);
  write.clat_histogram = histogram(
      n, {19, 5604, 8291, 8979, 9110, 9110, 9241, 9241, 9241, 9372, 9634, 10028, 11469, 13304, 25035, 29754, 39584});
  write.bw_kib = moments(1445, 129174, 827864, 144240.45, 6509.22);
  write.iops = moments(1445, 1006, 6464, 1126.41, 50.83);
  const std::array<double, 10> usec = {0, 0, 0, 1.12, 0.78, 0.02, 0.09, 0.21, 0.23, 0.05};
  const std::array<double, 6> msec = {0.33, 1.07, 90.76, 5.18, 0.17, 0.01};
  for (std::size_t i = 0; i < usec.size(); ++i) group.bins.usec[i] = share(usec[i], n);
  for (std::size_t i = 0; i < msec.size(); ++i) group.bins.msec[i] = share(msec[i], n);
  group.total_runtime_ms = 725600;
  group.user_ms = share(0.07, 725600);
  group.system_ms = share(0.61, 725600);
  group.context_switches = 82572;
  group.major_faults = 8;
  group.minor_faults = 138;
  group.depths[0] = n;
  group.submits[1] = n;
  group.completes[1] = n;
  CHECK(fio_group_text(group) == R"(seqwrite: (groupid=0, jobs=10): err= 0: pid=3933293: Tue Jan 18 22:48:55 2022
  write: IOPS=1117, BW=140MiB/s (146MB/s)(10.0GiB/73305msec); 0 zone resets
    clat (usec): min=13, max=65950, avg=8856.39, stdev=1989.56
     lat (usec): min=13, max=65951, avg=8857.77, stdev=1989.60
    clat percentiles (usec):
     |  1.00th=[   19],  5.00th=[ 5604], 10.00th=[ 8291], 20.00th=[ 8979],
     | 30.00th=[ 9110], 40.00th=[ 9110], 50.00th=[ 9241], 60.00th=[ 9241],
     | 70.00th=[ 9241], 80.00th=[ 9372], 90.00th=[ 9634], 95.00th=[10028],
     | 99.00th=[11469], 99.50th=[13304], 99.90th=[25035], 99.95th=[29754],
     | 99.99th=[39584]
   bw (  KiB/s): min=129174, max=827864, per=100.00%, avg=144240.45, stdev=6509.22, samples=1445
   iops        : min= 1006, max= 6464, avg=1126.41, stdev=50.83, samples=1445
  lat (usec)   : 20=1.12%, 50=0.78%, 100=0.02%, 250=0.09%, 500=0.21%
  lat (usec)   : 750=0.23%, 1000=0.05%
  lat (msec)   : 2=0.33%, 4=1.07%, 10=90.76%, 20=5.18%, 50=0.17%
  lat (msec)   : 100=0.01%
  cpu          : usr=0.07%, sys=0.61%, ctx=82572, majf=8, minf=138
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=0,81920,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=32
)");
}

TEST_CASE("fio normal output: a sum of means above 1 GiB/s and latencies of six digits, as in read, lz4") {
  constexpr std::uint64_t n = 81920;
  FioGroup group;
  group.name = "seqread";
  group.jobs = 10;
  FioDirectionResult& read = group.directions[0];
  read.ios = n;
  read.bytes = n * 131072;
  read.runtime_ms = 67020;
  read.clat_ns = moments(n, 15e3, 147529e3, 6833.55e3, 18975.55e3);
  read.lat_ns = moments(n, 15e3, 147529e3, 6833.68e3, 18975.54e3);
  read.clat_histogram =
      histogram(n, {35, 46, 56, 63, 64, 66, 71, 77, 83, 103, 39584, 62129, 74974, 78119, 84411, 88605, 119014});
  read.bw_kib = moments(1111, 1863.5 * 1024, 2270.5 * 1024, 1982.82 * 1024, 9.51 * 1024);
  read.iops = moments(1111, 14905, 18163, 15861.64, 76.03);
  const std::string text = fio_group_text(group);
  CHECK(text.find(R"(  read: IOPS=1222, BW=153MiB/s (160MB/s)(10.0GiB/67020msec)
    clat (usec): min=15, max=147529, avg=6833.55, stdev=18975.55
     lat (usec): min=15, max=147529, avg=6833.68, stdev=18975.54
    clat percentiles (usec):
     |  1.00th=[    35],  5.00th=[    46], 10.00th=[    56], 20.00th=[    63],
     | 30.00th=[    64], 40.00th=[    66], 50.00th=[    71], 60.00th=[    77],
     | 70.00th=[    83], 80.00th=[   103], 90.00th=[ 39584], 95.00th=[ 62129],
     | 99.00th=[ 74974], 99.50th=[ 78119], 99.90th=[ 84411], 99.95th=[ 88605],
     | 99.99th=[119014]
   bw (  MiB/s): min= 1863, max= 2270, per=100.00%, avg=1982.82, stdev= 9.51, samples=1111
   iops        : min=14905, max=18163, avg=15861.64, stdev=76.03, samples=1111
)") != std::string::npos);
}

TEST_CASE("fio normal output: a whole run without latencies, with a stacked disk, as document btrfs-f2fs-fio") {
  constexpr std::uint64_t n = 1048576;
  FioGroup group;
  group.name = "bench";
  group.pid = 1752006;
  group.end_time = "Tue Oct 20 18:40:06 2020";
  group.iodepth = 64;
  group.jobs = 1;
  FioDirectionResult& write = group.directions[1];
  write.ios = n;
  write.bytes = n * 4096;
  write.runtime_ms = 3616;
  write.bw_kib = moments(7, 866.9 * 1024, 1233.2 * 1024, 1129.17 * 1024, 147.13 * 1024);
  write.iops = moments(7, 221910, 315816, 289067.14, 37664.51);
  group.total_runtime_ms = 361600;  // so that two decimals of a percent are whole ms
  group.user_ms = 86133;
  group.system_ms = 248166;
  group.context_switches = 703;
  group.minor_faults = 6;
  group.depths = {1, 2, 4, 8, 16, 32, n - 63};
  group.submits[1] = n;
  group.completes = {0, n - 64, 0, 0, 0, 1, 0};
  FioRun run;
  run.header = {.version = "3.23",
                .rw = "randwrite",
                .block_min = 4096,
                .block_max = 4096,
                .ioengine = "libaio",
                .layout_files = 1,
                .layout_bytes = std::uint64_t{4} << 30};
  run.groups = {group};
  FioDisk mapped;
  mapped.name = "dm-2";
  mapped.ios = {0, 2332};
  mapped.ticks_ms = {0, 25993};
  mapped.in_queue_ms = 25992;
  mapped.util_percent = 44.67;
  mapped.aggregate = true;
  mapped.aggregate_ios = {0, 7789};
  mapped.aggregate_merges = {0, 11};
  mapped.aggregate_ticks_ms = {0, 92840};
  mapped.aggregate_in_queue_ms = 92841;
  mapped.aggregate_util_percent = 47.02;
  FioDisk disk;
  disk.name = "nvme0n1";
  disk.ios = {0, 7789};
  disk.merges = {0, 11};
  disk.ticks_ms = {0, 92840};
  disk.in_queue_ms = 92841;
  disk.util_percent = 47.02;
  run.disks = {mapped, disk};
  const std::string expected =
      R"(bench: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=64
fio-3.23
Starting 1 process
bench: Laying out IO file (1 file / 4096MiB)

bench: (groupid=0, jobs=1): err= 0: pid=1752006: Tue Oct 20 18:40:06 2020
  write: IOPS=290k, BW=1133MiB/s (1188MB/s)(4096MiB/3616msec); 0 zone resets
   bw (  MiB/s): min=  866, max= 1233, per=99.68%, avg=1129.17, stdev=147.13, samples=7
   iops        : min=221910, max=315816, avg=289067.14, stdev=37664.51, samples=7
  cpu          : usr=23.82%, sys=68.63%, ctx=703, majf=0, minf=6
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=0.1%, >=64=100.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.1%, >=64=0.0%
     issued rwts: total=0,1048576,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=64

Run status group 0 (all jobs):
  WRITE: bw=1133MiB/s (1188MB/s), 1133MiB/s-1133MiB/s (1188MB/s-1188MB/s), io=4096MiB (4295MB), run=3616-3616msec

Disk stats (read/write):
    dm-2: ios=0/2332, merge=0/0, ticks=0/25993, in_queue=25992, util=44.67%, aggrios=0/7789, aggrmerge=0/11, aggrticks=0/92840, aggrin_queue=92841, aggrutil=47.02%
  nvme0n1: ios=0/7789, merge=0/11, ticks=0/92840, in_queue=92841, util=47.02%
)";
  CHECK(fio_run_text(run) == expected);

  std::map<std::string, std::string> figures;
  for (const FioFigure& figure : fio_figures(run)) figures[figure.metric] = figure.value;
  CHECK(figures["diskstat.dm-2.aggrticks"] == "0/92840");
  CHECK(figures["fio.bs_R"] == "4096B-4096B");
  CHECK(figures["fio.bw_samples.per"] == "99.68");
  CHECK(figures["fio.group.bw_range_decimal"] == "1188MB/s-1188MB/s");
  CHECK(figures["fio.io_depths.>=64"] == "100.0");
}

TEST_CASE("fio normal output: percentiles of fio 3.33's own bins are those that it prints") {
  std::ifstream file(BLKPRESS_GOLDEN_DIR "/fio_3.33_seqread.jsonplus.txt");
  REQUIRE(file);
  LogHistogram bins;
  std::map<double, std::uint64_t> printed;
  enum { elsewhere, in_percentiles, in_bins } where = elsewhere;
  // "percentile" and "bins" are objects of a number in quotes and a number each.
  for (std::string line; std::getline(file, line);) {
    if (line.find("\"percentile\" : {") != std::string::npos) {
      where = in_percentiles;
    } else if (line.find("\"bins\" : {") != std::string::npos) {
      where = in_bins;
    } else if (line.find('}') != std::string::npos) {
      where = elsewhere;
    } else if (where != elsewhere) {
      const std::size_t quote = line.find('"');
      const double key = std::stod(line.substr(quote + 1));
      const std::uint64_t value = std::stoull(line.substr(line.find(" : ") + 3));
      if (where == in_bins) {
        bins.add(static_cast<std::uint64_t>(key), value);
      } else {
        printed[key] = value;
      }
    }
  }
  REQUIRE(bins.count() == 5120);
  REQUIRE(printed.size() == 17);
  for (const auto& [percent, value] : printed) {
    CHECK(bins.percentile(static_cast<std::uint32_t>(std::lround(percent * 100))) == value);
  }
}
