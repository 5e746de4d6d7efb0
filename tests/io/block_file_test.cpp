#include "blkpress/block_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;

namespace {

std::string read_string(BlockFile& file, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  const auto count = file.read(offset, {reinterpret_cast<std::byte*>(text.data()), size});
  REQUIRE(count.has_value());
  text.resize(*count);
  return text;
}

ByteView bytes(std::string_view text) { return as_bytes(text.data(), text.size()); }

}  // namespace

TEST_CASE("block file: disk and memory behave alike") {
  const test::ScratchDirectory scratch;
  const bool memory = GENERATE(false, true);
  auto file = memory ? make_memory_file() : std::move(open_file(scratch.path("f"), {.mode = OpenMode::create})).value();

  CHECK(*file->size() == 0);
  CHECK(read_string(*file, 0, 10).empty());
  CHECK_FALSE(file->next_data(0)->has_value());
  REQUIRE(file->write(5, bytes("hello")).has_value());
  CHECK(*file->size() == 10);
  CHECK(read_string(*file, 0, 100) == std::string(5, '\0') + "hello");
  CHECK(read_string(*file, 7, 2) == "ll");
  CHECK(read_string(*file, 10, 1).empty());
  CHECK(read_string(*file, UINT64_MAX - 5, 1).empty());
  REQUIRE(file->write(7, bytes("LL")).has_value());
  CHECK(read_string(*file, 5, 5) == "heLLo");
  REQUIRE(file->resize(6).has_value());
  CHECK(read_string(*file, 0, 100) == std::string(5, '\0') + "h");
  REQUIRE(file->resize(8).has_value());
  CHECK(read_string(*file, 5, 100) == std::string("h\0\0", 3));
  REQUIRE(file->flush().has_value());
  const auto data = file->next_data(0);
  REQUIRE(data.has_value());
  REQUIRE(data->has_value());
  CHECK((*data)->end == 8);
}

TEST_CASE("block file: parts are written one behind the other, however many there are") {
  const test::ScratchDirectory scratch;
  const bool memory = GENERATE(false, true);
  auto file = memory ? make_memory_file() : std::move(open_file(scratch.path("f"), {.mode = OpenMode::create})).value();
  std::vector<std::string> texts;
  std::vector<ByteView> parts;
  std::string whole(3, '\0');
  for (int i = 0; i < 200; ++i) texts.push_back(std::string(static_cast<std::size_t>(i % 7), static_cast<char>(i)));
  for (const std::string& text : texts) {
    parts.push_back(bytes(text));
    whole += text;
  }
  REQUIRE(file->write_parts(3, parts).has_value());
  file->write_back_soon(3, whole.size());
  CHECK(read_string(*file, 0, 10000) == whole);
  REQUIRE(file->write_parts(0, {}).has_value());
  CHECK(read_string(*file, 0, 10000) == whole);
}

TEST_CASE("block file: of parts that the system takes some of, those that fit arrive") {
  const test::ScratchDirectory scratch;
  auto file = std::move(open_file(scratch.path("f"), {.mode = OpenMode::create})).value();
  const std::string text(70, 'x');
  const std::vector<ByteView> parts(20, bytes(text));
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{1000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Status done = file->write_parts(0, parts);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().kind == ErrorKind::no_space);
  CHECK(read_string(*file, 0, 10000) == std::string(1000, 'x'));
}

TEST_CASE("block file: holes of a sparse file are told where the filesystem knows them") {
  const test::ScratchDirectory scratch;
  auto file = std::move(open_file(scratch.path("sparse"), {.mode = OpenMode::create})).value();
  REQUIRE(file->resize(1 << 30).has_value());
  REQUIRE(file->write(512 << 20, bytes("x")).has_value());
  const auto data = file->next_data(0);
  REQUIRE(data.has_value());
  REQUIRE(data->has_value());
  CHECK((*data)->begin <= 512 << 20);
  CHECK((*data)->end > 512 << 20);
  if ((*data)->begin > 0) {  // else the filesystem does not tell
    CHECK((*data)->end < 1 << 30);
    CHECK_FALSE(file->next_data((*data)->end)->has_value());
  }
}

