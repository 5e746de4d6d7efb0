#include "pool/dataset_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

#include "blkpress/ledger.hpp"
#include "blkpress/size_format.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kUserValueMax = 1024, kUserNameMax = 255;

// settable, at creation only, inherited; filesystem, volume, snapshot; number.
constexpr std::array kProperties = {
    PropertyInfo{"type", "TYPE", "filesystem | volume | snapshot", false, false, false, true, true, true, false},
    PropertyInfo{"creation", "CREATION", "<date>", false, false, false, true, true, true, false},
    PropertyInfo{"used", "USED", "<size>", false, false, false, true, true, true, true},
    PropertyInfo{"available", "AVAIL", "<size>", false, false, false, true, true, false, true},
    PropertyInfo{"referenced", "REFER", "<size>", false, false, false, true, true, true, true},
    PropertyInfo{"compressratio", "RATIO", "<1.00x or higher>", false, false, false, true, true, true, true},
    PropertyInfo{"origin", "ORIGIN", "<snapshot>", false, false, false, true, true, false, false},
    PropertyInfo{"quota", "QUOTA", "<size> | none", true, false, false, true, false, false, true},
    PropertyInfo{"reservation", "RESERV", "<size> | none", true, false, false, true, true, false, true},
    PropertyInfo{"volsize", "VOLSIZE", "<size>", true, false, false, false, true, true, true},
    PropertyInfo{"volblocksize", "VOLBLOCK", "512 to 16M, power of 2", true, true, false, false, true, false, true},
    PropertyInfo{"recordsize", "RECSIZE", "512 to 16M, power of 2", true, false, true, true, false, false, true},
    PropertyInfo{"checksum", "CHECKSUM", "on | xxh3-128", true, false, true, true, true, false, true},
    PropertyInfo{"compression", "COMPRESS", "as listed by blkpress codecs", true, false, true, true, true, false, true},
    PropertyInfo{"readonly", "RDONLY", "on | off", true, false, true, true, true, false, true},
    PropertyInfo{"usedbysnapshots", "USEDSNAP", "<size>", false, false, false, true, true, false, true},
    PropertyInfo{"usedbydataset", "USEDDS", "<size>", false, false, false, true, true, false, true},
    PropertyInfo{"usedbychildren", "USEDCHILD", "<size>", false, false, false, true, true, false, true},
    PropertyInfo{"refcompressratio", "REFRATIO", "<1.00x or higher>", false, false, false, true, true, true, true},
    PropertyInfo{"written", "WRITTEN", "<size>", false, false, false, true, true, true, true},
    PropertyInfo{"logicalused", "LUSED", "<size>", false, false, false, true, true, false, true},
    PropertyInfo{"logicalreferenced", "LREFER", "<size>", false, false, false, true, true, true, true},
    PropertyInfo{"guid", "GUID", "<number>", false, false, false, true, true, true, true},
    PropertyInfo{"metadata", "METADATA", "<size>", false, false, false, true, true, true, true},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kDefaults = {{{"recordsize", "131072"},
                                                                                     {"checksum", "on"},
                                                                                     {"compression", "on"},
                                                                                     {"readonly", "off"},
                                                                                     {"volblocksize", "16384"}}};

Error wrong(std::string message) { return {ErrorKind::usage, std::move(message)}; }

Result<std::string> checked_size(const Property& property, std::uint64_t low, std::uint64_t high, bool power) {
  const Result<std::uint64_t> size = parse_size(property.value);
  if (!size) return wrong(fmt::format("{}: {}", property.name, size.error().message));
  if (*size < low || *size > high || (power && !is_power_of_two(*size))) {
    return wrong(fmt::format("{} {} is not {}between {} and {}", property.name, property.value,
                             power ? "a power of two " : "", low, high));
  }
  return fmt::format("{}", *size);
}

PropertyValue size_value(std::string_view name, std::uint64_t bytes, SizeUnit unit) {
  return {std::string(name), fmt::format("{}", bytes), format_size(bytes, unit), "-"};
}

PropertyValue ratio_value(std::string_view name, const DatasetSpace& space) {
  const std::uint64_t ratio = ratio_x100(space.logical, space.compressed);
  return {std::string(name), format_ratio(ratio, true), format_ratio(ratio), "-"};
}

PropertyValue plain_value(std::string_view name, std::string value) { return {std::string(name), value, value, "-"}; }

// In UTC, so that the same pool prints the same everywhere.
PropertyValue time_value(std::uint64_t seconds) {
  // Up to the year 9999.
  const auto time = static_cast<std::time_t>(std::min<std::uint64_t>(seconds, 253402300799));
  std::tm fields{};
  ::gmtime_r(&time, &fields);
  char text[64];
  const std::size_t length = std::strftime(text, sizeof(text), "%a %b %e %H:%M %Y", &fields);
  return {"creation", fmt::format("{}", seconds), std::string(text, length), "-"};
}

// What is set, inherited or default.
PropertyValue set_value(DatasetTable& table, const Dataset& dataset, const PropertyInfo& info) {
  const EffectiveValue effective = effective_property(dataset, info.name);
  PropertyValue value{std::string(info.name), effective.value, effective.value, "default"};
  if (info.name == "recordsize" || info.name == "volblocksize") {
    const Result<std::uint64_t> bytes = parse_size(effective.value);
    if (bytes) value.pretty = format_size(*bytes, SizeUnit::bare);
  } else if (info.name == "quota" || info.name == "reservation") {
    const std::uint64_t bytes = info.name == "quota" ? dataset.quota : dataset.reservation;
    value.value = fmt::format("{}", bytes);
    value.pretty = bytes == 0 ? "none" : format_size(bytes);
  }
  if (effective.from == &dataset) {
    value.source = "local";
  } else if (effective.from != nullptr) {
    value.source = "inherited from " + table.path_of(*effective.from);
  }
  return value;
}

// Of this dataset, its snapshots and all below: what compressratio and logicalused sum up.
DatasetSpace space_below(const Dataset& dataset) {
  DatasetSpace space = dataset.head;
  space += dataset.snapshots;
  for (const auto& [name, child] : dataset.children) space += space_below(*child);
  return space;
}

}  // namespace

