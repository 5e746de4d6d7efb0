#include "blkpress/record.hpp"

namespace blkpress {
namespace {

constexpr std::array<std::string_view, kRecordKindCount> kKindNames = {"hole", "embedded", "raw", "compressed"};
constexpr std::array<std::string_view, kRecordReasonCount> kReasonNames = {
    "hole",          "embedded",  "compressed", "compression_off", "saves_too_little", "sector_rounding",
    "codec_gave_up", "heuristic", "after_raw",  "too_short",       "no_partner"};
constexpr std::array<std::string_view, kRecordReasonCount> kReasonTexts = {"hole",
                                                                           "embedded",
                                                                           "compressed",
                                                                           "raw: compression off",
                                                                           "raw: saves too little",
                                                                           "raw: sector rounding",
                                                                           "raw: codec gave up",
                                                                           "raw: looked incompressible",
                                                                           "raw: after a raw one",
                                                                           "raw: too short",
                                                                           "raw: found no partner"};

}  // namespace

std::string_view to_string(RecordKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }
std::string_view to_string(RecordReason reason) { return kReasonNames[static_cast<std::size_t>(reason)]; }
std::string_view describe(RecordReason reason) { return kReasonTexts[static_cast<std::size_t>(reason)]; }

BlockSums& BlockSums::operator+=(const BlockSums& other) {
  blocks += other.blocks;
  lsize += other.lsize;
  psize += other.psize;
  asize += other.asize;
  parity += other.parity;
  skip += other.skip;
  dsize += other.dsize;
  return *this;
}

ReasonSums& ReasonSums::operator+=(const ReasonSums& other) {
  records += other.records;
  lsize += other.lsize;
  psize += other.psize;
  asize += other.asize;
  payload += other.payload;
  padding += other.padding;
  return *this;
}

}  // namespace blkpress
