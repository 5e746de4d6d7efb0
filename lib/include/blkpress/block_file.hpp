// BlockFile: bytes at offsets, on disk, in memory, or failing on purpose.
//
// All that the library reads and writes goes through here, so that every caller can be tested against a disk that
// fails, ends early or fills up. Offsets and sizes in bytes. Threads: all functions of one BlockFile but resize may
// be called from several threads at once; resize only alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blkpress/bytes.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

// A run of bytes that may be other than zero.
struct DataRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // one past the last
  friend bool operator==(const DataRange&, const DataRange&) = default;
};

class BlockFile {
 public:
  virtual ~BlockFile() = default;

  [[nodiscard]] virtual Result<std::uint64_t> size() = 0;

  // Reads at offset; returns how many bytes were read: fewer than asked for only at the end of the file, 0 behind it.
  // Errors: io.
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset, ByteSpan target) = 0;

  // Writes all of source at offset; the file grows as needed, and a gap reads as zeros. Errors: io; no_space. After an
  // error any part of it may have been written.
  virtual Status write(std::uint64_t offset, ByteView source) = 0;

  // The same for the parts one behind the other, in one go where the system has a call for that; otherwise they are
  // joined first.
  virtual Status write_parts(std::uint64_t offset, std::span<const ByteView> parts);

  // A hint: what was written there may go to stable storage at once, so that flush() has less left to do. Promises
  // nothing, and says nothing of errors.
  virtual void write_back_soon(std::uint64_t offset, std::uint64_t length);

  // Returns when everything written before is on stable storage. Errors: io; no_space.
  virtual Status flush() = 0;

  // Cuts off or appends zeros. Errors: io; no_space.
  virtual Status resize(std::uint64_t size) = 0;

  // The first run of data that ends behind offset: what lies before it is a hole and reads as zeros. Where holes are
  // not known it is everything up to the end. nullopt: only holes follow. Errors: io.
  [[nodiscard]] virtual Result<std::optional<DataRange>> next_data(std::uint64_t offset) = 0;
};

enum class OpenMode : std::uint8_t {
  read,        // must exist
  read_write,  // must exist
  create,      // read and write; made if it does not exist, kept as it is if it does
};

// For how long the file stays open; between processes, and between the files that one process opens.
enum class FileLock : std::uint8_t {
  none,
  shared,    // with others that are shared
  exclusive  // alone
};

struct OpenOptions {
  OpenMode mode = OpenMode::read;
  FileLock lock = FileLock::none;
  bool block_device = false;   // true: a block device is taken too; it has the size that it has
  bool follow_symlink = true;  // false: a symbolic link is an error
};

// A regular file. Never waits: a pipe, socket or device of that name is an error, not opened for long, and so is a lock
// that somebody else holds. Errors: io, "cannot open <path>: <why>".
Result<std::unique_ptr<BlockFile>> open_file(const std::string& path, OpenOptions options = {});

// Lives and dies with the object. Bytes beyond capacity do not fit: no_space.
std::unique_ptr<BlockFile> make_memory_file(std::uint64_t capacity = UINT64_MAX);

// What goes wrong, and when. Operations are counted from 0 as they arrive.
struct FaultPlan {
  static constexpr std::uint64_t kNever = UINT64_MAX;
  std::uint64_t failing_read = kNever;   // this read and all later ones: io
  std::uint64_t failing_write = kNever;  // this write and all later ones: io
  std::uint64_t failing_flush = kNever;  // this flush and all later ones: io
  std::size_t torn_bytes = 0;            // of the first failing write, how many bytes still arrive
  std::uint64_t early_end = kNever;      // reads find the end here, though size() says otherwise: a file that shrank
  std::uint64_t capacity = kNever;       // writes beyond: no_space, after the part that fits
};

// file, disturbed by the plan.
std::unique_ptr<BlockFile> make_faulty_file(std::unique_ptr<BlockFile> file, const FaultPlan& plan);

// One change to a file, as it arrived.
struct FileChange {
  enum class Kind : std::uint8_t { write, flush, resize };
  Kind kind = Kind::write;
  std::uint64_t offset = 0;      // of a resize: the new size
  std::vector<std::byte> bytes;  // of a write
};

// file, whose changes that succeeded are appended to log, in order: what a power cut could undo is what came after the
// last flush. log is the caller's; look at it only while no call is under way.
std::unique_ptr<BlockFile> make_recording_file(std::unique_ptr<BlockFile> file,
                                               std::shared_ptr<std::vector<FileChange>> log);

}  // namespace blkpress