const PropertyInfo* property_named(std::string_view name) {
  for (const PropertyInfo& info : kProperties) {
    if (info.name == name) return &info;
    const auto same = [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); };
    if (std::equal(name.begin(), name.end(), info.column.begin(), info.column.end(), same)) return &info;
  }
  return nullptr;
}

std::vector<PropertyInfo> pool_properties() { return {kProperties.begin(), kProperties.end()}; }

bool is_user_property(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':';
  };
  return name.find(':') != std::string_view::npos && name.size() <= kUserNameMax &&
         std::all_of(name.begin(), name.end(), allowed);
}

Result<std::string> checked_property(const Property& property, bool volume, bool creating, const PoolCodecs& codecs) {
  if (is_user_property(property.name)) {
    if (property.value.size() > kUserValueMax) {
      return wrong(fmt::format("{} has {} bytes, more than {}", property.name, property.value.size(), kUserValueMax));
    }
    return property.value;
  }
  const PropertyInfo* info = property_named(property.name);
  if (info == nullptr) return wrong(fmt::format("there is no property '{}'", property.name));
  const std::string_view name = info->name;
  if (!(volume ? info->volume : info->filesystem)) {
    return wrong(fmt::format("{} is not a property of a {}", name, volume ? "volume" : "filesystem"));
  }
  if (!info->settable) return wrong(fmt::format("{} is read only", name));
  if (info->at_creation_only && !creating) return wrong(fmt::format("{} can be set at creation only", name));
  if (name == "compression") {
    const Result<Compression> compression = codecs.parse(property.value);
    if (!compression) return compression.error();
    return property.value;
  }
  if (name == "recordsize" || name == "volblocksize") return checked_size(property, 512, 16 * kMiB, true);
  if (name == "volsize") return checked_size(property, 512, kObjectBytesMax, false);
  if (name == "quota" || name == "reservation") {
    if (property.value == "none") return std::string("0");
    return checked_size(property, 0, kObjectBytesMax, false);
  }
  const std::array<std::string_view, 2> values = name == "checksum" ? std::array<std::string_view, 2>{"on", "xxh3-128"}
                                                                    : std::array<std::string_view, 2>{"on", "off"};
  if (property.value == values[0] || property.value == values[1]) return property.value;
  return wrong(fmt::format("{} '{}' is not one of: {} | {}{}", name, property.value, values[0], values[1],
                           name == "checksum" ? "; every block has a checksum" : ""));
}

EffectiveValue effective_property(const Dataset& dataset, std::string_view name) {
  const PropertyInfo* info = property_named(name);
  const bool inherited = info == nullptr || info->inherited;
  for (const Dataset* at = &dataset; at != nullptr; at = inherited ? at->parent_dataset : nullptr) {
    const auto found = at->properties.find(name);
    if (found != at->properties.end()) return {found->second, at};
  }
  for (const auto& [of, value] : kDefaults) {
    if (of == name) return {std::string(value), nullptr};
  }
  return {};
}

