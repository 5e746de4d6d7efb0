#include "pool/dataset.hpp"

#include <fmt/format.h>

namespace blkpress {

std::string Snapshot::encode() const {
  return FieldWriter()
      .number(dataset)
      .number(txg)
      .number(creation_s)
      .number(guid)
      .number(deadlist)
      .number(written)
      .number(next_object)
      .pointer(root)
      .space(referenced)
      .rest(name)
      .take();
}

Result<std::unique_ptr<Snapshot>> Snapshot::decode(std::uint64_t id, std::string_view value) {
  auto snapshot = std::make_unique<Snapshot>();
  snapshot->id = id;
  FieldReader reader(value);
  reader.number(snapshot->dataset)
      .number(snapshot->txg)
      .number(snapshot->creation_s)
      .number(snapshot->guid)
      .number(snapshot->deadlist)
      .number(snapshot->written)
      .number(snapshot->next_object)
      .pointer(snapshot->root)
      .space(snapshot->referenced);
  snapshot->name = reader.rest();
  if (!reader.good() || snapshot->name.empty()) {
    return Error{ErrorKind::corrupt, fmt::format("snapshot {}: its entry is out of range", id)};
  }
  return snapshot;
}

std::string Dataset::encode() const {
  return FieldWriter()
      .number(parent)
      .number(std::uint32_t{volume ? 1U : 0U})
      .number(creation_s)
      .number(guid)
      .number(origin)
      .number(deadlist)
      .number(written)
      .number(next_object)
      .pointer(root)
      .space(referenced)
      .space(head)
      .space(snapshots)
      .rest(name)
      .take();
}

Result<std::unique_ptr<Dataset>> Dataset::decode(std::uint64_t id, std::string_view value) {
  auto dataset = std::make_unique<Dataset>();
  dataset->id = id;
  std::uint32_t type = 0;
  FieldReader reader(value);
  reader.number(dataset->parent)
      .number(type)
      .number(dataset->creation_s)
      .number(dataset->guid)
      .number(dataset->origin)
      .number(dataset->deadlist)
      .number(dataset->written)
      .number(dataset->next_object)
      .pointer(dataset->root)
      .space(dataset->referenced)
      .space(dataset->head)
      .space(dataset->snapshots);
  dataset->name = reader.rest();
  if (!reader.good() || type > 1 || dataset->name.empty() != (dataset->parent == 0)) {
    return Error{ErrorKind::corrupt, fmt::format("dataset {}: its entry is out of range", id)};
  }
  dataset->volume = type == 1;
  return dataset;
}

}  // namespace blkpress
