// One cell of an estimate at work: decides batches on any thread, sums them up in order.
#pragma once

#include <memory>
#include <vector>

#include "blkpress/estimate.hpp"
#include "estimate/batch.hpp"

namespace blkpress {

class Cell {
 public:
  // The findings of one batch, in order. A record that was never written has lsize 0.
  using Findings = std::vector<RecordFinding>;

  // Errors: usage, as make_policy().
  static Result<std::unique_ptr<Cell>> make(const EstimateCell& question, unsigned threads);

  [[nodiscard]] const Policy& policy() const { return *policy_; }

  // In worker's scratch memory; workers do not disturb each other.
  Findings decide(const Batch& batch, unsigned worker);
  // In file order, from one thread.
  void account(const Batch& batch, const Findings& findings);

  [[nodiscard]] CellEstimate result() const { return {name_, policy_->properties(), ledger_}; }

 private:
  Cell(std::string name, std::unique_ptr<Policy> policy, unsigned threads);

  std::string name_;
  std::unique_ptr<Policy> policy_;
  std::vector<std::unique_ptr<Decider>> deciders_;  // of each worker, made when first needed
  std::unique_ptr<ObjectAccount> account_;
  Ledger ledger_;
};

}  // namespace blkpress
