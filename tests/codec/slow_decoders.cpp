#include "codec/slow_decoders.hpp"

namespace blkpress::test {
namespace {

// Takes bytes from the front; remembers whether it was ever asked for one too many.
class Reader {
 public:
  explicit Reader(ByteView source) : source_(source) {}

  unsigned byte() {
    if (at_ == source_.size()) {
      failed_ = true;
      return 0;
    }
    return static_cast<unsigned>(source_[at_++]);
  }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ == source_.size(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  ByteView source_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

bool repeat(Record& record, std::size_t distance, std::size_t length) {
  if (distance == 0 || distance > record.size()) return false;
  for (std::size_t i = 0; i < length; ++i) record.push_back(record[record.size() - distance]);
  return true;
}

}  // namespace

std::optional<Record> decode_zle_slowly(ByteView source, std::size_t size) {
  Reader in(source);
  Record record;
  while (record.size() < size && !in.failed()) {
    const unsigned control = in.byte();
    if (control >= 64) {
      for (unsigned i = 0; i < control - 63; ++i) record.push_back(std::byte{0});
    } else {
      for (unsigned i = 0; i < control + 1; ++i) record.push_back(static_cast<std::byte>(in.byte()));
    }
  }
  if (in.failed() || record.size() != size) return std::nullopt;
  return record;
}

std::optional<Record> decode_lzjb_slowly(ByteView source, std::size_t size) {
  Reader in(source);
  Record record;
  unsigned control = 0;
  for (unsigned item = 0; record.size() < size; ++item) {
    if (item % 8 == 0) control = in.byte();
    const bool is_match = (control & (1U << (item % 8))) != 0;
    const unsigned first = in.byte();
    if (is_match) {
      const unsigned both = first * 256 + in.byte();
      if (!repeat(record, both % 1024, both / 1024 + 3)) return std::nullopt;
    } else {
      record.push_back(static_cast<std::byte>(first));
    }
    if (in.failed()) return std::nullopt;
  }
  if (record.size() != size) return std::nullopt;
  return record;
}

std::optional<std::vector<Lz4Sequence>> lz4_sequences(ByteView block) {
  Reader in(block);
  std::vector<Lz4Sequence> sequences;
  const auto longer = [&in](std::size_t length) {
    unsigned more = 255;
    while (more == 255) length += more = in.byte();
    return length;
  };
  while (!in.at_end()) {
    Lz4Sequence sequence{in.at(), 0, 0, 0};
    const unsigned token = in.byte();
    sequence.literals = token / 16;
    if (sequence.literals == 15) sequence.literals = longer(15);
    for (std::size_t i = 0; i < sequence.literals; ++i) in.byte();
    if (!in.at_end()) {
      sequence.distance = in.byte();
      sequence.distance += in.byte() * 256;
      sequence.match_length = token % 16 + 4;
      if (token % 16 == 15) sequence.match_length = longer(15) + 4;
    }
    if (in.failed()) return std::nullopt;
    sequences.push_back(sequence);
  }
  return sequences;
}

std::optional<Record> decode_lz4_slowly(ByteView source, std::size_t size) {
  Reader header(source);
  std::size_t length = 0;
  for (int i = 0; i < 4; ++i) length = length * 256 + header.byte();
  if (header.failed() || length > source.size() - 4) return std::nullopt;
  const ByteView block = source.subspan(4, length);
  const std::optional<std::vector<Lz4Sequence>> sequences = lz4_sequences(block);
  if (!sequences) return std::nullopt;
  Record record;
  for (const Lz4Sequence& sequence : *sequences) {
    // The literals stand behind the token and the bytes that lengthen it.
    const std::size_t extra = sequence.literals < 15 ? 0 : (sequence.literals - 15) / 255 + 1;
    const ByteView literals = block.subspan(sequence.token + 1 + extra, sequence.literals);
    record.insert(record.end(), literals.begin(), literals.end());
    if (sequence.distance == 0 && sequence.match_length == 0) continue;
    if (!repeat(record, sequence.distance, sequence.match_length)) return std::nullopt;
  }
  if (record.size() != size) return std::nullopt;
  return record;
}

}  // namespace blkpress::test
