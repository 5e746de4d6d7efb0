#include "blkpress/estimate.hpp"

#include <filesystem>
#include <map>

#include "blkpress/corpus.hpp"
#include "blkpress/random.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
namespace fs = std::filesystem;

namespace {

EstimateCell zfs(std::string compression, std::string recordsize, std::string ashift = "12") {
  return {
      "zfs",
      {{"compression", std::move(compression)}, {"recordsize", std::move(recordsize)}, {"ashift", std::move(ashift)}}};
}

EstimateResult must_estimate(const EstimateOptions& options) {
  auto result = estimate(options);
  REQUIRE(result.has_value());
  return std::move(*result);
}

// The policy fed with one whole file after the other, record by record, without any of estimate's machinery.
Ledger slow_ledger(const EstimateCell& cell, const std::vector<std::vector<std::byte>>& files) {
  auto policy = std::move(make_policy(cell.policy, cell.properties)).value();
  auto decider = policy->make_decider();
  auto account = policy->make_account();
  Ledger ledger(policy->empty_dataset());
  for (const auto& file : files) {
    account->begin(file.size());
    const std::size_t unit = file.empty() ? 1 : policy->unit_bytes(file.size());
    for (std::size_t at = 0; at < file.size(); at += unit) {
      const ByteView record = ByteView(file).subspan(at, std::min(unit, file.size() - at));
      account->add(decider->decide(record, static_cast<std::uint32_t>(unit)));
    }
    ledger.add(account->finish());
  }
  return ledger;
}

bool same(const Ledger& a, const Ledger& b) {
  bool equal = a.used() == b.used() && a.logicalused() == b.logicalused() && a.compressed() == b.compressed() &&
               a.objects() == b.objects() && a.bytes() == b.bytes() && a.st_blocks() == b.st_blocks() &&
               a.data() == b.data() && a.metadata() == b.metadata() && a.tail_padding() == b.tail_padding();
  for (std::size_t i = 0; i < kRecordReasonCount; ++i) {
    equal = equal && a.of(static_cast<RecordReason>(i)) == b.of(static_cast<RecordReason>(i));
  }
  return equal;
}

// Sizes around every limit of batches and records, contents from the corpus.
std::vector<std::vector<std::byte>> varied_files() {
  std::vector<std::vector<std::byte>> files;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{512}, std::size_t{513}, std::size_t{5000}, std::size_t{131072},
        std::size_t{131073}, std::size_t{1048575}, std::size_t{1048576}, std::size_t{1048577}, std::size_t{3000000}}) {
    files.push_back(generate_text(size, size + 1));
  }
  files.push_back(generate_random(700000, 5));
  files.push_back(generate_mixed(2500000, 6));
  files.emplace_back(std::size_t{300000});  // zeros
  Random random(9);
  for (int i = 0; i < 60; ++i) files.push_back(generate_text(random.below(20000), random.next() | 1));
  return files;
}

std::string file_name(std::size_t index) { return "f" + std::to_string(1000 + index); }

}  // namespace

TEST_CASE("estimate: gives what the policy gives for each file alone, on any number of threads") {
  const test::ScratchDirectory scratch;
  const auto files = varied_files();
  for (std::size_t i = 0; i < files.size(); ++i) scratch.write(file_name(i), ByteView(files[i]));
  const std::vector<EstimateCell> cells = {zfs("lz4", "128K"), zfs("off", "4K"), zfs("lzjb", "1M", "9"),
                                           zfs("zle", "512", "9"), zfs("lz4", "16M")};
  const unsigned threads = GENERATE(1U, 2U, 5U);
  const EstimateResult result = must_estimate({.paths = {scratch.path()}, .cells = cells, .threads = threads});
  CHECK(result.files == files.size());
  CHECK(result.unreadable == 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CAPTURE(i);
    CHECK(same(result.cells[i].ledger, slow_ledger(cells[i], files)));
  }
}

