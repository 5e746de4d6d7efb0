#include "pool/object_state.hpp"

#include <fmt/format.h>

namespace blkpress {

std::string ObjectState::encode() const {
  return FieldWriter().number(id).number(size).number(record_bytes).number(std::uint32_t{frozen ? 1U : 0U}).take();
}

Result<std::shared_ptr<ObjectState>> ObjectState::decode(std::uint64_t owner, std::string_view name,
                                                         std::string_view value) {
  auto object = std::make_shared<ObjectState>();
  std::uint32_t flags = 0;
  FieldReader reader(value);
  reader.number(object->id).number(object->size).number(object->record_bytes).number(flags);
  const bool good = reader.at_end() && flags <= 1 && object->record_bytes >= 512 &&
                    object->record_bytes <= kBlockBytesMax && object->record_bytes % 512 == 0 &&
                    object->size <= kObjectBytesMax;
  if (!good) return Error{ErrorKind::corrupt, fmt::format("object '{}': its entry is out of range", name)};
  object->owner = owner;
  object->name = name;
  object->frozen = flags != 0;
  return object;
}

std::string wrong_object_name(std::string_view name) {
  if (name.empty() || name.size() > 255) {
    return fmt::format("object name of {} bytes is not between 1 and 255 bytes long", name.size());
  }
  if (name.find('\0') != std::string_view::npos) return "object name has a zero byte in it";
  return {};
}

}  // namespace blkpress
