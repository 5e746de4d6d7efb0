#include "blkpress/bitmap_image.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "blkpress/random.hpp"
#include "blkpress/result.hpp"

namespace blkpress {
namespace {

constexpr std::uint32_t kHeader = 54;
constexpr std::uint32_t kMaxSide = 32768;

// Radii of 16 to 128 pixels: what is smaller is texture, and no shape is so large that the knob, which turns shapes one
// by one, moves the ratio in jumps.
constexpr int kSmallestShape = 4;
constexpr int kLargestShape = 7;

// A value from a position, independent of all others.
std::uint64_t hash(std::uint64_t seed, std::uint64_t kind, std::int64_t x, std::int64_t y) {
  const auto position = (static_cast<std::uint64_t>(x + 4096) << 32) | static_cast<std::uint64_t>(y + 4096);
  return mix64(mix64(seed + kind) ^ position);
}

// What is seen at a pixel: the shape with the lowest depth.
struct Seen {
  std::uint64_t depth = ~std::uint64_t{0};
  std::uint64_t shape = 0;  // its random bits: colour and texture
};

std::int64_t square_root(std::int64_t x) {
  std::int64_t root = 0;
  for (std::int64_t bit = 1 << 15; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= x) root += bit;
  }
  return root;
}

// Paints, into one row, the shapes of one octave: one disc of radius 2^octave at a random place in each square of twice
// that side.
void paint_octave(std::uint64_t seed, int octave, std::int64_t y, std::vector<Seen>& row) {
  const std::int64_t side = std::int64_t{2} << octave;
  const std::int64_t radius = side / 2;
  const auto width = static_cast<std::int64_t>(row.size());
  for (std::int64_t cell_y = y / side - 1; cell_y <= y / side + 1; ++cell_y) {
    for (std::int64_t cell_x = -1; cell_x <= width / side + 1; ++cell_x) {
      const std::uint64_t place = hash(seed, static_cast<std::uint64_t>(octave), cell_x, cell_y);
      const std::int64_t centre_x = cell_x * side + static_cast<std::int64_t>(place & 0xffff) % side;
      const std::int64_t centre_y = cell_y * side + static_cast<std::int64_t>(place >> 16 & 0xffff) % side;
      const std::int64_t reach = radius * radius - (y - centre_y) * (y - centre_y);
      if (reach < 0) continue;
      const std::int64_t half = square_root(reach);
      const std::uint64_t depth = mix64(place);
      const std::int64_t end = std::min(width, centre_x + half + 1);
      for (std::int64_t x = std::max<std::int64_t>(0, centre_x - half); x < end; ++x) {
        Seen& seen = row[static_cast<std::size_t>(x)];
        if (depth < seen.depth) seen = {depth, mix64(depth)};
      }
    }
  }
}

// Wavelengths of 2 to 16 pixels, each the bilinear interpolation of random values at the corners of a square grid.
// Divided by 3, an octave has a standard deviation of 16 levels: ten octaves of it, from 2 to 1024 pixels, make 50, the
// contrast of an ordinary photograph.
int texture(std::uint64_t seed, std::int64_t x, std::int64_t y) {
  std::int64_t sum = 0;
  for (int octave = 1; octave <= 4; ++octave) {
    const std::int64_t side = std::int64_t{1} << octave;
    const auto corner = [&](std::int64_t dx, std::int64_t dy) {
      const std::uint64_t kind = 100 + static_cast<std::uint64_t>(octave);
      return static_cast<std::int64_t>(hash(seed, kind, (x >> octave) + dx, (y >> octave) + dy) & 255) - 128;
    };
    const std::int64_t right = x & (side - 1);
    const std::int64_t down = y & (side - 1);
    const std::int64_t top = corner(0, 0) * (side - right) + corner(1, 0) * right;
    const std::int64_t bottom = corner(0, 1) * (side - right) + corner(1, 1) * right;
    sum += (top * (side - down) + bottom * down) / (side * side);
  }
  return static_cast<int>(sum / 3);
}

class BitmapContent final : public RecordContent {
 public:
  explicit BitmapContent(const BitmapOptions& options) : image_(options) {}
  void fill(std::uint64_t index, ByteSpan record) override { image_.read(index * record.size(), record); }
  [[nodiscard]] std::string_view cost_class() const override { return "bitmap"; }

