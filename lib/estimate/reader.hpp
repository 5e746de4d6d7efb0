// Reads files into batches, each byte once.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "blkpress/estimate.hpp"
#include "estimate/batch.hpp"

namespace blkpress {

class Reader {
 public:
  using Submit = std::function<void(std::shared_ptr<Batch>)>;
  using Allocate = std::function<std::shared_ptr<Batch>()>;

  // result: where files, bytes and problems are counted. submit takes a full batch, allocate gives an empty one of that
  // capacity.
  Reader(const EstimateOptions& options, EstimateResult& result, std::size_t capacity, Allocate allocate,
         Submit submit);

  void read(const TreeFile& file);
  // Submits what is left.
  void finish();

  void add_problem(Error problem);

 private:
  Status read_content(BlockFile& file, std::uint64_t size, bool may_have_holes, Piece& piece);
  Status read_part(BlockFile& file, bool may_have_holes, Piece& piece);
  Status read_data(BlockFile& file, std::uint64_t offset, ByteSpan target);
  void add(Piece& piece);
  void make_room(std::size_t size);
  void submit_batch();

  const EstimateOptions& options_;
  EstimateResult& result_;
  std::size_t capacity_;
  Allocate allocate_;
  Submit submit_;
  std::shared_ptr<Batch> batch_;
};

}  // namespace blkpress
