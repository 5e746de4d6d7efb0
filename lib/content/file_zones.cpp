#include "content/file_zones.hpp"

#include <algorithm>

#include "blkpress/random.hpp"
#include "blkpress/result.hpp"

namespace blkpress {
namespace {

void fill_random(Random& random, ByteSpan target) {
  std::size_t done = 0;
  for (; done + 8 <= target.size(); done += 8) store_le(target.data() + done, random.next());
  for (; done < target.size(); ++done) target[done] = static_cast<std::byte>(random.next());
}

// Random bytes as mail carries them (RFC 2045): lines of 76 characters out of 64.
void fill_base64(Random& random, ByteSpan target) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::uint64_t bits = 0;
  for (std::size_t i = 0, column = 0; i < target.size(); ++i, ++column) {
    if (column == 76) {
      target[i] = std::byte{'\n'};
      column = ~std::size_t{0};
      continue;
    }
    if (i % 10 == 0) bits = random.next();
    target[i] = static_cast<std::byte>(kDigits[bits & 63]);
    bits >>= 6;
  }
}

}  // namespace

void FileZones::enter(std::uint64_t zone) {
  if (zone == zone_) return;
  zone_ = zone;
  Random random(seed_, zone);
  double draw = random.uniform();
  kind_ = &kinds_.back();
  for (const ZoneKind& kind : kinds_) {
    if (draw < kind.share) {
      kind_ = &kind;
      break;
    }
    draw -= kind.share;
  }
  for (std::size_t page = 0; page < pages_.size();) {
    std::uint64_t bytes = kZone;
    if (kind_->shortest < kind_->longest) {
      const std::uint64_t octave = std::uint64_t{1}
                                   << (kind_->shortest + random.below(kind_->longest - kind_->shortest));
      bytes = octave + random.below(octave);
    }
    const std::uint64_t file = random.next();
    for (std::uint32_t number = 0; bytes > 0 && page < pages_.size(); ++number, ++page) {
      const auto here = static_cast<std::uint32_t>(std::min(bytes, kPage));
      pages_[page] = {file, number, here};
      bytes -= here;
    }
  }
}

void FileZones::write_page(const Page& page, ByteSpan target) const {
  const ByteSpan used = target.first(page.bytes);
  std::fill(target.begin() + page.bytes, target.end(), std::byte{0});
  Random random(page.file, page.number);
  switch (kind_->bytes) {
    case ZoneKind::Bytes::language:
      return TokenLanguage::get(kind_->language).fill(page.file, page.number, used);
    case ZoneKind::Bytes::packed:
      return fill_random(random, used);
    case ZoneKind::Bytes::base64:
      return fill_base64(random, used);
    case ZoneKind::Bytes::zeros:
      std::fill(used.begin(), used.end(), std::byte{0});
  }
}

void FileZones::fill(std::uint64_t index, ByteSpan record) {
  std::array<std::byte, kPage> page;
  const std::uint64_t begin = index * record.size();
  for (std::uint64_t done = 0; done < record.size();) {
    const std::uint64_t at = begin + done;
    const std::uint64_t skipped = at % kPage;
    const std::uint64_t count = std::min<std::uint64_t>(kPage - skipped, record.size() - done);
    enter(at / kZone);
    write_page(pages_[at % kZone / kPage], page);
    std::copy_n(page.begin() + static_cast<std::ptrdiff_t>(skipped), count,
                record.begin() + static_cast<std::ptrdiff_t>(done));
    done += count;
  }
}

}  // namespace blkpress
