// blkpress lint.
#include <nlohmann/json.hpp>

#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress::test;

TEST_CASE("command lint: warns of a job whose data are not what was asked for, with exit status 1") {
  const ScratchDirectory scratch;
  const std::string job = scratch.write("4k.fio", "[job4k]\nrw=write\nbs=4k\nsize=8m\nioengine=psync\nfilename=f\n");
  const CommandRun run = run_command({"lint", "--sample", "8", job});
  CHECK(run.status == 1);
  CHECK(run.out.find("this job measures fio's buffers, not the disk") != std::string::npos);
  const CommandRun json = run_command({"lint", "--sample", "8", "--format", "json", "--compression", "lz4", job});
  const auto parsed = nlohmann::json::parse(json.out);
  CHECK(parsed["jobs"][0]["name"] == "job4k");
  CHECK(parsed["jobs"][0]["asked"] == 1.0);
  CHECK(parsed["jobs"][0]["cells"].size() == 3);
  CHECK(parsed["jobs"][0]["cells"][1]["differs"] == true);
  CHECK(run_command({"lint", "--sample", "8", "--format", "json", "--compression", "lz4", job}).out == json.out);
}

TEST_CASE("command lint: is content with data that are as asked for") {
  const ScratchDirectory scratch;
  const std::string job =
      scratch.write("r.fio", "[r]\nrw=write\nbs=128k\nsize=8m\nioengine=psync\nrefill_buffers\nfilename=f\n");
  const CommandRun run = run_command({"lint", "--sample", "8", job});
  CHECK(run.status == 0);
  CHECK(run.err.empty());
}

TEST_CASE("command lint: bad job files and options get one line") {
  const ScratchDirectory scratch;
  const auto one_line = [](const CommandRun& run) {
    return run.status == 2 && run.out.empty() && std::count(run.err.begin(), run.err.end(), '\n') == 1;
  };
  CHECK(one_line(run_command({"lint", scratch.write("empty.fio", "")})));
  CHECK(one_line(run_command({"lint", scratch.write("bad.fio", "[x]\nrw=sideways\n")})));
  CHECK(one_line(run_command({"lint", "--recordsize", "100", scratch.write("g.fio", "[x]\nrw=write\nsize=1m\n")})));
  CHECK(one_line(run_command({"lint", scratch.write("huge.fio", "[x]\nrw=write\nbs=2g\nsize=4g\n")})));
  CHECK(run_command({"lint", scratch.path("missing.fio")}).status == 3);
}
