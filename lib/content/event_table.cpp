#include "blkpress/event_table.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "blkpress/random.hpp"
#include "blkpress/result.hpp"

namespace blkpress {
namespace {

// Layout of PostgreSQL's heap pages: PostgreSQL manual, "Database Page Layout".
constexpr std::uint32_t kPageHeader = 24;
constexpr std::uint32_t kTupleHeader = 24;
constexpr std::uint64_t kRowsPerPage =
    60;  // in steps of the key from page to page; a page's rows use the first of them

constexpr std::array<std::string_view, 12> kKinds = {"view",   "click",  "search", "login",  "logout", "order",
                                                     "refund", "upload", "share",  "rating", "signup", "error"};
constexpr std::array<std::string_view, 8> kPlaces = {"products", "articles", "users", "orders",
                                                     "search",   "help",     "media", "account"};

// Small numbers more often than large ones: the product of two uniform ones, as accounts of a site are.
std::uint64_t skewed(Random& random, std::uint64_t bound) { return random.below(random.below(bound) + 1); }

}  // namespace

class EventTable::Page {
 public:
  Page(const EventTableOptions& options, std::uint64_t number, std::byte* bytes)
      : number_(number), bytes_(bytes), random_(options.seed, number) {
    free_ = static_cast<std::uint32_t>(static_cast<double>(kPageSize) * 2.0 * options.free_share * random_.uniform());
  }

  void write() {
    std::fill_n(bytes_, kPageSize, std::byte{0});
    while (append_row()) {
    }
    const std::uint64_t lsn = 0x16B374D848ULL + number_ * (kPageSize + 3000) + random_.below(3000) * 8;
    store_le<std::uint32_t>(bytes_, static_cast<std::uint32_t>(lsn >> 32));
    store_le<std::uint32_t>(bytes_ + 4, static_cast<std::uint32_t>(lsn));
    store_le<std::uint16_t>(bytes_ + 12, static_cast<std::uint16_t>(lower_));
    store_le<std::uint16_t>(bytes_ + 14, static_cast<std::uint16_t>(upper_));
    store_le<std::uint16_t>(bytes_ + 16, kPageSize);
    store_le<std::uint16_t>(bytes_ + 18, 0x2004);  // page size and layout version 4
  }

 private:
  // Columns: id bigint, at timestamptz, account bigint, amount integer, status smallint, kind text, address text, token
  // uuid. False when the row does not fit any more.
  bool append_row() {
    std::string values;
    const std::uint64_t id = number_ * kRowsPerPage + rows_ + 1;
    append_integer(values, id, 8);
    append_integer(values, 700'000'000'000'000ULL + id * 2'000'000 + random_.below(2'000'000), 8);  // µs since 2000
    const std::uint64_t account = 1 + skewed(random_, 100'000);
    append_integer(values, account, 8);
    append_integer(values, skewed(random_, 10'000), 4);
    append_integer(values, 200 + 100 * skewed(random_, 4), 2);
    append_text(values, kKinds[skewed(random_, kKinds.size())]);
    std::string address = "https://www.example.com/";
    address += kPlaces[skewed(random_, kPlaces.size())];
    address += "/" + std::to_string(1 + skewed(random_, 5'000));
    append_text(values, address);
    for (int word = 0; word < 2; ++word) append_integer(values, random_.next(), 8);

    const auto needed = static_cast<std::uint32_t>(round_up(kTupleHeader + values.size(), 8));
    if (upper_ - lower_ < needed + 4 + free_) return false;
    upper_ -= needed;
    ++rows_;
    write_tuple(values);
    store_le<std::uint32_t>(bytes_ + lower_,
                            upper_ | (1U << 15) | (static_cast<std::uint32_t>(kTupleHeader + values.size()) << 17));
    lower_ += 4;
    return true;
  }

  void write_tuple(std::string_view values) {
    std::byte* const tuple = bytes_ + upper_;
    store_le<std::uint32_t>(tuple, static_cast<std::uint32_t>(731 + number_ / 16));  // xmin
    store_le<std::uint32_t>(tuple + 12, static_cast<std::uint32_t>(number_));        // ctid: block, then line
    store_le<std::uint16_t>(tuple + 16, static_cast<std::uint16_t>(rows_));
    store_le<std::uint16_t>(tuple + 18, 8);       // attributes
    store_le<std::uint16_t>(tuple + 20, 0x0902);  // infomask: committed, has variable-width attributes
    tuple[22] = std::byte{kTupleHeader};
    std::transform(values.begin(), values.end(), tuple + kTupleHeader,
                   [](char c) { return static_cast<std::byte>(c); });
  }

  static void append_integer(std::string& values, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) values += static_cast<char>(value >> (8 * i) & 255);
  }

  // With PostgreSQL's one-byte header; values here are shorter than 126 bytes.
  static void append_text(std::string& values, std::string_view text) {
    values += static_cast<char>((text.size() + 1) * 2 + 1);
    values += text;
  }

  std::uint64_t number_;
  std::byte* bytes_;
  Random random_;
  std::uint32_t lower_ = kPageHeader;  // end of the line pointers
  std::uint32_t upper_ = kPageSize;    // begin of the tuples
  std::uint64_t rows_ = 0;
  std::uint32_t free_;  // bytes that stay unused
};

EventTable::EventTable(const EventTableOptions& options) : options_(options) {
  BLKPRESS_ASSERT(options.free_share >= 0 && options.free_share <= 0.5);
}

void EventTable::read(std::uint64_t offset, ByteSpan target) const {
  BLKPRESS_ASSERT(offset % kPageSize == 0 && target.size() % kPageSize == 0);
  for (std::uint64_t at = 0; at < target.size(); at += kPageSize) {
    Page(options_, (offset + at) / kPageSize, target.data() + at).write();
  }
}

namespace {

class EventTableContent final : public RecordContent {
 public:
  explicit EventTableContent(const EventTableOptions& options) : table_(options) {}
  void fill(std::uint64_t index, ByteSpan record) override { table_.read(index * record.size(), record); }
  [[nodiscard]] std::string_view cost_class() const override { return "database"; }

 private:
  EventTable table_;
};

}  // namespace

std::unique_ptr<RecordContent> database_content(std::uint64_t seed, double knob) {
  return std::make_unique<EventTableContent>(EventTableOptions{.free_share = knob, .seed = seed});
}

}  // namespace blkpress
