#include "pool/dead_lists.hpp"

#include "pool/dataset_table.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kAtOnce = 256;

std::string key_of(std::uint64_t list, std::uint64_t birth, std::uint64_t number) {
  return std::string(1, kDeadKey) + key_number(list) + key_number(birth) + key_number(number);
}
std::string end_of(std::uint64_t list) { return key_of(list, UINT64_MAX, UINT64_MAX); }

}  // namespace

Status DeadLists::add(std::uint64_t list, const BlockPointer& pointer) {
  return tree_.put(key_of(list, pointer.birth, next_++), FieldWriter().pointer(pointer).take());
}

Result<std::vector<DeadLists::Entry>> DeadLists::some(const std::string& begin, const std::string& end) {
  std::vector<Entry> entries;
  bool good = true;
  BLKPRESS_TRY(tree_.scan(begin, end, [&](std::string_view key, std::string_view value) {
    Entry entry{std::string(key), {}};
    FieldReader reader(value);
    good = reader.pointer(entry.pointer).at_end() && key.size() == end.size();
    if (good) entries.push_back(std::move(entry));
    return good && entries.size() < kAtOnce;
  }));
  if (!good) return Error{ErrorKind::corrupt, "list of dead blocks: an entry is out of range"};
  return entries;
}

Status DeadLists::visit(std::uint64_t list, std::uint64_t since, const Visit& visit) {
  std::string begin = key_of(list, since + 1, 0);
  while (true) {
    const auto entries = some(begin, end_of(list));
    if (!entries) return entries.error();
    for (const Entry& entry : *entries) BLKPRESS_TRY(visit(entry.pointer));
    if (entries->size() < kAtOnce) return ok();
    begin = entries->back().key + '\0';
  }
}

Status DeadLists::take(std::uint64_t list, std::uint64_t since, const Visit& visit) {
  while (true) {
    const auto entries = some(key_of(list, since + 1, 0), end_of(list));
    if (!entries) return entries.error();
    if (entries->empty()) return ok();
    for (const Entry& entry : *entries) {
      const auto erased = tree_.erase(entry.key);
      if (!erased) return erased.error();
      BLKPRESS_TRY(visit(entry.pointer));
    }
  }
}

Status DeadLists::move(std::uint64_t from, std::uint64_t to) {
  // Births are never 0.
  return take(from, 0, [this, to](const BlockPointer& pointer) { return add(to, pointer); });
}

}  // namespace blkpress
