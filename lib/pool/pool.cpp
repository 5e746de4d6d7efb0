#include "blkpress/pool.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "pool/pool_engine.hpp"

namespace blkpress {

struct Pool::State {
  std::shared_ptr<PoolEngine> engine;
};

namespace {

using Lock = PoolEngine::Lock;

Error closed() { return {ErrorKind::usage, "pool is closed"}; }

class Handle final : public PoolObject {
 public:
  Handle(std::weak_ptr<PoolEngine> engine, std::shared_ptr<ObjectState> object)
      : engine_(std::move(engine)), object_(std::move(object)) {}

  Result<std::uint64_t> size() override {
    return locked<std::uint64_t>([this](PoolEngine&, Lock&) -> Result<std::uint64_t> {
      if (object_->gone) return Error{ErrorKind::usage, "object is not there any more"};
      return object_->size;
    });
  }

  Result<std::size_t> read(std::uint64_t offset, ByteSpan target) override {
    return locked<std::size_t>([&](PoolEngine& engine, Lock& lock) -> Result<std::size_t> {
      if (object_->gone) return Error{ErrorKind::usage, "object is not there any more"};
      if (offset >= object_->size) return std::size_t{0};
      const std::size_t count = std::min<std::uint64_t>(target.size(), object_->size - offset);
      BLKPRESS_TRY(engine.read(lock, *object_, stream_, offset, target.first(count)));
      return count;
    });
  }

  Status write(std::uint64_t offset, ByteView source) override {
    return locked<void>([&](PoolEngine& engine, Lock&) { return engine.write(object_, offset, source); });
  }
  Status trim(std::uint64_t offset, std::uint64_t length) override {
    return locked<void>([&](PoolEngine& engine, Lock&) { return engine.trim(object_, offset, length); });
  }
  Status flush() override {
    return locked<void>([](PoolEngine& engine, Lock&) { return engine.flush(); });
  }

  Status resize(std::uint64_t size) override {
    return locked<void>([&](PoolEngine& engine, Lock&) -> Status {
      if (object_->name.empty() && size != object_->size) {
        return Error{ErrorKind::usage, fmt::format("volume has {} bytes, not {}: set volsize", object_->size, size)};
      }
      return engine.resize(object_, size);
    });
  }

  Result<std::optional<DataRange>> next_data(std::uint64_t offset) override {
    return locked<std::optional<DataRange>>(
        [&](PoolEngine& engine, Lock&) { return engine.next_data(*object_, offset); });
  }

  std::uint32_t record_bytes() const override {
    const auto engine = engine_.lock();
    if (!engine) return object_->record_bytes;
    const Lock lock(engine->mutex);
    return object_->record_bytes;
  }

  Result<ObjectUsage> usage() override {
    return locked<ObjectUsage>([this](PoolEngine& engine, Lock&) { return engine.usage(*object_); });
  }

 private:
  template <class T, class Call>
  Result<T> locked(const Call& call) {
    const auto engine = engine_.lock();
    if (!engine) return closed();
    Lock lock(engine->mutex);
    BLKPRESS_TRY(engine->usable());
    return call(*engine, lock);
  }

