#include "policy/property_list.hpp"

#include <fmt/format.h>

#include <charconv>

namespace blkpress {

Status PropertyList::check_names() const {
  for (const Property& property : properties_) {
    bool known = false;
    for (std::string_view rest = names_; !rest.empty();) {
      const std::size_t comma = rest.find(", ");
      known = known || rest.substr(0, comma) == property.name;
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
    }
    if (!known) {
      return Error{ErrorKind::usage,
                   fmt::format("policy {} has no property '{}'; it has {}", policy_, property.name, names_)};
    }
  }
  return ok();
}

const std::string* PropertyList::find(std::string_view name) const {
  const std::string* value = nullptr;
  for (const Property& property : properties_) {
    if (property.name == name) value = &property.value;
  }
  return value;
}

Result<bool> PropertyList::on_off(std::string_view name, bool otherwise) const {
  const std::string* text = find(name);
  if (text == nullptr) return otherwise;
  if (*text != "on" && *text != "off") {
    return Error{ErrorKind::usage, fmt::format("{} '{}' is not one of: on | off", name, *text)};
  }
  return *text == "on";
}

Result<std::uint64_t> PropertyList::number(std::string_view name, std::uint64_t least, std::uint64_t most,
                                           std::uint64_t otherwise) const {
  const std::string* text = find(name);
  if (text == nullptr) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value < least || value > most) {
    return Error{ErrorKind::usage, fmt::format("{} '{}' is not between {} and {}", name, *text, least, most)};
  }
  return value;
}

}  // namespace blkpress
