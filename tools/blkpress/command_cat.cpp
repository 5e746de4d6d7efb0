// cat: what an object or a volume holds.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {
namespace {

Status write_out(BlockFile& source) {
  std::vector<std::byte> buffer(kMiB);
  for (std::uint64_t at = 0;;) {
    const auto got = source.read(at, buffer);
    if (!got) return got.error();
    if (*got == 0) break;
    if (std::fwrite(buffer.data(), 1, *got, stdout) != *got) break;
    at += *got;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return Error{errno == ENOSPC ? ErrorKind::no_space : ErrorKind::io,
                 fmt::format("cannot write standard output: {}", std::strerror(errno))};
  }
  return ok();
}

}  // namespace

Result<ExitStatus> command_cat(const Arguments& arguments) {
  std::vector<std::string> words;
  Options options("cat", "Writes what objects of a filesystem, or a volume, hold to standard output.");
  options.positionals(words, "NAME [OBJECT...]", "POOLFILE[/DATASET][@SNAPSHOT], then objects", true);
  options.examples("Examples:\n  blkpress cat disk.blkp/db@monday wal.log\n  blkpress cat disk.blkp/vm > vm.raw");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  const auto name = parse_pool_name(words.front());
  if (!name) return name.error();
  PoolSession session(true);
  const auto pool = session.open(name->file);
  if (!pool) return pool.error();
  if (words.size() == 1) {
    const auto volume = (*pool)->open_volume(name->name);
    if (!volume) return in_pool(*name, volume.error());
    BLKPRESS_TRY(write_out(**volume));
  }
  for (std::size_t at = 1; at < words.size(); ++at) {
    const auto object = (*pool)->open_object(name->name, words[at]);
    if (!object) return in_pool(*name, object.error());
    const Status done = write_out(**object);
    if (!done) return in_pool(*name, done.error());
  }
  return ExitStatus::done;
}

}  // namespace blkpress::tool
