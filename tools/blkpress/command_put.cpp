// put: files, or standard input, into a filesystem of a pool.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"
#include "blkpress/stream_copy.hpp"

namespace blkpress::tool {
namespace {

// What is being put has this name until it is whole.
const std::string kPartial = ".blkpress-put";

Status copy_standard_input(PoolObject& target) {
  std::vector<std::byte> buffer(kMiB);
  for (std::uint64_t at = 0;;) {
    std::size_t have = 0;
    while (have < buffer.size()) {
      const ssize_t got = ::read(STDIN_FILENO, buffer.data() + have, buffer.size() - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Error{ErrorKind::io, fmt::format("cannot read standard input: {}", std::strerror(errno))};
      if (got == 0) break;
      have += static_cast<std::size_t>(got);
    }
    BLKPRESS_TRY(target.write(at, ByteView(buffer).first(have)));
    at += have;
    if (have < buffer.size()) return ok();
  }
}

Status fill(PoolObject& target, const std::string& path) {
  if (path == "-") return copy_standard_input(target);
  const auto file = open_file(path);
  if (!file) return file.error();
  const auto size = (*file)->size();
  if (!size) return size.error();
  BLKPRESS_TRY(copy_stream(**file, target, path));
  return target.resize(*size);  // a hole at its end
}

Status put_file(Pool& pool, const std::string& dataset, const std::string& path, const std::string& name) {
  // Of an earlier put that was cut short.
  if (pool.open_object(dataset, kPartial)) BLKPRESS_TRY(pool.remove_object(dataset, kPartial));
  const auto target = pool.create_object(dataset, kPartial);
  if (!target) return target.error();
  const bool there = pool.open_object(dataset, name).has_value();
  Status done = fill(**target, path);
  if (done && there) done = pool.remove_object(dataset, name);
  if (done) done = pool.rename_object(dataset, kPartial, name);
  if (done) return ok();
  // Nothing half is left behind; if that fails too, the next put sees to it.
  static_cast<void>(pool.remove_object(dataset, kPartial));
  return done;
}

}  // namespace

Result<ExitStatus> command_put(const Arguments& arguments) {
  std::vector<std::string> words;
  std::string as;
  Options options("put",
                  "Writes files, or standard input (-), as objects of a filesystem in a pool. One that is there\n"
                  "already is replaced once the new one is whole.");
  options.positionals(words, "NAME FILE...", "POOLFILE[/DATASET], then files", true);
  options.text("--as", as, "OBJECT", "the object's name, of one file; by default the file's own");
  options.examples("Examples:\n  blkpress put disk.blkp/db *.log\n  tar c . | blkpress put disk.blkp --as home.tar -");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (words.size() < 2) return Error{ErrorKind::usage, "put takes the name of a filesystem and files"};
  if (!as.empty() && words.size() > 2) return Error{ErrorKind::usage, "--as takes one file"};
  const auto name = parse_dataset_name(words.front());
  if (!name) return name.error();
  PoolSession session(false);
  const auto pool = session.open(name->file);
  if (!pool) return pool.error();
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& path = words[at];
    if (path == "-" && as.empty()) return Error{ErrorKind::usage, "standard input needs a name: --as OBJECT"};
    const std::string object = as.empty() ? path.substr(path.rfind('/') + 1) : as;
    if (object.empty()) return Error{ErrorKind::usage, fmt::format("'{}' is no file", path)};
    const Status done = put_file(**pool, name->name, path, object);
    if (!done) {
      // What was put before this one stays.
      const Status kept = session.close();
      return in_pool(*name, kept ? done.error() : kept.error());
    }
  }
  BLKPRESS_TRY(session.close());
  return ExitStatus::done;
}

}  // namespace blkpress::tool
