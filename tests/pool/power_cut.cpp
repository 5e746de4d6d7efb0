#include "pool/power_cut.hpp"

#include "support/catch.hpp"

namespace blkpress::test {
namespace {

// Which of the pending writes arrive, one bit each.
void apply_some(Image& image, const std::vector<const FileChange*>& pending, std::uint64_t arrive, bool torn,
                Random& random, Undo& undo) {
  const FileChange* last = nullptr;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if ((arrive >> (i % 64) & 1) == 0) continue;
    if (last != nullptr) overwrite(image, last->offset, last->bytes, &undo);
    last = pending[i];
  }
  if (last == nullptr) return;
  for (std::size_t at = 0; at < last->bytes.size(); at += 512) {
    if (torn && random.below(2) == 0) continue;
    const std::size_t count = std::min<std::size_t>(512, last->bytes.size() - at);
    overwrite(image, last->offset + at, ByteView(last->bytes).subspan(at, count), &undo);
  }
}

}  // namespace

std::uint64_t cut_everywhere(const Image& begin, const std::vector<FileChange>& log, std::uint64_t seed,
                             const LookAfterCut& look) {
  Image durable = begin;
  std::vector<const FileChange*> pending;
  Random random(seed, 1);
  std::uint64_t cuts = 0;
  for (std::size_t cut = 0; cut <= log.size(); ++cut) {
    const bool few = pending.size() <= 6;
    const std::uint64_t trials = few ? std::uint64_t{1} << pending.size() : 16;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      Undo undo;
      apply_some(durable, pending, few ? trial : random.next(), random.below(2) == 0, random, undo);
      const std::string wrong = look(durable, cut, cuts, undo);
      put_back(durable, undo);
      ++cuts;
      if (wrong.empty()) continue;
      CAPTURE(seed, cut, trial, wrong);
      FAIL("damaged by a power cut");
    }
    if (cut == log.size()) break;
    if (log[cut].kind == FileChange::Kind::write) pending.push_back(&log[cut]);
    if (log[cut].kind != FileChange::Kind::flush) continue;
    for (const FileChange* write : pending) overwrite(durable, write->offset, write->bytes, nullptr);
    pending.clear();
  }
  return cuts;
}

}  // namespace blkpress::test
