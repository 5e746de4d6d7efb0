#include "blkpress/mixed_files.hpp"

#include <vector>

#include "blkpress/result.hpp"
#include "content/file_zones.hpp"

namespace blkpress {

std::unique_ptr<RecordContent> mixed_files_content(std::uint64_t seed, double knob) {
  BLKPRESS_ASSERT(knob >= 0 && knob <= 1);
  const double each = (1 - knob) / 3;
  using Kind = ZoneKind::Bytes;
  std::vector<ZoneKind> kinds = {{Kind::packed, {}, knob, 20, 20},
                                 {Kind::language, LanguageName::prose, each, 20, 20},
                                 {Kind::language, LanguageName::source_text, each, 20, 20},
                                 {Kind::base64, {}, each, 20, 20}};
  return std::make_unique<FileZones>(seed, std::move(kinds), "mixed-files");
}

}  // namespace blkpress
