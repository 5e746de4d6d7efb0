#include "blkpress/stream_copy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "blkpress/progress.hpp"
#include "blkpress/size_format.hpp"

namespace blkpress::tool {

Status copy_stream(BlockFile& source, BlockFile& target, const std::string& what,
                   const std::function<Status(std::uint64_t offset, std::uint64_t length)>& punch) {
  const Result<std::uint64_t> size = source.size();
  if (!size) return size.error();
  Progress progress;
  std::vector<std::byte> buffer(kMiB);
  const auto hole = [&](std::uint64_t begin, std::uint64_t end) {
    return punch && begin < end ? punch(begin, end - begin) : ok();
  };
  for (std::uint64_t at = 0; at < *size;) {
    const auto range = source.next_data(at);
    if (!range) return range.error();
    const std::uint64_t begin = *range ? std::min((*range)->begin, *size) : *size;
    const std::uint64_t end = *range ? std::min((*range)->end, *size) : *size;
    BLKPRESS_TRY(hole(at, std::max(at, begin)));
    for (at = std::max(at, begin); at < end;) {
      const ByteSpan piece = ByteSpan(buffer).first(std::min<std::uint64_t>(buffer.size() - at % kMiB, end - at));
      const Result<std::size_t> got = source.read(at, piece);
      if (!got) return got.error();
      if (*got == 0) return Error{ErrorKind::io, fmt::format("{} got shorter while it was copied", what)};
      BLKPRESS_TRY(target.write(at, piece.first(*got)));
      at += *got;
      if (progress.due()) {
        progress.show(
            fmt::format("{}: {} of {} ({}%), {}/s", what, format_size(at), format_size(*size), at * 100 / *size,
                        format_size(static_cast<std::uint64_t>(static_cast<double>(at) / progress.seconds()))));
      }
    }
  }
  return ok();
}

}  // namespace blkpress::tool
