#include "blkpress/corpus.hpp"

#include <algorithm>
#include <array>

#include "blkpress/result.hpp"

namespace blkpress {
namespace {

std::vector<std::byte> repeated(std::size_t size, char value) {
  return std::vector<std::byte>(size, static_cast<std::byte>(value));
}

struct CorpusEntry {
  std::string_view name;
  std::vector<std::byte> (*make)();
};

template <std::size_t size>
std::vector<std::byte> small_text() {
  return generate_text(size, 0x5417ULL + size);
}
template <std::size_t size>
std::vector<std::byte> small_random() {
  return generate_random(size, 0x5418ULL + size);
}

constexpr std::array kEntries = {
    CorpusEntry{"bmp.bin", [] { return generate_gradient_bitmap(); }},
    CorpusEntry{"const_A.bin", [] { return repeated(kMiB, 'A'); }},
    CorpusEntry{"dbpage.bin", [] { return generate_database_pages(8 * kMiB, 0xDBDBDBULL); }},
    CorpusEntry{"mixed.bin", [] { return generate_mixed(8 * kMiB, 0x313ED00DULL); }},
    CorpusEntry{"ramp.bin", [] { return generate_ramp(8 * kMiB, 0x4A3BULL); }},
    CorpusEntry{"ramp4k.bin", [] { return generate_sector_ramp(kMiB, 0x4A3CULL); }},
    CorpusEntry{"random.bin", [] { return generate_random(8 * kMiB, 0x9E3779B97F4A7C15ULL); }},
    CorpusEntry{"small_rand_100.bin", small_random<100>},
    CorpusEntry{"small_rand_130000.bin", small_random<130000>},
    CorpusEntry{"small_rand_131073.bin", small_random<131073>},
    CorpusEntry{"small_rand_5000.bin", small_random<5000>},
    CorpusEntry{"small_rand_513.bin", small_random<513>},
    CorpusEntry{"small_text_100.bin", small_text<100>},
    CorpusEntry{"small_text_130000.bin", small_text<130000>},
    CorpusEntry{"small_text_131073.bin", small_text<131073>},
    CorpusEntry{"small_text_5000.bin", small_text<5000>},
    CorpusEntry{"small_text_513.bin", small_text<513>},
    CorpusEntry{"syntext.bin", [] { return generate_text(8 * kMiB, 0x7E57ULL); }},
    CorpusEntry{"zeros.bin", [] { return repeated(8 * kMiB, 0); }},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kEntries.size()> names;
  std::transform(kEntries.begin(), kEntries.end(), names.begin(), [](const CorpusEntry& entry) { return entry.name; });
  return names;
}();

void append(std::vector<std::byte>& target, ByteView source) {
  target.insert(target.end(), source.begin(), source.end());
}

}  // namespace

std::span<const std::string_view> corpus_names() { return kNames; }

std::vector<std::byte> corpus_file(std::string_view name) {
  const auto entry = std::find_if(kEntries.begin(), kEntries.end(), [&](const auto& e) { return e.name == name; });
  BLKPRESS_ASSERT(entry != kEntries.end());
  return entry->make();
}

std::vector<std::byte> generate_random(std::size_t size, std::uint64_t seed) {
  CorpusRandom random(seed);
  std::vector<std::byte> bytes(round_up(size, 8));
  for (std::size_t at = 0; at < size; at += 8) store_le(bytes.data() + at, random.next());
  bytes.resize(size);
  return bytes;
}

std::vector<std::byte> generate_mixed(std::size_t size, std::uint64_t seed) {
  constexpr std::size_t kPart = 64 * kKiB;
  BLKPRESS_ASSERT(size > kPart);
  const std::vector<std::byte> random = generate_random(size, seed + 1);
  TextGenerator text(seed);
  std::vector<std::byte> bytes;
  bytes.reserve(size + kPart);
  for (std::size_t part = 0; bytes.size() < size; ++part) {
    switch (part % 3) {
      case 0:
        bytes.resize(bytes.size() + kPart);
        break;
      case 1:
        text.append(bytes, kPart);
        break;
      default:
        append(bytes, ByteView(random).subspan(part * kPart % (size - kPart), kPart));
    }
  }
  bytes.resize(size);
  return bytes;
}

std::vector<std::byte> generate_ramp(std::size_t size, std::uint64_t seed) {
  constexpr std::size_t kBlock = 128 * kKiB;
  const std::vector<std::byte> random = generate_random(size, seed + 7);
  TextGenerator text(seed);
  std::vector<std::byte> bytes;
  bytes.reserve(size + kKiB);
  for (std::size_t block = 0; block < size / kBlock; ++block) {
    const std::size_t prefix = (block % 64) * (kBlock / 64);
    append(bytes, ByteView(random).subspan(block * kBlock, prefix));
    text.append(bytes, kBlock - prefix);
  }
  return bytes;
}

std::vector<std::byte> generate_sector_ramp(std::size_t size, std::uint64_t seed) {
  constexpr std::size_t kBlock = 4 * kKiB;
  std::vector<std::byte> bytes = generate_random(size, seed);
  for (std::size_t block = 0; block < size / kBlock; ++block) {
    const std::size_t prefix = (block % 65) * 64;
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(block * kBlock + prefix),
              bytes.begin() + static_cast<std::ptrdiff_t>((block + 1) * kBlock), std::byte{0});
  }
  return bytes;
}

std::vector<std::byte> generate_gradient_bitmap() {
  constexpr std::uint32_t kWidth = 2048;
  constexpr std::uint32_t kHeight = 1365;
  constexpr std::uint32_t kHeader = 54;
  constexpr std::uint32_t kPixels = kWidth * 3 * kHeight;
  std::vector<std::byte> bytes(kHeader + kPixels);
  std::byte* const header = bytes.data();
  header[0] = std::byte{'B'};
  header[1] = std::byte{'M'};
  store_le<std::uint32_t>(header + 2, kHeader + kPixels);
  store_le<std::uint32_t>(header + 10, kHeader);
  store_le<std::uint32_t>(header + 14, 40);  // size of BITMAPINFOHEADER
  store_le<std::uint32_t>(header + 18, kWidth);
  store_le<std::uint32_t>(header + 22, kHeight);
  store_le<std::uint16_t>(header + 26, 1);   // planes
  store_le<std::uint16_t>(header + 28, 24);  // bits per pixel
  store_le<std::uint32_t>(header + 34, kPixels);
  store_le<std::uint32_t>(header + 38, 2835);  // pixels per metre: 72 dpi
  store_le<std::uint32_t>(header + 42, 2835);
  std::byte* pixel = header + kHeader;
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x, pixel += 3) {
      pixel[0] = static_cast<std::byte>(x * 255 / kWidth);
      pixel[1] = static_cast<std::byte>(y * 255 / kHeight);
      pixel[2] = static_cast<std::byte>(x * 96 / kWidth + y * 144 / kHeight);
    }
  }
  return bytes;
}

}  // namespace blkpress
