#include "estimate/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace blkpress {
namespace {

// Of tiny files, more than this in a batch would only make the findings large.
constexpr std::size_t kPiecesMax = 4096;

Result<std::unique_ptr<BlockFile>> open_unfollowed(const std::string& path) {
  return open_file(path, {.mode = OpenMode::read, .follow_symlink = false});
}

// Files of /proc and /sys say 0 and have content all the same, without end perhaps.
Status check_empty(BlockFile& file) {
  std::byte probe{};
  const auto count = file.read(0, {&probe, 1});
  if (!count) return count.error();
  if (*count > 0) return Error{ErrorKind::io, "says that it is empty and has content, as files in /proc do"};
  return ok();
}

}  // namespace

Reader::Reader(const EstimateOptions& options, EstimateResult& result, std::size_t capacity, Allocate allocate,
               Submit submit)
    : options_(options),
      result_(result),
      capacity_(capacity),
      allocate_(std::move(allocate)),
      submit_(std::move(submit)),
      batch_(allocate_()) {}

void Reader::add_problem(Error problem) {
  ++result_.unreadable;
  if (result_.problems.size() < EstimateResult::kProblemsNamedMax) result_.problems.push_back(std::move(problem));
}

void Reader::read(const TreeFile& entry) {
  auto opened = options_.open ? options_.open(entry.path) : open_unfollowed(entry.path);
  if (!opened) return add_problem(opened.error());
  BlockFile& file = **opened;
  const auto size = file.size();
  if (!size) return add_problem(size.error());

  Piece piece;
  piece.file_bytes = *size;
  piece.first = true;
  const std::uint64_t unwritten_before = result_.unwritten;
  const Status status =
      *size == 0 ? check_empty(file) : read_content(file, *size, entry.allocated_bytes < *size, piece);
  piece.last = true;
  piece.failed = !status;
  if (piece.failed) {  // the part that was being read does not count
    piece.size = 0;
    piece.holes.clear();
  }
  add(piece);
  if (!status) {
    result_.unwritten = unwritten_before;
    add_problem({status.error().kind, status.error().message.starts_with("cannot ")
                                          ? status.error().message
                                          : fmt::format("cannot read {}: {}", entry.path, status.error().message)});
    return;
  }
  ++result_.files;
  result_.bytes += *size;
  const auto size_now = file.size();
  if (size_now && *size_now > *size) ++result_.grown;
}

// Leaves the last part in piece, so that its end can be marked.
Status Reader::read_content(BlockFile& file, std::uint64_t size, bool may_have_holes, Piece& piece) {
  for (std::uint64_t offset = 0; offset < size;) {
    if (may_have_holes) {
      const auto data = file.next_data(offset);
      if (!data) return data.error();
      const std::uint64_t begin = data->has_value() ? std::min((*data)->begin, size) : size;
      if (!data->has_value() || begin >= size) {
        // What is never added counts as a hole.
        result_.unwritten += size - offset;
        return ok();
      }
      const std::uint64_t skipped = (begin - offset) / capacity_ * capacity_;
      result_.unwritten += skipped;
      piece.unwritten_bytes += skipped;
      offset += skipped;
    }
    piece.offset = offset;
    piece.size = static_cast<std::size_t>(std::min<std::uint64_t>(size - offset, capacity_));
    make_room(piece.size);
    piece.begin = batch_->used;
    BLKPRESS_TRY(read_part(file, may_have_holes, piece));
    offset += piece.size;
    batch_->used += piece.size;
    if (offset < size) add(piece);
  }
  return ok();
}

// Fills the part of the batch that piece describes.
Status Reader::read_part(BlockFile& file, bool may_have_holes, Piece& piece) {
  const ByteSpan target = ByteSpan(batch_->bytes).subspan(piece.begin, piece.size);
  if (!may_have_holes) return read_data(file, piece.offset, target);
  for (std::uint64_t position = 0; position < piece.size;) {
    const auto data = file.next_data(piece.offset + position);
    if (!data) return data.error();
    const std::uint64_t end = piece.offset + piece.size;
    const std::uint64_t begin = data->has_value() ? std::min((*data)->begin, end) : end;
    const std::uint64_t hole_end = begin - piece.offset;
    if (hole_end > position) {
      std::memset(target.data() + position, 0, hole_end - position);
      piece.holes.push_back({position, hole_end});
      result_.unwritten += hole_end - position;
    }
    position = hole_end;
    if (begin == end) break;
    const std::uint64_t data_end = std::min((*data)->end, end) - piece.offset;
    BLKPRESS_TRY(read_data(file, begin, target.subspan(position, data_end - position)));
    position = data_end;
  }
  return ok();
}

Status Reader::read_data(BlockFile& file, std::uint64_t offset, ByteSpan target) {
  const auto count = file.read(offset, target);
  if (!count) return count.error();
  if (*count < target.size()) return Error{ErrorKind::io, "it shrank while it was read"};
  return ok();
}

// Hands piece over and makes it the next part of the same file.
void Reader::add(Piece& piece) {
  if (batch_->pieces.size() >= kPiecesMax && piece.size == 0) submit_batch();
  const std::uint64_t file_bytes = piece.file_bytes;
  batch_->pieces.push_back(std::move(piece));
  piece = Piece{};
  piece.file_bytes = file_bytes;
}

void Reader::make_room(std::size_t size) {
  if (batch_->used + size > capacity_ || batch_->pieces.size() >= kPiecesMax) submit_batch();
}

void Reader::submit_batch() {
  submit_(std::move(batch_));
  batch_ = allocate_();
  if (options_.progress) options_.progress({result_.files, result_.bytes});
}

void Reader::finish() {
  if (!batch_->pieces.empty()) submit_(std::move(batch_));
  batch_.reset();
}

}  // namespace blkpress
