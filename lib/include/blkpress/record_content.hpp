// The content of a simulated or synthetic file, record by record, in any order.
//
// So a file of many GiB never has to exist: any record of it can be made, compressed and forgotten.
// Threads: a RecordContent belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "blkpress/bytes.hpp"
#include "blkpress/fio_options.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

class RecordContent {
 public:
  virtual ~RecordContent() = default;

  // Writes the record of that index; every record but a file's last has the same size. The same index gives the same
  // bytes.
  virtual void fill(std::uint64_t index, ByteSpan record) = 0;

  // What a codec's time on it is looked up by: "urandom", "zeros", "fio-3.29", "fio-3.29-layout", "bitmap", "database",
  // "text", "vm-image", "mixed-files".
  [[nodiscard]] virtual std::string_view cost_class() const = 0;
};

std::unique_ptr<RecordContent> zero_content();
// As /dev/urandom: random to every codec. Deterministic, from the seed.
std::unique_ptr<RecordContent> random_content(std::uint64_t seed);
// What one fio job writes into its file, when its I/Os are as large as the records: the buffer of the record's write,
// scrambled with a start time that grows by ns_per_io from write to write. options must pass check() and write.
std::unique_ptr<RecordContent> fio_write_content(const FioIoOptions& options, std::uint64_t ns_per_io);
// What any fio job leaves in its file, record by record: from a file of as many records as given that the same job
// would leave behind, over and over. options must pass check() and write.
std::unique_ptr<RecordContent> fio_image_content(const FioIoOptions& options, std::uint64_t record_bytes,
                                                 std::uint64_t records);
// What fio writes into the file of a job that reads, before the job starts: see FioLayout. record_bytes: of
// every record but the last. options must pass check().
std::unique_ptr<RecordContent> fio_layout_content(const FioIoOptions& options, std::uint64_t record_bytes);

// By name: "zeros", "urandom", "bitmap" (knob: see bitmap_content), "database" (knob: see database_content),
// "vm_image" (knob: see vm_image_content), "mixed_files" (knob: see mixed_files_content). Errors: usage, with the names
// that exist.
Result<std::unique_ptr<RecordContent>> make_record_content(std::string_view name, std::uint64_t seed, double knob);

}  // namespace blkpress
