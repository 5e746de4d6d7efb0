#include "measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace blkpress::bench {

Result<std::vector<double>> medians(unsigned repetitions, const std::vector<Run>& runs) {
  std::vector<std::vector<double>> times(runs.size());
  for (unsigned repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Result<double> seconds = runs[i]();
      if (!seconds) return seconds.error();
      times[i].push_back(*seconds);
    }
  }
  std::vector<double> result;
  for (auto& of : times) {
    std::sort(of.begin(), of.end());
    const std::size_t half = of.size() / 2;
    result.push_back(of.size() % 2 == 1 ? of[half] : (of[half - 1] + of[half]) / 2);
  }
  return result;
}

Table::Table() {
  fmt::print("{:<52} {:>10} {:>10} {:<9} {:>6} {:>6}\n", "what", "ours", "reference", "", "ratio", "limit");
}

void Table::row(const std::string& what, const std::string& unit, double ours, double reference, double limit) {
  const double ratio = ours / reference;
  const bool good = ratio >= limit;
  if (!good) ++below_;
  fmt::print("{:<52} {:>10.1f} {:>10.1f} {:<9} {:>6.2f} {:>6.2f} {}\n", what, ours, reference, unit, ratio, limit,
             good ? "ok" : "below");
  std::fflush(stdout);
}

void Table::note(const std::string& what, const std::string& figure) {
  fmt::print("{:<52} {}\n", what, figure);
  std::fflush(stdout);
}

TemporaryFile::TemporaryFile(std::string path) : path_(std::move(path)) { std::remove(path_.c_str()); }

TemporaryFile::~TemporaryFile() { std::remove(path_.c_str()); }

Result<PoolWithObject> make_pool(const std::string& path, std::uint64_t size, const std::vector<Property>& properties,
                                 const PoolOptions& options) {
  auto pool = Pool::create(path, {.size = size, .properties = properties}, options);
  if (!pool) return pool.error();
  auto object = (*pool)->create_object("", "object");
  if (!object) return object.error();
  BLKPRESS_TRY((*pool)->flush());
  return PoolWithObject{std::move(*pool), std::move(*object)};
}

Result<PoolWithObject> reopen_pool(const std::string& path, const PoolOptions& options) {
  auto pool = Pool::open(path, options);
  if (!pool) return pool.error();
  auto object = (*pool)->open_object("", "object");
  if (!object) return object.error();
  return PoolWithObject{std::move(*pool), std::move(*object)};
}

}  // namespace blkpress::bench