TEST_CASE("estimate: reads each byte once however many cells there are") {
  const test::ScratchDirectory scratch;
  const auto content = generate_text(3000000, 1);
  scratch.write("f", ByteView(content));

  struct Counting final : BlockFile {
    std::unique_ptr<BlockFile> file;
    std::uint64_t* read_bytes;
    Counting(std::unique_ptr<BlockFile> inner, std::uint64_t* counter) : file(std::move(inner)), read_bytes(counter) {}
    Result<std::uint64_t> size() override { return file->size(); }
    Result<std::size_t> read(std::uint64_t offset, ByteSpan target) override {
      *read_bytes += target.size();
      return file->read(offset, target);
    }
    Status write(std::uint64_t, ByteView) override { return ok(); }
    Status flush() override { return ok(); }
    Status resize(std::uint64_t) override { return ok(); }
    Result<std::optional<DataRange>> next_data(std::uint64_t offset) override { return file->next_data(offset); }
  };
  std::uint64_t read_bytes = 0;
  const auto open = [&read_bytes](const std::string& path) -> Result<std::unique_ptr<BlockFile>> {
    auto file = open_file(path);
    if (!file) return file.error();
    return std::unique_ptr<BlockFile>(std::make_unique<Counting>(std::move(*file), &read_bytes));
  };
  must_estimate({.paths = {scratch.path()},
                 .cells = {zfs("lz4", "128K"), zfs("lzjb", "4K"), zfs("off", "1M")},
                 .threads = 2,
                 .open = open});
  CHECK(read_bytes == content.size());
}

TEST_CASE("estimate: a file that fails or shrinks while it is read is named and counts nowhere") {
  const test::ScratchDirectory scratch;
  const auto content = generate_text(2500000, 3);
  for (const char* name : {"a", "bad", "c"}) scratch.write(name, ByteView(content));
  const bool shrinks = GENERATE(false, true);
  const auto open = [&](const std::string& path) -> Result<std::unique_ptr<BlockFile>> {
    auto file = open_file(path);
    if (!file || !path.ends_with("bad")) return file;
    return make_faulty_file(std::move(*file), shrinks ? FaultPlan{.early_end = 1500000} : FaultPlan{.failing_read = 1});
  };
  const EstimateCell cell = zfs("lz4", "128K");
  const auto result = must_estimate({.paths = {scratch.path()}, .cells = {cell}, .threads = 2, .open = open});
  CHECK(result.files == 2);
  CHECK(result.bytes == 2 * content.size());
  CHECK(result.unreadable == 1);
  REQUIRE(result.problems.size() == 1);
  CHECK(result.problems[0].message == (shrinks ? "cannot read " + scratch.path("bad") + ": it shrank while it was read"
                                               : "cannot read: injected: input/output error"));
  CHECK(same(result.cells[0].ledger, slow_ledger(cell, {content, content})));
}

TEST_CASE("estimate: a file that vanishes after it was listed is named, and one that grew counts as it was") {
  const test::ScratchDirectory scratch;
  const auto content = generate_text(10000, 3);
  for (const char* name : {"a", "b", "c"}) scratch.write(name, ByteView(content));
  const auto open = [&](const std::string& path) -> Result<std::unique_ptr<BlockFile>> {
    if (path.ends_with("b")) fs::remove(path);
    auto file = open_file(path);
    if (file && path.ends_with("c")) {
      // Grows as soon as its size has been asked for.
      struct Growing final : BlockFile {
        std::unique_ptr<BlockFile> file;
        std::uint64_t grown = 0;
        explicit Growing(std::unique_ptr<BlockFile> inner) : file(std::move(inner)) {}
        Result<std::uint64_t> size() override { return *file->size() + 512 * grown++; }
        Result<std::size_t> read(std::uint64_t offset, ByteSpan target) override { return file->read(offset, target); }
        Status write(std::uint64_t, ByteView) override { return ok(); }
        Status flush() override { return ok(); }
        Status resize(std::uint64_t) override { return ok(); }
        Result<std::optional<DataRange>> next_data(std::uint64_t offset) override { return file->next_data(offset); }
      };
      return std::unique_ptr<BlockFile>(std::make_unique<Growing>(std::move(*file)));
    }
    return file;
  };
  const EstimateCell cell = zfs("lz4", "128K");
  const auto result = must_estimate({.paths = {scratch.path()}, .cells = {cell}, .threads = 1, .open = open});
  CHECK(result.files == 2);
  CHECK(result.grown == 1);
  CHECK(result.unreadable == 1);
  CHECK(same(result.cells[0].ledger, slow_ledger(cell, {content, content})));
}