TEST_CASE("block file: what cannot be opened says why, and a pipe is not waited for") {
  const test::ScratchDirectory scratch;
  const auto message = [](const std::string& path, bool follow = true) {
    const auto opened = open_file(path, {.follow_symlink = follow});
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().kind == ErrorKind::io);
    return opened.error().message;
  };
  CHECK(message(scratch.path("none")) == "cannot open " + scratch.path("none") + ": No such file or directory");
  REQUIRE(::mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  CHECK(message(scratch.path("pipe")) == "cannot open " + scratch.path("pipe") + ": not a regular file");
  CHECK(message(scratch.path()) == "cannot open " + scratch.path() + ": not a regular file");
  CHECK(message("/dev/null") == "cannot open /dev/null: not a regular file");
  scratch.write("file", "x");
  std::filesystem::create_symlink("file", scratch.path("link"));
  CHECK(open_file(scratch.path("link")).has_value());
  CHECK(message(scratch.path("link"), false) ==
        "cannot open " + scratch.path("link") + ": Too many levels of symbolic links");
}

TEST_CASE("block file: a memory file of limited capacity fills up") {
  auto file = make_memory_file(8);
  REQUIRE(file->write(0, bytes("12345678")).has_value());
  const Status full = file->write(7, bytes("89"));
  REQUIRE_FALSE(full.has_value());
  CHECK(full.error().kind == ErrorKind::no_space);
  CHECK(file->resize(9).error().kind == ErrorKind::no_space);
  CHECK(read_string(*file, 0, 10) == "12345678");
}

TEST_CASE("faulty file: the planned read, write and flush fail, and all later ones") {
  auto file = make_faulty_file(make_memory_file(), {.failing_read = 1, .failing_write = 2, .failing_flush = 0});
  CHECK(file->write(0, bytes("ab")).has_value());
  CHECK(file->write(2, bytes("cd")).has_value());
  CHECK(file->write(4, bytes("ef")).error().kind == ErrorKind::io);
  CHECK(file->write(4, bytes("ef")).error().message == "cannot write: injected: input/output error");
  CHECK(read_string(*file, 0, 10) == "abcd");
  std::array<std::byte, 1> target{};
  CHECK(file->read(0, target).error().kind == ErrorKind::io);
  CHECK(file->read(0, target).error().kind == ErrorKind::io);
  CHECK(file->flush().error().kind == ErrorKind::io);
}

TEST_CASE("faulty file: a torn write leaves its first bytes, once") {
  auto file = make_faulty_file(make_memory_file(), {.failing_write = 0, .torn_bytes = 3});
  CHECK_FALSE(file->write(0, bytes("abcdef")).has_value());
  CHECK_FALSE(file->write(3, bytes("def")).has_value());
  CHECK(read_string(*file, 0, 10) == "abc");
}

TEST_CASE("faulty file: a full device takes what fits, and a file that shrank ends early") {
  auto file = make_faulty_file(make_memory_file(), {.early_end = 4, .capacity = 6});
  const Status full = file->write(0, bytes("abcdefgh"));
  REQUIRE_FALSE(full.has_value());
  CHECK(full.error().kind == ErrorKind::no_space);
  CHECK(*file->size() == 6);
  CHECK(read_string(*file, 0, 10) == "abcd");
  CHECK(read_string(*file, 5, 1).empty());
  CHECK(file->resize(7).error().kind == ErrorKind::no_space);
}

TEST_CASE("recording file: writes, flushes and resizes are logged in order, failed ones are not") {
  auto log = std::make_shared<std::vector<FileChange>>();
  auto file = make_recording_file(make_memory_file(8), log);
  const std::vector<std::byte> bytes(4, std::byte{7});
  REQUIRE(file->write(2, bytes));
  REQUIRE(file->flush());
  REQUIRE_FALSE(file->write(6, bytes));
  REQUIRE(file->resize(3));
  REQUIRE(log->size() == 3);
  CHECK(((*log)[0].kind == FileChange::Kind::write && (*log)[0].offset == 2 && (*log)[0].bytes == bytes));
  CHECK((*log)[1].kind == FileChange::Kind::flush);
  CHECK(((*log)[2].kind == FileChange::Kind::resize && (*log)[2].offset == 3));
}
