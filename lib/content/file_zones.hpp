// A volume or a tree of files as zones of 1 MiB, each filled with files of one kind.
//
// A zone's kind, its files' lengths and their bytes follow from the seed and its number alone, so any record can be
// made without those before it, and a kind's share is a share of the bytes. Threads: as RecordContent.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "blkpress/record_content.hpp"
#include "content/token_language.hpp"

namespace blkpress {

struct ZoneKind {
  enum class Bytes : std::uint8_t { language, packed, base64, zeros };
  Bytes bytes;
  LanguageName language;  // of Bytes::language
  double share;           // of all zones; the shares of a content add up to 1
  // Files have 2^shortest … 2^longest bytes, as many in each octave, and begin at multiples of 4 KiB with zeros
  // between. Both 20: one file fills the zone.
  std::uint32_t shortest;
  std::uint32_t longest;
};

class FileZones final : public RecordContent {
 public:
  FileZones(std::uint64_t seed, std::vector<ZoneKind> kinds, std::string_view cost_class)
      : seed_(seed), kinds_(std::move(kinds)), cost_class_(cost_class) {}

  void fill(std::uint64_t index, ByteSpan record) override;
  [[nodiscard]] std::string_view cost_class() const override { return cost_class_; }

 private:
  static constexpr std::uint64_t kZone = 1024 * 1024;
  static constexpr std::uint64_t kPage = 4096;
  struct Page {
    std::uint64_t file;    // seed of the file
    std::uint32_t number;  // within the file
    std::uint32_t bytes;   // of the file; the rest is zero
  };

  void enter(std::uint64_t zone);
  void write_page(const Page& page, ByteSpan target) const;

  std::uint64_t seed_;
  std::vector<ZoneKind> kinds_;
  std::string_view cost_class_;
  std::uint64_t zone_ = ~std::uint64_t{0};  // the one that pages_ describes
  const ZoneKind* kind_ = nullptr;
  std::array<Page, kZone / kPage> pages_ = {};
};

}  // namespace blkpress