  std::weak_ptr<PoolEngine> engine_;
  std::shared_ptr<ObjectState> object_;
  ReadStream stream_;  // under the pool's lock
};

Result<std::shared_ptr<PoolObject>> handle_of(const std::shared_ptr<PoolEngine>& engine,
                                              const Result<std::shared_ptr<ObjectState>>& object) {
  if (!object) return object.error();
  return std::shared_ptr<PoolObject>(std::make_shared<Handle>(engine, *object));
}

}  // namespace

Pool::Pool(std::shared_ptr<State> state) : state_(std::move(state)) {}

Pool::~Pool() {
  const Lock lock(state_->engine->mutex);
  // Whoever wants to know has called close().
  if (const Status done = state_->engine->close(); !done) return;
}

namespace {

constexpr std::uint64_t kLookedAt = 256 * kKiB;

// A pool overwrites what it finds: only where there is nothing.
Status check_empty(BlockFile& file, const std::string& name) {
  const Result<std::uint64_t> size = file.size();
  if (!size) return size.error();
  std::vector<std::byte> bytes(std::min(*size, kLookedAt));
  for (const std::uint64_t at : {std::uint64_t{0}, *size - bytes.size()}) {
    const Result<std::size_t> got = file.read(at, bytes);
    if (!got) return got.error();
    if (!all_zero(ByteView(bytes).first(*got))) {
      return Error{ErrorKind::usage, fmt::format("{} is not empty; force makes a pool of it all the same", name)};
    }
  }
  return ok();
}

Status check_geometry(const PoolGeometryOptions& geometry) {
  if (geometry.size < kPoolBytesMin) {
    return Error{ErrorKind::usage, fmt::format("pool size {} is less than {}", geometry.size, kPoolBytesMin)};
  }
  const PoolGeometry whole{.size = geometry.size / kRingBytes * kRingBytes, .ashift = geometry.ashift};
  BLKPRESS_TRY(whole.check());
  for (const Property& property : geometry.properties) {
    if (property.name == "volsize" || property.name == "volblocksize") {
      return Error{ErrorKind::usage, fmt::format("{} is not a property of a filesystem", property.name)};
    }
  }
  return ok();
}

}  // namespace

Result<std::unique_ptr<Pool>> Pool::create(std::unique_ptr<BlockFile> file, const PoolGeometryOptions& geometry,
                                           const PoolOptions& options, bool force) {
  BLKPRESS_TRY(check_geometry(geometry));
  if (options.read_only) return Error{ErrorKind::usage, "a new pool cannot be read only"};
  if (!force) BLKPRESS_TRY(check_empty(*file, "file"));
  auto engine = PoolEngine::create(std::move(file), geometry, options);
  if (!engine) return engine.error();
  auto state = std::make_shared<State>();
  state->engine = std::move(*engine);
  return std::unique_ptr<Pool>(new Pool(std::move(state)));
}

Result<std::unique_ptr<Pool>> Pool::create(const std::string& path, const PoolGeometryOptions& geometry,
                                           const PoolOptions& options, bool force) {
  BLKPRESS_TRY(check_geometry(geometry));
  auto file = open_file(path, {.mode = OpenMode::create, .lock = FileLock::exclusive, .block_device = true});
  if (!file) return file.error();
  const Result<std::uint64_t> size = (*file)->size();
  if (!size) return size.error();
  if (!force && *size > 0) BLKPRESS_TRY(check_empty(**file, path));
  auto pool = create(std::move(*file), geometry, options, true);
  // A file that was made for nothing goes again.
  if (!pool && *size == 0) std::remove(path.c_str());
  return pool;
}

Result<std::unique_ptr<Pool>> Pool::open(std::unique_ptr<BlockFile> file, const PoolOptions& options) {
  auto engine = PoolEngine::open(std::move(file), options);
  if (!engine) return engine.error();
  auto state = std::make_shared<State>();
  state->engine = std::move(*engine);
  return std::unique_ptr<Pool>(new Pool(std::move(state)));
}

Result<std::unique_ptr<Pool>> Pool::open(const std::string& path, const PoolOptions& options) {
  auto file = open_file(path, {.mode = options.read_only ? OpenMode::read : OpenMode::read_write,
                               .lock = options.read_only ? FileLock::shared : FileLock::exclusive,
                               .block_device = true});
  if (!file) return file.error();
  auto pool = open(std::move(*file), options);
  if (!pool) return Error{pool.error().kind, fmt::format("{}: {}", path, pool.error().message)};
  return pool;
}

// Every call takes the lock and finds the pool open.
#define BLKPRESS_LOCKED(call)             \
  const Lock lock(state_->engine->mutex); \
  BLKPRESS_TRY(state_->engine->usable()); \
  return state_->engine->call

Status Pool::close() {
  const Lock lock(state_->engine->mutex);
  return state_->engine->close();
}

Status Pool::flush() { BLKPRESS_LOCKED(flush()); }

Status Pool::create_filesystem(const std::string& path, const std::vector<Property>& properties) {
  BLKPRESS_LOCKED(create_dataset(path, std::nullopt, properties));
}

Status Pool::create_volume(const std::string& path, std::uint64_t size, const std::vector<Property>& properties) {
  BLKPRESS_LOCKED(create_dataset(path, size, properties));
}

Status Pool::destroy(const std::string& name, bool recursive) { BLKPRESS_LOCKED(destroy(name, recursive)); }

Status Pool::snapshot(const std::string& name, bool recursive) { BLKPRESS_LOCKED(snapshot(name, recursive)); }

Status Pool::rollback(const std::string& snapshot, bool destroy_later) {
  BLKPRESS_LOCKED(rollback(snapshot, destroy_later));
}

Status Pool::clone(const std::string& snapshot, const std::string& path, const std::vector<Property>& properties) {
  BLKPRESS_LOCKED(clone(snapshot, path, properties));
}

Status Pool::rename(const std::string& from, const std::string& to) { BLKPRESS_LOCKED(rename(from, to)); }

Status Pool::set(const std::string& dataset, const Property& property) { BLKPRESS_LOCKED(set(dataset, property)); }

Status Pool::inherit(const std::string& dataset, const std::string& property, bool recursive) {
  BLKPRESS_LOCKED(inherit(dataset, property, recursive));
}

Result<PropertyValue> Pool::get(const std::string& name, const std::string& property) {
  BLKPRESS_LOCKED(get(name, property));
}

Result<std::vector<PropertyValue>> Pool::get_all(const std::string& name) { BLKPRESS_LOCKED(get_all(name)); }

Result<std::vector<DatasetInfo>> Pool::list(const std::string& name) { BLKPRESS_LOCKED(list(name)); }

Result<std::vector<ObjectInfo>> Pool::objects(const std::string& filesystem) { BLKPRESS_LOCKED(objects(filesystem)); }

Result<std::shared_ptr<PoolObject>> Pool::open_object(const std::string& filesystem, const std::string& object) {
  const Lock lock(state_->engine->mutex);
  BLKPRESS_TRY(state_->engine->usable());
  return handle_of(state_->engine, state_->engine->open_object(filesystem, object));
}

Result<std::shared_ptr<PoolObject>> Pool::create_object(const std::string& filesystem, const std::string& object) {
  const Lock lock(state_->engine->mutex);
  BLKPRESS_TRY(state_->engine->usable());
  return handle_of(state_->engine, state_->engine->create_object(filesystem, object));
}

Result<std::shared_ptr<PoolObject>> Pool::open_volume(const std::string& volume) {
  const Lock lock(state_->engine->mutex);
  BLKPRESS_TRY(state_->engine->usable());
  return handle_of(state_->engine, state_->engine->open_volume(volume));
}

Status Pool::remove_object(const std::string& filesystem, const std::string& object) {
  BLKPRESS_LOCKED(remove_object(filesystem, object));
}

Status Pool::rename_object(const std::string& filesystem, const std::string& from, const std::string& to) {
  BLKPRESS_LOCKED(rename_object(filesystem, from, to));
}

Result<PoolUsage> Pool::usage() { BLKPRESS_LOCKED(usage()); }

unsigned Pool::ashift() const { return state_->engine->ashift(); }

std::uint64_t Pool::guid() const { return state_->engine->guid(); }

Result<CheckReport> Pool::check() { BLKPRESS_LOCKED(check(false)); }

Result<CheckReport> Pool::scrub() { BLKPRESS_LOCKED(check(true)); }

std::string_view to_string(DatasetType type) {
  return type == DatasetType::filesystem ? "filesystem" : type == DatasetType::volume ? "volume" : "snapshot";
}

}  // namespace blkpress
