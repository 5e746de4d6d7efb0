// create: a pool, a dataset or a volume.
#include <fmt/format.h>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"
#include "blkpress/size_format.hpp"

namespace blkpress::tool {
namespace {

struct Request {
  std::vector<std::string> names;
  std::vector<std::string> properties;
  std::string size, volume_size;
  std::uint64_t ashift = 12;
  bool parents = false, sparse = false, force = false;
};

Result<bool> parse(const Arguments& arguments, Request& request) {
  Options options("create",
                  "Makes a pool (NAME is a new file, or a block device), a filesystem in a pool, or a volume (-V).");
  options.positionals(request.names, "NAME", "POOLFILE or POOLFILE/DATASET", true);
  options.list("-o", request.properties, "PROPERTY=VALUE", "set a property of what is made");
  options.text("--size", request.size, "SIZE", "of a new pool, 8M or more; of a block device: its own by default");
  options.number("--ashift", request.ashift, 9, 16, "of a new pool: sectors of 2^N bytes");
  options.flag("-f,--force", request.force, "make a pool even where there is something already");
  options.text("-V", request.volume_size, "SIZE", "make a volume of that size");
  options.flag("-s", request.sparse, "as zfs takes it: a volume reserves nothing, here never");
  options.flag("-p", request.parents, "also make the parents that are missing; no error when it is there already");
  options.examples(
      "Examples:\n"
      "  blkpress create disk.blkp --size 10G\n"
      "  blkpress create disk.blkp/db -o compression=zstd\n"
      "  blkpress create disk.blkp/vm -V 4G -o volblocksize=16K\n\n"
      "SOURCE_DATE_EPOCH (seconds) in the environment is the time of creation, BLKPRESS_GUID_SEED (a number) the\n"
      "source of guids: the same operations then make the same file.");
  return options.parse(arguments);
}

Status create_pool(const std::string& file, const Request& request, const std::vector<Property>& properties) {
  if (!request.volume_size.empty()) {
    return Error{ErrorKind::usage, fmt::format("'{}' names no pool that a volume could be made in", file)};
  }
  PoolGeometryOptions geometry;
  geometry.ashift = static_cast<unsigned>(request.ashift);
  geometry.properties = properties;
  if (!request.size.empty()) {
    const auto size = parse_size(request.size);
    if (!size) return Error{ErrorKind::usage, "--size " + size.error().message};
    geometry.size = *size;
  } else if (is_file_or_device(file)) {
    const auto existing = open_file(file, {.block_device = true});
    if (!existing) return existing.error();
    const auto size = (*existing)->size();
    if (!size) return size.error();
    geometry.size = *size;
  } else {
    return Error{ErrorKind::usage, fmt::format("'{}' is not there: a new pool needs a --size", file)};
  }
  const auto options = pool_options(false);
  if (!options) return options.error();
  auto pool = Pool::create(file, geometry, *options, request.force);
  if (!pool) return pool.error();
  return (*pool)->close();
}

Status create_dataset(const PoolName& name, const Request& request, const std::vector<Property>& properties) {
  PoolSession session(false);
  const auto opened = session.open(name.file);
  if (!opened) return opened.error();
  Pool& pool = **opened;
  if (request.parents) {
    if (pool.list(name.name)) return session.close();
    for (std::size_t slash = name.name.find('/'); slash != std::string::npos; slash = name.name.find('/', slash + 1)) {
      const std::string parent = name.name.substr(0, slash);
      if (pool.list(parent)) continue;
      if (Status done = pool.create_filesystem(parent); !done) return in_pool(name, done.error());
    }
  }
  Status done = ok();
  if (request.volume_size.empty()) {
    done = pool.create_filesystem(name.name, properties);
  } else {
    const auto size = parse_size(request.volume_size);
    if (!size) return Error{ErrorKind::usage, "-V " + size.error().message};
    done = pool.create_volume(name.name, *size, properties);
  }
  if (!done) return in_pool(name, done.error());
  return session.close();
}

}  // namespace

Result<ExitStatus> command_create(const Arguments& arguments) {
  Request request;
  const auto go_on = parse(arguments, request);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (request.names.size() != 1) {
    return Error{ErrorKind::usage, fmt::format("create takes one name, not '{}' too", request.names[1])};
  }
  const auto properties = parse_properties(request.properties);
  if (!properties) return properties.error();
  const std::string& text = request.names.front();
  const auto name = parse_pool_name(text);
  if (name && name->is_snapshot()) {
    return Error{ErrorKind::usage, fmt::format("'{}' is a snapshot's name: blkpress snapshot makes one", text)};
  }
  const bool in_a_pool = name && !name->name.empty();
  if (in_a_pool && !request.size.empty()) {
    return Error{ErrorKind::usage, "--size is of a pool; of a volume it is -V"};
  }
  BLKPRESS_TRY(in_a_pool ? create_dataset(*name, request, *properties) : create_pool(text, request, *properties));
  return ExitStatus::done;
}

}  // namespace blkpress::tool
