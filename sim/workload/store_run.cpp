// store: a file of generated content, as the filesystem would keep it. No times: what a document says of sizes and
// ratios alone.
#include <fmt/format.h>

#include "blkpress/ledger.hpp"
#include "blkpress/sim/record_sampler.hpp"
#include "blkpress/size_format.hpp"
#include "workload/workload_runs.hpp"

namespace blkpress::sim {

Result<WorkloadResult> run_store(World& world, WorkloadSettings& settings) {
  const std::string content_name = settings.text("content");
  const double knob = settings.number("knob", 0, 1e9, 0.0);
  const std::uint64_t bytes = settings.count("bytes", 1, 64 * kTiB);
  const std::uint64_t sample = settings.count("sample", 1, kMiB, 256);
  BLKPRESS_TRY(settings.status());
  BLKPRESS_TRY(require_records(world, "store"));
  auto content = make_record_content(content_name, world.options.seed, knob);
  if (!content) return content.error();
  const auto sampler = RecordSampler::make(*world.policy, world.host, **content, bytes, sample);
  if (!sampler) return sampler.error();
  WorkloadResult result;
  result.files = {(*sampler)->account()};
  result.records = (*sampler)->records();
  result.records_compressed_for_real = (*sampler)->compressed_for_real();
  Ledger ledger(zfs_empty_dataset(world.options.zfs.version, world.options.zfs.layout, world.options.zfs.vdev));
  ledger.add(result.files.front());
  const std::string ratio = format_ratio(ledger.compressratio_x100());
  result.numbers = {{"zfs.compressratio", ratio}, {"zfs.USED", format_size(ledger.used())}};
  result.text = fmt::format("PROPERTY       VALUE\ncompressratio  {}\nused           {}\nlogicalused    {}\n", ratio,
                            format_size(ledger.used()), format_size(ledger.logicalused()));
  return result;
}

}  // namespace blkpress::sim
