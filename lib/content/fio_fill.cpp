#include <algorithm>

#include "blkpress/fio_buffers.hpp"

namespace blkpress {
namespace {

constexpr std::uint64_t kGolden64 = 0x61C8864680B583EB;

// The first bytes of a little-endian word.
void store_part(ByteSpan target, std::uint64_t word) {
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = static_cast<std::byte>(word >> (8 * i));
}

// One stream of words, each made of the last by step; a last incomplete word is truncated.
template <class Step>
void fill_words(std::uint64_t word, ByteSpan target, Step step) {
  for (; target.size() >= 8; target = target.subspan(8), word = step(word)) store_le(target.data(), word);
  store_part(target, word);
}

std::uint64_t step_by_golden(std::uint64_t word) { return word * kGolden64; }

// Up to 3.30. The shift leaves the top three bits of every word but the first zero, which codecs with an entropy stage
// notice.
void fill_shifted(std::uint64_t word, ByteSpan target) {
  const auto step = [](std::uint64_t w) { return (w * 0x9e37fffffffc0001ULL) >> 3; };
  for (; target.size() >= 8; target = target.subspan(8), word = step(word)) store_le(target.data(), word);
  for (std::size_t part = 4; part > 0; part /= 2) {
    if (target.size() < part) continue;
    store_part(target.first(part), word);
    target = target.subspan(part);
    word = step(word);
  }
}

void fill_four_streams(std::uint64_t seed, ByteSpan target) {
  std::uint64_t s[4] = {seed, seed * 2, seed * 3, seed * 5};
  for (; target.size() >= 32; target = target.subspan(32)) {
    for (std::size_t k = 0; k < 4; ++k) {
      store_le(target.data() + 8 * k, s[k]);
      s[k] = step_by_golden(s[k]);
    }
  }
  fill_words(s[0], target, step_by_golden);
}

}  // namespace

void fio_fill(FioFill generator, std::uint64_t seed, ByteSpan target) {
  switch (generator) {
    case FioFill::up_to_3_30:
      return fill_shifted(seed, target);
    case FioFill::of_3_31:
      return fill_words(seed, target, step_by_golden);
    case FioFill::since_3_32:
      return fill_four_streams(seed, target);
  }
}

FioFiller::FioFiller(const FioIoOptions& options)
    : content_(options.content),
      seeds_(options.seeding),
      buffer_(seeds_[content_.verify ? FioStream::verify : FioStream::buffer]),
      dedupe_(seeds_[FioStream::dedupe]),
      dedupe_working_set_(seeds_[FioStream::dedupe_working_set]) {
  const bool all_rest = content_.compress_percentage == 100;
  if (content_.zero_buffers || (all_rest && content_.pattern.empty())) {
    kind_ = Kind::zeros;
  } else if (content_.compress_percentage > 0 || content_.dedupe_percentage > 0) {
    kind_ = Kind::pieces;
  } else {
    kind_ = content_.pattern.empty() ? Kind::random : Kind::pattern;
  }
  if (content_.dedupe_percentage > 0 && content_.dedupe_mode == FioDedupeMode::working_set) {
    const std::uint64_t smallest = options.access.block_sizes[1].min;
    // Divided first so that the product cannot overflow; fio's own figure is the floor of the exact quotient.
    const std::uint64_t percent = content_.dedupe_working_set_percentage;
    const std::uint64_t size = options.access.size;
    working_set_ = (size / 100 * percent + size % 100 * percent / 100) / smallest;
    working_set_draws_ = draws(smallest, smallest);
  }
}

void FioFiller::restart() {
  buffer_ = FioRandom(seeds_[content_.verify ? FioStream::verify : FioStream::buffer]);
  dedupe_ = FioRandom(seeds_[FioStream::dedupe]);
  dedupe_working_set_ = FioRandom(seeds_[FioStream::dedupe_working_set]);
}

std::uint64_t FioFiller::piece_size(std::uint64_t smallest_block) const {
  return content_.compress_chunk == 0 ? smallest_block : std::min(smallest_block, content_.compress_chunk);
}

std::uint64_t FioFiller::draws(std::uint64_t length, std::uint64_t smallest_block) const {
  if (kind_ == Kind::random) return 2;
  if (kind_ != Kind::pieces || content_.dedupe_percentage == 100) return 0;
  const std::uint64_t piece = piece_size(smallest_block);
  std::uint64_t pieces = (length + piece - 1) / piece;
  // A remainder of up to 8 bytes joins the rest of the piece before it.
  const std::uint64_t remainder = length % piece;
  if (content_.compress_percentage > 0 && remainder > 0 && remainder <= 8 && pieces > 1) --pieces;
  return 2 * pieces;
}

FioFillRecipe FioFiller::draw(std::uint64_t length, std::uint64_t smallest_block) {
  const std::uint32_t percentage = content_.dedupe_percentage;
  if (kind_ == Kind::pieces && percentage > 0 && percentage < 100 && dedupe_.between(1, 100) <= percentage) {
    FioFillRecipe duplicate{buffer_, length};
    if (working_set_ > 0) {
      // State j is the state before the j-th unique block, counted from the start of the job.
      const std::uint64_t j = (working_set_ * dedupe_working_set_.next()) >> 32;
      duplicate.state = FioRandom(seeds_[FioStream::buffer]);
      duplicate.state.skip(j * working_set_draws_);
    }
    return duplicate;
  }
  const FioFillRecipe unique{buffer_, length};
  buffer_.skip(draws(length, smallest_block));
  return unique;
}

void FioFiller::skip(std::uint64_t count, std::uint64_t length, std::uint64_t smallest_block) {
  if (kind_ == Kind::pieces && content_.dedupe_percentage > 0) {
    for (; count > 0; --count) draw(length, smallest_block);
  } else {
    buffer_.skip(count * draws(length, smallest_block));
  }
}

void FioFiller::render(const FioFillRecipe& recipe, std::uint64_t smallest_block, ByteSpan target) const {
  FioRandom state = recipe.state;
  switch (kind_) {
    case Kind::random:
      return fio_fill(content_.fill, state.next_fill_seed(), target);
    case Kind::pieces:
      return render_pieces(state, piece_size(smallest_block), target);
    case Kind::pattern:
    case Kind::zeros:
      return render_rest(target);
  }
}

void FioFiller::render_pieces(FioRandom state, std::uint64_t piece, ByteSpan target) const {
  const FioRandom first = state;
  while (!target.empty()) {
    if (content_.dedupe_percentage == 100) state = first;  // one piece, repeated through the file
    const std::uint64_t here = std::min<std::uint64_t>(piece, target.size());
    const std::uint64_t random = here * (100 - content_.compress_percentage) / 100;
    fio_fill(content_.fill, state.next_fill_seed(), target.first(random));
    std::uint64_t end = here;
    if (random < here && target.size() - here <= 8) end = target.size();
    render_rest(target.subspan(random, end - random));
    target = target.subspan(end);
  }
}

void FioFiller::render_rest(ByteSpan target) const {
  if (content_.pattern.empty() || kind_ == Kind::zeros) {
    std::fill(target.begin(), target.end(), std::byte{0});
    return;
  }
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = content_.pattern[i % content_.pattern.size()];
}

}  // namespace blkpress
