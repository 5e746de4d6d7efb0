// The properties of datasets and snapshots: their names, what they may be set to, and what they are.
//
// Threads: under the pool's lock.
#pragma once

#include "pool/dataset_table.hpp"

namespace blkpress {

// By its name, or the short one that is its heading in a list ("recsize"); null: there is no such property.
const PropertyInfo* property_named(std::string_view name);
// "a:b": any text of a user's own.
bool is_user_property(std::string_view name);

// What is stored when a property of a dataset is set: sizes in bytes. creating: the dataset is being made. Errors:
// usage.
Result<std::string> checked_property(const Property& property, bool volume, bool creating, const PoolCodecs& codecs);

// The value in force, of those that a dataset has from itself, an ancestor or by default.
struct EffectiveValue {
  std::string value;
  const Dataset* from = nullptr;  // null: the default
};
EffectiveValue effective_property(const Dataset& dataset, std::string_view name);

// How the dataset's records are written. Errors: usage: the codec is not there any more.
Result<RecordSettings> record_settings(const Dataset& dataset, unsigned ashift, const PoolCodecs& codecs);

// What the table cannot know of itself.
struct PropertyFacts {
  std::uint64_t volume_bytes = 0;   // of a volume
  std::uint64_t snapshot_used = 0;  // of a snapshot: what only it leads to
};
// Errors: usage: unknown, or not a property of such a dataset. After roll_up().
Result<PropertyValue> property_of(DatasetTable& table, const Dataset& dataset, std::string_view name,
                                  const PropertyFacts& facts);
Result<PropertyValue> property_of(DatasetTable& table, const Snapshot& snapshot, std::string_view name,
                                  const PropertyFacts& facts);

}  // namespace blkpress
