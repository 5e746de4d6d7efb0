#include "codec/sample_records.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "blkpress/corpus.hpp"
#include "blkpress/random.hpp"

namespace blkpress::test {
namespace {

constexpr std::array<std::string_view, 8> kKinds{"zeros",    "constant", "random", "text",
                                                 "database", "gradient", "sparse", "repeats"};
constexpr std::size_t kPoolSize = kLargestRecord + 2 * kMiB;

// Mostly zero, with a byte, a pair or a longer piece of noise here and there: what ZLE is for.
std::vector<std::byte> make_sparse(std::size_t size) {
  std::vector<std::byte> data(size);
  Random random(1, 1);
  for (std::size_t at = random.below(300); at < size; at += 1 + random.below(300)) {
    const std::size_t run = std::min<std::size_t>(1 + random.below(random.below(8) == 0 ? 200 : 3), size - at);
    for (std::size_t i = 0; i < run; ++i) data[at + i] = static_cast<std::byte>(random.next());
  }
  return data;
}

// Pieces of what came before, from every distance and of every length: matches that overlap, long ones, far ones.
std::vector<std::byte> make_repeats(std::size_t size) {
  std::vector<std::byte> data;
  data.reserve(size);
  Random random(2, 1);
  while (data.size() < size) {
    for (std::size_t fresh = 1 + random.below(20); fresh > 0; --fresh) {
      data.push_back(static_cast<std::byte>(random.next()));
    }
    const std::size_t reach = std::min<std::size_t>(data.size(), std::size_t{1} << random.below(18));
    const std::size_t distance = 1 + random.below(reach);
    for (std::size_t run = random.below(std::uint64_t{1} << random.below(12)); run > 0; --run) {
      data.push_back(data[data.size() - distance]);
    }
  }
  data.resize(size);
  return data;
}

std::vector<std::byte> make_pool(std::string_view kind) {
  if (kind == "zeros") return std::vector<std::byte>(kPoolSize);
  if (kind == "constant") return std::vector<std::byte>(kPoolSize, std::byte{'A'});
  if (kind == "random") return generate_random(kPoolSize, 7);
  if (kind == "text") return generate_text(kPoolSize, 7);
  if (kind == "database") return generate_database_pages(kPoolSize, 7);
  if (kind == "sparse") return make_sparse(kPoolSize);
  if (kind == "repeats") return make_repeats(kPoolSize);
  BLKPRESS_ASSERT(kind == "gradient");
  std::vector<std::byte> bitmap = generate_gradient_bitmap();
  std::vector<std::byte> data;
  while (data.size() < kPoolSize) data.insert(data.end(), bitmap.begin(), bitmap.end());
  return data;
}

bool is_quick(const Compression& compression) {
  const std::string_view name = compression.codec->name;
  if (name == "gzip") return compression.level == 1;
  if (name == "zstd") return compression.level <= 3;
  return name != "zstd-fast" || compression.level == 1 || compression.level == 10 || compression.level == 1000;
}

}  // namespace

std::span<const std::string_view> kinds_of_content() { return kKinds; }

ByteView sample_record(std::string_view kind, std::size_t size) {
  static std::map<std::string_view, std::vector<std::byte>> pools;
  BLKPRESS_ASSERT(size <= kLargestRecord);
  std::vector<std::byte>& pool = pools[kind];
  if (pool.empty()) pool = make_pool(kind);
  return ByteView(pool).subspan(mix64(size) % (kPoolSize - size), size);
}

std::vector<Compression> all_compressions() {
  std::vector<Compression> all;
  for (const CodecInfo& codec : codecs()) {
    if (codec.levels.empty()) all.push_back({&codec, codec.default_level});
    for (const int level : codec.levels) all.push_back({&codec, level});
  }
  return all;
}

std::vector<Compression> quick_compressions() {
  std::vector<Compression> quick = all_compressions();
  std::erase_if(quick, [](const Compression& compression) { return !is_quick(compression); });
  return quick;
}

}  // namespace blkpress::test