Result<RecordSettings> record_settings(const Dataset& dataset, unsigned ashift, const PoolCodecs& codecs) {
  RecordSettings settings;
  settings.options = ZfsOptions::defaults({}, dataset.volume ? ZfsLayout::volume : ZfsLayout::file);
  const Result<Compression> compression = codecs.parse(effective_property(dataset, "compression").value);
  if (!compression) return compression.error();
  settings.options.compression = *compression;
  settings.codec = compression->is_off() ? 0 : codecs.number_of(*compression->codec);
  settings.options.vdev.ashift = static_cast<int>(ashift);
  const Result<std::uint64_t> bytes =
      parse_size(effective_property(dataset, dataset.volume ? "volblocksize" : "recordsize").value);
  if (!bytes || *bytes < 512 || *bytes > kBlockBytesMax || !is_power_of_two(*bytes)) {
    return Error{ErrorKind::corrupt, fmt::format("dataset {}: record size is out of range", dataset.id)};
  }
  settings.options.recordsize = *bytes;
  settings.read_only = effective_property(dataset, "readonly").value == "on";
  return settings;
}

Result<PropertyValue> property_of(DatasetTable& table, const Dataset& dataset, std::string_view name,
                                  const PropertyFacts& facts) {
  if (is_user_property(name)) {
    const EffectiveValue effective = effective_property(dataset, name);
    PropertyValue value = plain_value(name, effective.from == nullptr ? "-" : effective.value);
    if (effective.from == &dataset) value.source = "local";
    if (effective.from != nullptr && effective.from != &dataset) {
      value.source = "inherited from " + table.path_of(*effective.from);
    }
    return value;
  }
  const PropertyInfo* info = property_named(name);
  if (info == nullptr) return wrong(fmt::format("there is no property '{}'", name));
  name = info->name;
  if (!(dataset.volume ? info->volume : info->filesystem)) return plain_value(name, "-");
  if (name == "volsize") {
    PropertyValue value = size_value(name, facts.volume_bytes, SizeUnit::bare);
    value.source = "local";
    return value;
  }
  if (info->settable) return set_value(table, dataset, *info);
  if (name == "type") return plain_value(name, dataset.volume ? "volume" : "filesystem");
  if (name == "creation") return time_value(dataset.creation_s);
  if (name == "guid") return plain_value(name, fmt::format("{}", dataset.guid));
  if (name == "used") return size_value(name, dataset.used, SizeUnit::with_b);
  if (name == "available") return size_value(name, dataset.available, SizeUnit::with_b);
  if (name == "referenced") return size_value(name, dataset.referenced.allocated(), SizeUnit::with_b);
  if (name == "compressratio") return ratio_value(name, space_below(dataset));
  if (name == "refcompressratio") return ratio_value(name, dataset.referenced);
  if (name == "usedbysnapshots") return size_value(name, dataset.snapshots.allocated(), SizeUnit::with_b);
  if (name == "usedbydataset") return size_value(name, dataset.head.allocated(), SizeUnit::with_b);
  if (name == "usedbychildren") return size_value(name, dataset.used_by_children, SizeUnit::with_b);
  if (name == "written") return size_value(name, dataset.written, SizeUnit::bare);
  if (name == "logicalused") return size_value(name, space_below(dataset).logical_used(), SizeUnit::bare);
  if (name == "logicalreferenced") return size_value(name, dataset.referenced.logical_used(), SizeUnit::bare);
  if (name == "metadata") return size_value(name, dataset.referenced.metadata, SizeUnit::with_b);
  BLKPRESS_ASSERT(name == "origin");
  Snapshot* origin = table.snapshot(dataset.origin);
  return plain_value(name, origin == nullptr ? "-" : table.name_of(*origin));
}

Result<PropertyValue> property_of(DatasetTable& table, const Snapshot& snapshot, std::string_view name,
                                  const PropertyFacts& facts) {
  if (is_user_property(name)) return property_of(table, *table.dataset(snapshot.dataset), name, facts);
  const PropertyInfo* info = property_named(name);
  if (info == nullptr) return wrong(fmt::format("there is no property '{}'", name));
  name = info->name;
  const bool of_volume = table.dataset(snapshot.dataset)->volume;
  if (!info->snapshot || (name == "volsize" && !of_volume)) return plain_value(name, "-");
  if (name == "type") return plain_value(name, "snapshot");
  if (name == "creation") return time_value(snapshot.creation_s);
  if (name == "guid") return plain_value(name, fmt::format("{}", snapshot.guid));
  if (name == "used") return size_value(name, facts.snapshot_used, SizeUnit::with_b);
  if (name == "referenced") return size_value(name, snapshot.referenced.allocated(), SizeUnit::with_b);
  if (name == "compressratio" || name == "refcompressratio") return ratio_value(name, snapshot.referenced);
  if (name == "volsize") return size_value(name, facts.volume_bytes, SizeUnit::bare);
  if (name == "written") return size_value(name, snapshot.written, SizeUnit::bare);
  if (name == "logicalreferenced") return size_value(name, snapshot.referenced.logical_used(), SizeUnit::bare);
  BLKPRESS_ASSERT(name == "metadata");
  return size_value(name, snapshot.referenced.metadata, SizeUnit::with_b);
}

}  // namespace blkpress
