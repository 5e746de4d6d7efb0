// destroy: datasets, snapshots, or a whole pool.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {
namespace {

struct Request {
  std::vector<std::string> names;
  bool recursive = false, dry_run = false, verbose = false;
};

Result<bool> parse(const Arguments& arguments, Request& request) {
  Options options("destroy",
                  "Destroys a dataset, a snapshot, or a pool (-r): its file is deleted, or the start and end of its\n"
                  "block device emptied.");
  options.positionals(request.names, "NAME", "POOLFILE[/DATASET][@SNAPSHOT]", true);
  options.flag("-r", request.recursive, "with everything below, and all snapshots");
  options.flag("-n", request.dry_run, "destroy nothing");
  options.flag("-v", request.verbose, "say what is destroyed");
  options.examples(
      "Examples:\n  blkpress destroy disk.blkp/db@monday\n  blkpress destroy -r disk.blkp/db\n"
      "  blkpress destroy -rnv disk.blkp");
  return options.parse(arguments);
}

Status destroy_pool(const std::string& file) {
  auto opened = open_file(file, {.mode = OpenMode::read_write, .lock = FileLock::exclusive, .block_device = true});
  if (!opened) return opened.error();
  const auto size = (*opened)->size();
  if (!size) return size.error();
  // A device stays, so that what was a pool must not look like one.
  const std::vector<std::byte> zeros(256 * kKiB);
  BLKPRESS_TRY((*opened)->write(0, zeros));
  BLKPRESS_TRY((*opened)->write(*size / zeros.size() * zeros.size() - zeros.size(), zeros));
  BLKPRESS_TRY((*opened)->flush());
  const bool device = !(*opened)->resize(0) || *(*opened)->size() != 0;
  if (!device && std::remove(file.c_str()) != 0) {
    return Error{ErrorKind::io, fmt::format("cannot delete {}: {}", file, std::strerror(errno))};
  }
  return ok();
}

// What would go, in the order of the list.
Result<std::vector<std::string>> victims(Pool& pool, const PoolName& name, bool recursive) {
  std::vector<std::string> gone;
  const std::size_t at = name.name.find('@');
  const auto list = pool.list(name.is_snapshot() && recursive ? name.name.substr(0, at) : name.name);
  if (!list) return in_pool(name, list.error());
  for (const DatasetInfo& info : *list) {
    const bool same =
        !name.is_snapshot() || info.name == name.name || (recursive && info.name.ends_with(name.name.substr(at)));
    if (same) gone.push_back(name.label(info.name));
  }
  return gone;
}

}  // namespace

Result<ExitStatus> command_destroy(const Arguments& arguments) {
  Request request;
  const auto go_on = parse(arguments, request);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  std::string text;
  for (const std::string& of : request.names) {
    const auto name = parse_pool_name(of);
    if (!name) return name.error();
    if (name->name.empty() && !request.recursive) {
      return Error{ErrorKind::usage, fmt::format("'{}' is a whole pool: destroy -r deletes it", of)};
    }
    {
      PoolSession session(request.dry_run);
      const auto pool = session.open(name->file);
      if (!pool) return pool.error();
      const auto gone = victims(**pool, *name, request.recursive);
      if (!gone) return gone.error();
      for (const std::string& victim : *gone) {
        if (request.verbose) text += fmt::format("{} {}\n", request.dry_run ? "would destroy" : "will destroy", victim);
      }
      if (!request.dry_run && !name->name.empty()) {
        const Status done = (*pool)->destroy(name->name, request.recursive);
        if (!done) return in_pool(*name, done.error());
      }
      BLKPRESS_TRY(session.close());
    }
    if (!request.dry_run && name->name.empty()) BLKPRESS_TRY(destroy_pool(name->file));
  }
  BLKPRESS_TRY(write_standard_output(text));
  return ExitStatus::done;
}

}  // namespace blkpress::tool
