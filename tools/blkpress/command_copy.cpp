// copy: between volumes and raw images.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"
#include "blkpress/size_format.hpp"
#include "blkpress/stream_copy.hpp"

namespace blkpress::tool {
namespace {

struct Request {
  std::vector<std::string> words, properties;
  bool create = false;
};

Result<bool> parse(const Arguments& arguments, Request& request) {
  Options options("copy",
                  "Copies a volume, a snapshot of one, or a raw image to a volume or a raw image. Holes stay holes. A "
                  "volume keeps\nits size; an image is replaced once the new one is whole.");
  options.positionals(request.words, "SOURCE TARGET", "POOLFILE/VOLUME[@SNAPSHOT], or a file or block device", true);
  options.flag("--create", request.create, "make the target volume, as large as the source");
  options.list("-o", request.properties, "PROPERTY=VALUE", "set a property of the volume that is made");
  options.examples(
      "Examples:\n  blkpress copy --create -o volblocksize=64K vm.raw disk.blkp/vm\n"
      "  blkpress copy disk.blkp/vm@monday vm.raw");
  return options.parse(arguments);
}

// A volume when the name leads into a pool, otherwise an image.
Result<std::optional<PoolName>> volume_name(const std::string& text) {
  auto name = parse_pool_name(text);
  if (!name || name->name.empty()) return std::optional<PoolName>();
  return std::optional(std::move(*name));
}

Status punch_device(BlockFile& device, std::uint64_t offset, std::uint64_t length) {
  const std::vector<std::byte> zeros(kMiB);
  for (; length > 0;) {
    const std::uint64_t count = std::min<std::uint64_t>(length, zeros.size());
    BLKPRESS_TRY(device.write(offset, ByteView(zeros).first(count)));
    offset += count;
    length -= count;
  }
  return ok();
}

Status copy_to_image(BlockFile& source, const std::string& path, const std::string& what) {
  const auto size = source.size();
  if (!size) return size.error();
  if (const auto device = open_file(path, {.mode = OpenMode::read_write, .block_device = true});
      device && !open_file(path)) {
    const auto room = (*device)->size();
    if (!room) return room.error();
    if (*room < *size) {
      return Error{ErrorKind::no_space, fmt::format("{} has {} bytes, {} are to be copied", path, *room, *size)};
    }
    BLKPRESS_TRY(copy_stream(source, **device, what, [&](std::uint64_t offset, std::uint64_t length) {
      return punch_device(**device, offset, length);
    }));
    return (*device)->flush();
  }
  const std::string partial = path + ".partial";
  const auto write = [&]() -> Status {
    auto target = open_file(partial, {.mode = OpenMode::create, .lock = FileLock::exclusive});
    if (!target) return target.error();
    BLKPRESS_TRY((*target)->resize(0));
    BLKPRESS_TRY((*target)->resize(*size));
    BLKPRESS_TRY(copy_stream(source, **target, what));
    return (*target)->flush();
  };
  Status done = write();
  if (done && std::rename(partial.c_str(), path.c_str()) != 0) {
    done = Error{ErrorKind::io, fmt::format("cannot make {}: {}", path, std::strerror(errno))};
  }
  if (!done) std::remove(partial.c_str());
  return done;
}

Status copy_to_volume(BlockFile& source, PoolObject& target, const std::string& what, bool fresh) {
  const auto size = source.size(), room = target.size();
  if (!size) return size.error();
  if (!room) return room.error();
  if (*size > *room) {
    return Error{ErrorKind::no_space, fmt::format("the volume has {} bytes, {} are to be copied", *room, *size)};
  }
  const auto punch = [&](std::uint64_t offset, std::uint64_t length) { return target.trim(offset, length); };
  if (fresh) return copy_stream(source, target, what);
  return copy_stream(source, target, what, punch);
}

}  // namespace

Result<ExitStatus> command_copy(const Arguments& arguments) {
  Request request;
  const auto go_on = parse(arguments, request);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (request.words.size() != 2) return Error{ErrorKind::usage, "copy takes a source and a target"};
  const auto from = volume_name(request.words[0]), to = volume_name(request.words[1]);
  const auto properties = parse_properties(request.properties);
  if (!properties) return properties.error();
  if (*to && (*to)->is_snapshot()) {
    return Error{ErrorKind::usage, fmt::format("'{}' is a snapshot, it cannot be written", request.words[1])};
  }
  if (!*to && (request.create || !properties->empty())) {
    return Error{ErrorKind::usage,
                 fmt::format("'{}' is not a volume's name, which --create and -o are for", request.words[1])};
  }
  if (!*from && !*to) return Error{ErrorKind::usage, "neither source nor target is a volume: cp copies files"};
  PoolSession writing(false), reading(true);
  std::shared_ptr<BlockFile> source;
  if (*from) {
    // One and the same pool cannot be opened twice.
    const bool same = *to && (*to)->file == (*from)->file;
    const auto pool = (same ? writing : reading).open((*from)->file);
    if (!pool) return pool.error();
    const auto volume = (*pool)->open_volume((*from)->name);
    if (!volume) return in_pool(**from, volume.error());
    source = *volume;
  } else {
    auto image = open_file(request.words[0], {.block_device = true});
    if (!image) return image.error();
    source = std::move(*image);
  }
  if (!*to) {
    BLKPRESS_TRY(copy_to_image(*source, request.words[1], request.words[0]));
    return ExitStatus::done;
  }
  const auto pool = writing.open((*to)->file);
  if (!pool) return pool.error();
  if (request.create) {
    const auto size = source->size();
    if (!size) return size.error();
    std::uint64_t block = 16 * kKiB;
    for (const Property& property : *properties) {
      const auto bytes = property.name == "volblocksize" ? parse_size(property.value) : Result<std::uint64_t>(block);
      if (!bytes) return bytes.error();
      block = std::max<std::uint64_t>(*bytes, 1);
    }
    const Status made = (*pool)->create_volume((*to)->name, std::max(round_up(*size, block), block), *properties);
    if (!made) return in_pool(**to, made.error());
  }
  const auto volume = (*pool)->open_volume((*to)->name);
  if (!volume) return in_pool(**to, volume.error());
  const Status done = copy_to_volume(*source, **volume, request.words[0], request.create);
  if (!done) return in_pool(**to, done.error());
  source.reset();
  BLKPRESS_TRY(writing.close());
  return ExitStatus::done;
}

}  // namespace blkpress::tool
