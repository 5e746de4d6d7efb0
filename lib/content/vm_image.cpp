#include "blkpress/vm_image.hpp"

#include <vector>

#include "blkpress/result.hpp"
#include "content/file_zones.hpp"

namespace blkpress {

// Equal parts, and the octaves of length, come from the packages of a Debian 12 base system (priorities required,
// important and standard, with logs and package lists; 8100 files that are not compressed): 65 MiB of text in files of
// 11 KiB on average, 53 MiB of machine code of 94 KiB, 44 MiB of other binary files of 25 KiB.
std::unique_ptr<RecordContent> vm_image_content(std::uint64_t seed, double knob) {
  BLKPRESS_ASSERT(knob >= 0 && knob <= 1);
  constexpr double kZeros = 0.05;  // preallocated and not written yet: an assumption that no ratio depends on
  const double packed = (1 - kZeros) * knob;
  const double each = (1 - kZeros) * (1 - knob) / 3;
  using Kind = ZoneKind::Bytes;
  std::vector<ZoneKind> kinds = {{Kind::packed, {}, packed, 14, 20},
                                 {Kind::language, LanguageName::system_text, each, 10, 15},
                                 {Kind::language, LanguageName::machine_code, each, 14, 18},
                                 {Kind::language, LanguageName::tables, each, 12, 16},
                                 {Kind::zeros, {}, kZeros, 20, 20}};
  return std::make_unique<FileZones>(seed, std::move(kinds), "vm-image");
}

}  // namespace blkpress
