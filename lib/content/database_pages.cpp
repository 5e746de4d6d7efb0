#include <algorithm>

#include "blkpress/corpus.hpp"

namespace blkpress {
namespace {

// Layout of PostgreSQL's heap pages: PostgreSQL manual, "Database Page Layout".
constexpr std::size_t kPage = 8192;
constexpr std::uint32_t kPageHeader = 24;
constexpr std::uint32_t kTupleHeader = 24;

class PageWriter {
 public:
  explicit PageWriter(std::uint64_t seed) : random_(seed), text_(seed ^ 0x5555) {}

  void write(std::byte* page, std::size_t number) {
    const std::uint32_t kind = random_.below(10);  // 0: may stay uninitialised; up to 3: half full; else full
    if (kind == 0 && number % 3 == 0) return;
    lower_ = kPageHeader;
    upper_ = kPage;
    lsn_ += kPage + random_.below(4096) * 8;
    const std::uint32_t free_space = kind <= 3 ? 4096 : 256;
    while (upper_ - lower_ > free_space && append_tuple(page, number)) {
    }
    store_le<std::uint32_t>(page, static_cast<std::uint32_t>(lsn_ >> 32));
    store_le<std::uint32_t>(page + 4, static_cast<std::uint32_t>(lsn_));
    store_le<std::uint16_t>(page + 12, static_cast<std::uint16_t>(lower_));
    store_le<std::uint16_t>(page + 14, static_cast<std::uint16_t>(upper_));
    store_le<std::uint16_t>(page + 16, kPage);
    store_le<std::uint16_t>(page + 18, 0x2004);  // page size and layout version 4
  }

 private:
  // A row of bigint, timestamp, integer and text. False when it does not fit any more.
  bool append_tuple(std::byte* page, std::size_t number) {
    const std::uint32_t text_size = 20 + random_.below(60);
    const std::uint32_t needed = static_cast<std::uint32_t>(round_up(kTupleHeader + 8 + 8 + 4 + 1 + text_size, 8));
    if (upper_ - lower_ < needed + 4) return false;
    upper_ -= needed;
    id_ += 1 + random_.below(3);
    std::byte* const tuple = page + upper_;
    store_le<std::uint32_t>(tuple, static_cast<std::uint32_t>(731 + number / 64));  // xmin
    store_le<std::uint32_t>(tuple + 12, static_cast<std::uint32_t>(number));        // ctid: block, then line
    store_le<std::uint16_t>(tuple + 16, static_cast<std::uint16_t>((lower_ - kPageHeader) / 4 + 1));
    store_le<std::uint16_t>(tuple + 18, 5);       // attributes
    store_le<std::uint16_t>(tuple + 20, 0x0902);  // infomask: committed, has variable-width attributes
    tuple[22] = std::byte{kTupleHeader};
    store_le<std::uint64_t>(tuple + 24, id_);
    store_le<std::uint64_t>(tuple + 32, 700000000000000ULL + id_ * 977 + random_.below(1000000));
    store_le<std::uint32_t>(tuple + 40, random_.below(100000));
    tuple[44] = static_cast<std::byte>(text_size * 2 + 3);  // one-byte varlena header
    std::vector<std::byte> text;
    text_.append(text, text_size);
    std::copy(text.begin(), text.end(), tuple + 45);
    store_le<std::uint32_t>(page + lower_, upper_ | (1U << 15) | ((needed * 2U) << 16));
    lower_ += 4;
    return true;
  }

  CorpusRandom random_;
  TextGenerator text_;
  std::uint64_t id_ = 1000;
  std::uint64_t lsn_ = 0x16B374D848ULL;
  std::uint32_t lower_ = 0;  // end of the line pointers
  std::uint32_t upper_ = 0;  // begin of the tuples
};

}  // namespace

std::vector<std::byte> generate_database_pages(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> bytes(size);
  PageWriter writer(seed);
  for (std::size_t number = 0; number < size / kPage; ++number) writer.write(bytes.data() + number * kPage, number);
  return bytes;
}

}  // namespace blkpress
