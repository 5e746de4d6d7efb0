// A 24-bit Windows bitmap as a web site's sample image might be: flat shapes with edges, some of them textured like a
// photograph. One knob, the share of textured shapes, sets how well it compresses.
//
// Shapes are overlapping discs in random order, as many per octave of radius as cover the same area (the dead leaves
// model of images: Lee, Mumford, Huang 2001). The texture changes luminance only and has as much contrast in each
// octave of wavelength (Field 1987). Integer arithmetic: the same bytes everywhere. docs/content.md has the figures.
// Threads: const functions of a value; any.
#pragma once

#include <cstdint>
#include <memory>

#include "blkpress/bytes.hpp"
#include "blkpress/record_content.hpp"

namespace blkpress {

struct BitmapOptions {
  std::uint32_t width = 1600;  // pixels; 1 … 32768. 1600 x 1200 is a file of 5.49 MiB
  std::uint32_t height = 1200;
  double textured_share = 0;  // the knob: 0 … 1 of the shapes
  std::uint64_t seed = 1;
};

class BitmapImage {
 public:
  explicit BitmapImage(const BitmapOptions& options);

  [[nodiscard]] std::uint64_t size() const;  // of the file, bytes

  // Writes the file's bytes from offset into target, zeros beyond the end. Any order; the cost is that of the rows
  // touched, about 0.1 s for the default image.
  void read(std::uint64_t offset, ByteSpan target) const;

 private:
  void read_header(std::uint64_t offset, ByteSpan target) const;
  void paint_row(std::uint32_t y, std::byte* row) const;

  BitmapOptions options_;
  std::uint64_t row_bytes_;
  std::uint64_t textured_below_;  // of 2^32
};

// The default image as the records of a file, zeros beyond its end. knob: the textured share.
std::unique_ptr<RecordContent> bitmap_content(std::uint64_t seed, double knob);

}  // namespace blkpress