TEST_CASE("estimate: ranges that were never written stay unallocated, with compression off too") {
  const test::ScratchDirectory scratch;
  const auto text = generate_text(300000, 4);
  auto file = std::move(open_file(scratch.path("sparse"), {.mode = OpenMode::create})).value();
  REQUIRE(file->write(5 * kMiB, text).has_value());
  REQUIRE(file->resize(1000 * kGiB).has_value());  // reading that would take the test's time limit
  file.reset();
  auto probe = std::move(open_file(scratch.path("sparse"))).value();
  const auto range = probe->next_data(0);
  if (!range || !range->has_value() || (*range)->begin < 4 * kMiB) return;  // no sparse files here

  const EstimateCell cell = zfs("off", "128K");
  const auto result = must_estimate({.paths = {scratch.path()}, .cells = {cell, zfs("lz4", "128K")}});
  CHECK(result.bytes == 1000 * kGiB);
  CHECK(result.unwritten > 999 * kGiB);
  // 5 MiB is a multiple of the record size: three records hold the text.
  CHECK(result.cells[0].ledger.data().lsize == 3 * 128 * kKiB);
  CHECK(result.cells[0].ledger.data().blocks == 3);
  CHECK(result.cells[0].ledger.bytes() == 1000 * kGiB);
}

TEST_CASE("estimate: 100 MiB of zeros are 800 holes, and a ratio of 1.00x, not of infinity") {
  // zfs#1150, zfs#3228: users expect a large ratio; OpenZFS prints 1.00x as nothing is stored.
  const test::ScratchDirectory scratch;
  scratch.write("zeros", ByteView(std::vector<std::byte>(100 * kMiB)));
  const auto result =
      must_estimate({.paths = {scratch.path()}, .cells = {zfs("lz4", "128K"), zfs("zle", "128K"), zfs("off", "128K")}});
  if (result.unwritten > 0) return;  // the filesystem below has made holes of them
  for (const std::size_t cell : {0U, 1U}) {
    const Ledger& ledger = result.cells[cell].ledger;
    CHECK(ledger.of(RecordReason::hole).records == 800);
    CHECK(ledger.data().psize == 0);
    CHECK(ledger.compressratio_x100() == 100);
  }
  CHECK(result.cells[2].ledger.data().psize == 100 * kMiB);  // zfs#738: without compression no holes
}

TEST_CASE("estimate: a cell that its policy refuses and a path that is not there are errors at once") {
  const test::ScratchDirectory scratch;
  const auto refused = estimate({.paths = {scratch.path()}, .cells = {zfs("lz4", "100000")}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::usage);
  const auto missing = estimate({.paths = {scratch.path("none")}, .cells = {zfs("lz4", "128K")}});
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().kind == ErrorKind::io);
  CHECK(estimate({.paths = {scratch.path()}, .cells = {}}).error().kind == ErrorKind::usage);
}

TEST_CASE("estimate: an empty directory is a dataset without files") {
  const test::ScratchDirectory scratch;
  const auto result = must_estimate({.paths = {scratch.path()}, .cells = {zfs("lz4", "128K")}});
  CHECK(result.files == 0);
  CHECK(result.cells[0].ledger.used() == 98304);  // what OpenZFS 2.4 says of an empty filesystem with 4 KiB sectors
  CHECK(result.cells[0].ledger.compressratio_x100() == 100);
}
