// compression=off: the record itself.
#include <algorithm>

#include "codec/registry.hpp"

namespace blkpress {
namespace {

class OffContext final : public CodecContext {
 public:
  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    if (source.size() > target.size()) return std::nullopt;
    std::copy(source.begin(), source.end(), target.begin());
    return source.size();
  }

  Status decompress(ByteView source, ByteSpan target) override {
    if (source.size() < target.size()) return corrupt_record("off", "it is shorter than the record");
    std::copy_n(source.begin(), target.size(), target.begin());
    return ok();
  }
};

}  // namespace

CodecInfo off_codec() {
  return {.name = {},
          .description = "the record as it is",
          .library = "own",
          .library_version = no_library_version,
          .levels = {},
          .default_level = 0,
          .make_context = make_context_without_level<OffContext>};
}

}  // namespace blkpress
