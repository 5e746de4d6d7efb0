#include "blkpress/fio_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blkpress/fio_image.hpp"
#include "blkpress/policy.hpp"

namespace blkpress {
namespace {

constexpr double kTolerance = 0.1;
void read_what_is_asked(const FioContent& content, FioLint& lint) {
  if (!content.pattern.empty() && content.compress_percentage == 0) {
    lint.because = "buffer_pattern";
    return;
  }
  if (content.zero_buffers) {
    lint.because = "zero_buffers";
    return;
  }
  if (content.compress_percentage >= 100) {
    lint.because = "buffer_compress_percentage=100";
    return;
  }
  if (content.compress_percentage > 0) {
    lint.because = fmt::format("buffer_compress_percentage={}", content.compress_percentage);
    lint.asked = 100.0 / (100.0 - content.compress_percentage);
    return;
  }
  lint.because = "nothing: fio's buffers are said to be random";
  lint.asked = 1;
}

Result<FioLintCell> measure(ByteView file, const std::string& compression, const std::string& recordsize,
                            const std::string& ashift) {
  const auto policy =
      make_policy("zfs", {{"compression", compression}, {"recordsize", recordsize}, {"ashift", ashift}});
  if (!policy) return policy.error();
  const auto decider = (*policy)->make_decider();
  const auto account = (*policy)->make_account();
  const std::uint32_t unit = (*policy)->unit_bytes(file.size());
  account->begin(file.size());
  for (std::size_t at = 0; at < file.size(); at += unit) {
    account->add(decider->decide(file.subspan(at, std::min<std::size_t>(unit, file.size() - at)), unit));
  }
  const ObjectSums sums = account->finish();
  FioLintCell cell{compression, recordsize};
  // What is embedded takes no sector, but its bytes are stored all the same.
  const std::uint64_t stored = sums.data.psize + sums.embedded_payload;
  if (stored > 0) cell.ratio = static_cast<double>(sums.data.lsize) / static_cast<double>(stored);
  const ReasonSums& holes = sums.of(RecordReason::hole);
  cell.hole_share = static_cast<double>(holes.lsize) / static_cast<double>(holes.lsize + sums.data.lsize);
  return cell;
}

// Which option would have given what was asked for.
std::string hint_for(const FioContent& content, const FioLint& lint) {
  const bool more = std::any_of(lint.cells.begin(), lint.cells.end(), [&](const FioLintCell& cell) {
    return cell.misleading && cell.ratio > lint.asked.value_or(cell.ratio);
  });
  if (more && content.compress_percentage == 0) return "refill_buffers makes every block new";
  if (more) return "refill_buffers makes every block new; a larger buffer_compress_chunk leaves fewer places to match";
  const bool less = std::any_of(lint.cells.begin(), lint.cells.end(), [](const auto& cell) { return cell.misleading; });
  if (less) return "the record size and its sectors set a limit to the ratio; larger records come nearer";
  return {};
}

}  // namespace

Result<FioLint> lint_fio_job(const FioIoOptions& options, const FioLintOptions& lint_options) {
  FioLint lint;
  read_what_is_asked(options.content, lint);
  const FioIoOptions sample = fio_options_within(options, lint_options.sample_bytes);
  if (sample.access.size > kGiB) {
    return Error{ErrorKind::usage,
                 fmt::format("a block of {} bytes is more than the 1 GiB that is tried", sample.access.size)};
  }
  const std::vector<std::byte> file = fio_file_image(sample, irregular_fio_clock);
  lint.bytes = file.size();
  for (const std::string& compression : lint_options.compressions) {
    for (const std::string& recordsize : lint_options.recordsizes) {
      auto cell = measure(file, compression, recordsize, lint_options.ashift);
      if (!cell) return cell.error();
      cell->misleading = lint.asked && std::abs(cell->ratio / *lint.asked - 1) > kTolerance;
      lint.cells.push_back(std::move(*cell));
    }
  }
  lint.hint = hint_for(options.content, lint);
  return lint;
}

}  // namespace blkpress
