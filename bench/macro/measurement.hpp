// Measurement: two things timed by turns, and the table of the ratios of their medians.
//
// Threads: one at a time.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "blkpress/pool.hpp"

namespace blkpress::bench {

struct Setup {
  std::string directory = ".";
  unsigned threads = 2;
  unsigned repetitions = 5;
  bool quick = false;     // everything small: it runs, the figures mean nothing
  std::string only = {};  // rows whose name has this in it

  [[nodiscard]] std::string path(const std::string& name) const { return directory + "/" + name; }
  // Bytes of a measurement, much fewer of them when quick.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t full) const { return quick ? std::min(full, 2 * kMiB) : full; }
  [[nodiscard]] std::uint64_t count(std::uint64_t full) const {
    return quick ? std::min<std::uint64_t>(full, 200) : full;
  }
  [[nodiscard]] bool wants(const std::string& what) const { return what.find(only) != std::string::npos; }
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// A run returns the seconds of the part that counts.
using Run = std::function<Result<double>()>;
// Runs all of them by turns, so that other load on the machine disturbs them alike: the median of each.
Result<std::vector<double>> medians(unsigned repetitions, const std::vector<Run>& runs);

// Rows are printed as they come.
class Table {
 public:
  Table();
  // ours is good when it reaches limit times the reference.
  void row(const std::string& what, const std::string& unit, double ours, double reference, double limit);
  // A figure by itself.
  void note(const std::string& what, const std::string& figure);
  [[nodiscard]] unsigned below() const { return below_; }

 private:
  unsigned below_ = 0;
};

// The file of a measurement: not there before, gone afterwards.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A new pool with one object in it.
struct PoolWithObject {
  std::unique_ptr<Pool> pool;
  std::shared_ptr<PoolObject> object;
};
Result<PoolWithObject> make_pool(const std::string& path, std::uint64_t size, const std::vector<Property>& properties,
                                 const PoolOptions& options);
// The same pool again, with nothing in memory.
Result<PoolWithObject> reopen_pool(const std::string& path, const PoolOptions& options);

}  // namespace blkpress::bench
