// Policies: what a filesystem would store for a stream of bytes. Pure: no I/O, no clock, no threads of its own.
//
// A policy works in two steps, so that the costly one runs on any number of threads and the result does not depend on
// how many: a Decider looks at one record at a time, in any order, and compresses it for real; an ObjectAccount then
// takes the findings of one object in file order, applies what depends on the records before, and adds up. Which bytes
// make a record is the policy's own: unit_bytes().
//
//   auto policy = make_policy("zfs", {{"compression", "lz4"}, {"recordsize", "16K"}});   // Result
//   auto decider = (*policy)->make_decider();          // one per thread
//   auto account = (*policy)->make_account();          // one, reused for every file
//   Ledger ledger((*policy)->empty_dataset());
//   account->begin(file_bytes);
//   const auto unit = (*policy)->unit_bytes(file_bytes);
//   for (each unit of the file) account->add(decider->decide(bytes, unit));
//   ledger.add(account->finish());
//
// The registry is policies.def. Threads: Policy is immutable and may be shared; a Decider or an ObjectAccount belongs
// to one thread at a time.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/bytes.hpp"
#include "blkpress/codec.hpp"
#include "blkpress/ledger.hpp"
#include "blkpress/record.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

// One property, as the filesystem's own tools spell it: {"recordsize", "128K"}.
struct Property {
  std::string name;
  std::string value;
  friend bool operator==(const Property&, const Property&) = default;
};

// The scratch memory and codec contexts of one worker. decide() allocates nothing once a record of the largest size has
// been seen.
class Decider {
 public:
  virtual ~Decider() = default;

  // Decides one record: bytes are its content, unit its size as unit_bytes() gave it. A record at the end of an object
  // may have fewer bytes than unit; the rest counts as zeros. 0 < bytes.size() <= unit.
  virtual RecordFinding decide(ByteView bytes, std::uint32_t unit) = 0;

  // What the last decide() would write: psize bytes; empty for a hole and an embedded record. Valid until the next
  // call, and as long as that call's bytes, which it may point into.
  [[nodiscard]] virtual ByteView stored() const = 0;
};

// Adds up one object after the other.
class ObjectAccount {
 public:
  virtual ~ObjectAccount() = default;

  // Starts an object of that many bytes, forgetting an unfinished one.
  virtual void begin(std::uint64_t object_bytes) = 0;
  // The next record, in file order.
  virtual void add(const RecordFinding& finding) = 0;
  // The next records are unallocated: ranges that were never written. In time that grows with the logarithm of count.
  virtual void add_holes(std::uint64_t records) = 0;
  // The sums, complete with metadata. Records that were not added count as holes.
  virtual ObjectSums finish() = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;

  // Size of the records of an object of that many bytes; the last one may be filled up with zeros.
  [[nodiscard]] virtual std::uint32_t unit_bytes(std::uint64_t object_bytes) const = 0;
  // The largest value of unit_bytes().
  [[nodiscard]] virtual std::uint32_t max_unit_bytes() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Decider> make_decider() const = 0;
  [[nodiscard]] virtual std::unique_ptr<ObjectAccount> make_account() const = 0;
  // What a dataset costs before the first object.
  [[nodiscard]] virtual EmptyDataset empty_dataset() const = 0;
  // The properties in force, defaults included, spelled as make_policy takes them.
  [[nodiscard]] virtual std::vector<Property> properties() const = 0;
};

struct PolicyInfo {
  std::string_view name;                  // "zfs"
  std::string_view description;           // one line
  std::string_view properties;            // names it takes, comma separated
  std::string_view compression_property;  // the one of them that names codec and level
  std::string_view usual_compressions;    // values of it that are worth comparing, comma separated
  Result<std::unique_ptr<Policy>> (*make)(std::span<const Property> properties);
};

// Every policy that this build has, in the order of policies.def.
std::span<const PolicyInfo> policies();

// The policy of that name. Errors: usage: an unknown name or property, a value out of range, a combination that the
// filesystem refuses; the message says what would be right.
Result<std::unique_ptr<Policy>> make_policy(std::string_view name, std::span<const Property> properties);
inline Result<std::unique_ptr<Policy>> make_policy(std::string_view name, std::initializer_list<Property> properties) {
  return make_policy(name, std::span<const Property>(properties.begin(), properties.size()));
}

}  // namespace blkpress