 private:
  BitmapImage image_;
};

}  // namespace

BitmapImage::BitmapImage(const BitmapOptions& options)
    : options_(options),
      row_bytes_(round_up(std::uint64_t{options.width} * 3, 4)),
      textured_below_(static_cast<std::uint64_t>(options.textured_share * 4294967296.0)) {
  BLKPRESS_ASSERT(options.width > 0 && options.width <= kMaxSide && options.height > 0 && options.height <= kMaxSide);
  BLKPRESS_ASSERT(options.textured_share >= 0 && options.textured_share <= 1);
}

std::uint64_t BitmapImage::size() const { return kHeader + row_bytes_ * options_.height; }

void BitmapImage::read(std::uint64_t offset, ByteSpan target) const {
  std::fill(target.begin(), target.end(), std::byte{0});
  if (offset >= size()) return;
  target = target.first(std::min<std::uint64_t>(target.size(), size() - offset));
  read_header(offset, target);
  std::vector<std::byte> row(row_bytes_);
  const std::uint64_t end = offset + target.size();
  std::uint64_t at = std::max<std::uint64_t>(offset, kHeader);
  while (at < end) {
    const std::uint64_t y = (at - kHeader) / row_bytes_;
    const std::uint64_t from = (at - kHeader) % row_bytes_;
    const std::uint64_t count = std::min(row_bytes_ - from, end - at);
    paint_row(static_cast<std::uint32_t>(y), row.data());
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(from), count,
                target.begin() + static_cast<std::ptrdiff_t>(at - offset));
    at += count;
  }
}

// BITMAPFILEHEADER and BITMAPINFOHEADER of the Windows documentation.
void BitmapImage::read_header(std::uint64_t offset, ByteSpan target) const {
  std::array<std::byte, kHeader> header{};
  header[0] = std::byte{'B'};
  header[1] = std::byte{'M'};
  store_le<std::uint32_t>(header.data() + 2, static_cast<std::uint32_t>(size()));
  store_le<std::uint32_t>(header.data() + 10, kHeader);
  store_le<std::uint32_t>(header.data() + 14, 40);
  store_le<std::uint32_t>(header.data() + 18, options_.width);
  store_le<std::uint32_t>(header.data() + 22, options_.height);
  store_le<std::uint16_t>(header.data() + 26, 1);
  store_le<std::uint16_t>(header.data() + 28, 24);
  for (std::uint64_t at = offset; at < kHeader && at - offset < target.size(); ++at) target[at - offset] = header[at];
}

void BitmapImage::paint_row(std::uint32_t y, std::byte* row) const {
  std::vector<Seen> seen(options_.width);
  for (int octave = kSmallestShape; octave <= kLargestShape; ++octave) paint_octave(options_.seed, octave, y, seen);
  for (std::uint32_t x = 0; x < options_.width; ++x) {
    const std::uint64_t shape = seen[x].shape;
    // A shape at the threshold is textured in some of its tiles only, so that the knob has no steps.
    const std::uint64_t tile = hash(options_.seed, 200, x >> 4, y >> 4) & 0x0fffffff;
    const bool textured = (shape >> 32) / 16 * 15 + tile < textured_below_;
    const int light = textured ? texture(options_.seed, x, y) : 0;
    for (int channel = 0; channel < 3; ++channel) {
      const int level = static_cast<int>((shape >> (8 * channel)) & 255);
      row[3 * x + static_cast<std::uint32_t>(channel)] = static_cast<std::byte>(std::clamp(level + light, 0, 255));
    }
  }
}

std::unique_ptr<RecordContent> bitmap_content(std::uint64_t seed, double knob) {
  return std::make_unique<BitmapContent>(BitmapOptions{.textured_share = knob, .seed = seed});
}

}  // namespace blkpress
