// Filesystems in virtual time: what a read or a write has to wait for.
//
// A FilesystemModel takes the calls of simulated processes, moves records between memory and a device model and says
// when each call returns. What a record becomes is decided by lib/policy, on real bytes, through a RecordSource.
// Threads: those of the Scheduler.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "blkpress/ledger.hpp"
#include "blkpress/record.hpp"
#include "blkpress/sim/processor.hpp"
#include "blkpress/sim/task.hpp"
#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

// One record on its way to the device.
struct StoredRecord {
  RecordOutcome outcome;
  Duration compress_time{};    // CPU time of the filesystem's compressing thread
  Duration decompress_time{};  // CPU time of a read; nothing for what is not stored compressed
};

// What a file contains, record by record. record() may be called in any order and must always answer the same.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  virtual StoredRecord record(std::uint64_t index) = 0;
  // lsize of each record, in bytes.
  [[nodiscard]] virtual std::uint32_t record_bytes() const = 0;
  // How many records the file has.
  [[nodiscard]] virtual std::uint64_t records() const = 0;
};

// A simulated process: the thread that it runs in.
struct Process {
  Processor::Thread thread;
};

class FilesystemModel {
 public:
  using File = std::size_t;
  virtual ~FilesystemModel() = default;

  // A new file whose records come from source, which must outlive the model.
  virtual File create(RecordSource& source) = 0;

  // Writes one whole record, or the last part of a file that is one, and returns when write(2) would. A caller that
  // writes less than a record at a time calls once per record, with the CPU time of all its calls already spent: the
  // record is dirtied once either way.
  virtual Task write_record(Process& process, File file, std::uint64_t index) = 0;

  // Whether write_part() and read_part() take less than a record.
  [[nodiscard]] virtual bool parts() const { return false; }

  // Writes that many bytes of one record: what is not in memory is read first. bytes: 1 to the record's.
  virtual Task write_part(Process& process, File file, std::uint64_t index, std::uint32_t bytes);

  // Whether sync(), open(), read_record() and read_part() may be called.
  [[nodiscard]] virtual bool reads() const { return false; }

  // Returns when all that was written before the call is on the device.
  virtual Task sync(Process& process);

  // A file that is there already: its records lie on the device, behind those of the files opened before it. resident:
  // so many of its first records are in memory, and what is in memory stays there; unset: as the cache would keep them
  // when the files were written one after another, and it evicts.
  virtual File open(RecordSource& source, std::optional<std::uint64_t> resident);

  // Reads one whole record of a file that was opened, or written before, and returns when read(2) would.
  virtual Task read_record(Process& process, File file, std::uint64_t index);
  // That many bytes of it: the whole record comes into memory, a part is copied.
  virtual Task read_part(Process& process, File file, std::uint64_t index, std::uint32_t bytes);

  // Bytes that were written and are not on the device yet.
  [[nodiscard]] virtual std::uint64_t dirty_bytes() const = 0;
};

}  // namespace blkpress::sim
