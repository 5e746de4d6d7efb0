#include "estimate/cell.hpp"

#include <algorithm>

namespace blkpress {
namespace {

std::uint64_t records_in(std::size_t size, std::uint32_t unit) { return (size + unit - 1) / unit; }

// True when all of [begin, end) lies in one of the holes, which are in order; hole is moved forward.
bool in_hole(const std::vector<DataRange>& holes, std::size_t& hole, std::uint64_t begin, std::uint64_t end) {
  while (hole < holes.size() && holes[hole].end <= begin) ++hole;
  return hole < holes.size() && holes[hole].begin <= begin && end <= holes[hole].end;
}

}  // namespace

Cell::Cell(std::string name, std::unique_ptr<Policy> policy, unsigned threads)
    : name_(std::move(name)),
      policy_(std::move(policy)),
      deciders_(threads),
      account_(policy_->make_account()),
      ledger_(policy_->empty_dataset()) {}

Result<std::unique_ptr<Cell>> Cell::make(const EstimateCell& question, unsigned threads) {
  auto policy = make_policy(question.policy, question.properties);
  if (!policy) return policy.error();
  return std::unique_ptr<Cell>(new Cell(question.policy, std::move(*policy), threads));
}

Cell::Findings Cell::decide(const Batch& batch, unsigned worker) {
  auto& decider = deciders_[worker];
  if (decider == nullptr) decider = policy_->make_decider();
  Findings findings;
  std::size_t count = 0;
  for (const Piece& piece : batch.pieces) {
    if (piece.size > 0) count += records_in(piece.size, policy_->unit_bytes(piece.file_bytes));
  }
  findings.reserve(count);
  for (const Piece& piece : batch.pieces) {
    if (piece.size == 0) continue;
    const std::uint32_t unit = policy_->unit_bytes(piece.file_bytes);
    const ByteView bytes = batch.view(piece);
    std::size_t hole = 0;
    for (std::size_t begin = 0; begin < bytes.size(); begin += unit) {
      const std::size_t size = std::min<std::size_t>(unit, bytes.size() - begin);
      if (in_hole(piece.holes, hole, begin, begin + size)) {
        findings.emplace_back();
      } else {
        findings.push_back(decider->decide(bytes.subspan(begin, size), unit));
      }
    }
  }
  return findings;
}

void Cell::account(const Batch& batch, const Findings& findings) {
  auto finding = findings.begin();
  for (const Piece& piece : batch.pieces) {
    if (piece.first) account_->begin(piece.file_bytes);
    const std::uint32_t unit = piece.file_bytes == 0 ? 1 : policy_->unit_bytes(piece.file_bytes);
    if (piece.unwritten_bytes > 0) account_->add_holes(piece.unwritten_bytes / unit);
    for (std::uint64_t n = piece.size == 0 ? 0 : records_in(piece.size, unit); n > 0; --n, ++finding) {
      if (finding->outcome.lsize == 0) {
        account_->add_holes(1);
      } else {
        account_->add(*finding);
      }
    }
    if (piece.last && !piece.failed) ledger_.add(account_->finish());
  }
  BLKPRESS_ASSERT(finding == findings.end());
}

}  // namespace blkpress
