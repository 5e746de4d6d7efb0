#include <fmt/format.h>

#include <algorithm>

#include "blkpress/sim/fio_job.hpp"
#include "support/catch.hpp"
#include "support/fio_run.hpp"
#include "support/sha256.hpp"

using namespace blkpress;

namespace {

FioIoOptions job_of(const std::string& options, FioFill fill) {
  sim::FioParse parse;
  parse.fill = fill;
  const auto jobs = sim::parse_fio_command("fio --name=x --filename=F --fallocate=none " + options, parse);
  INFO(options);
  if (!jobs) FAIL(jobs.error().message);
  REQUIRE(jobs->jobs.size() == 1);
  return jobs->jobs[0].io;
}

FioTime no_time(std::uint64_t) { return {}; }

void check_content_row(const std::string& id, const std::string& bytes, const std::string& hash,
                       const std::string& options, FioFill fill) {
  INFO(id << ": " << options);
  const auto file = fio_file_image(job_of(options, fill), no_time);
  CHECK(file.size() == std::stoull(bytes));
  CHECK(test::sha256(file) == hash);
}

}  // namespace

TEST_CASE("fio content: every file that fio 3.33 wrote comes out byte for byte") {
  const auto rows = test::read_golden_csv("fio_3.33_content_sha256.csv", 4);
  CHECK(rows.size() == 14);
  for (const auto& row : rows) check_content_row(row[0], row[1], row[2], row[3], fio_fill_of_3(33));
}

TEST_CASE("fio content: every file that fio 3.29 wrote comes out byte for byte") {
  const auto rows = test::read_golden_csv("fio_3.29_content_sha256.csv", 5);
  CHECK(rows.size() == 6);
  for (const auto& row : rows) check_content_row(row[1], row[2], row[3], row[4], fio_fill_of_3(29));
}

TEST_CASE("fio offsets: every sequence of I/Os of fio 3.33 comes out in order") {
  const auto rows = test::read_golden_csv("fio_3.33_offsets_sha256.csv", 4);
  CHECK(rows.size() == 10);
  for (const auto& row : rows) {
    INFO(row[0] << ": " << row[3]);
    const std::string lines = test::fio_offset_lines(job_of(row[3], FioFill::since_3_32));
    CHECK(std::count(lines.begin(), lines.end(), '\n') == std::stoll(row[1]));
    CHECK(test::sha256(lines) == row[2]);
  }
}
