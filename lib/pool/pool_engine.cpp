#include "pool/pool_engine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <random>
#include <thread>

namespace blkpress {
namespace {

constexpr std::size_t kPoolNodesKept = 256;
// A pool that waits for more than this in memory is no use to anybody.
constexpr std::uint64_t kDirtyBytesMin = kMiB;

PoolOptions completed(PoolOptions options) {
  if (options.threads == 0) options.threads = std::max(1U, std::thread::hardware_concurrency());
  options.threads = std::min(options.threads, 256U);
  options.dirty_bytes_max = std::max(options.dirty_bytes_max, kDirtyBytesMin);
  if (!options.clock_s) {
    options.clock_s = [] {
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
    };
  }
  if (!options.guid) {
    options.guid = [] {
      std::random_device device;
      return std::uint64_t{device()} << 32 | device();
    };
  }
  return options;
}

Error corrupt(std::string message) { return {ErrorKind::corrupt, std::move(message)}; }

}  // namespace

PoolEngine::PoolEngine(std::unique_ptr<BlockStore> store, const PoolOptions& options)
    : options_(completed(options)),
      store_(std::move(store)),
      ashift_(store_->superblock().geometry.ashift),
      guid_(store_->superblock().guid),
      tree_(
          std::make_unique<Btree>(*store_, store_->superblock().root, Btree::Release(), Btree::Born(), kPoolNodesKept)),
      codecs_(options_.codecs),
      dead_(*tree_, next_dead_),
      cache_(options_.cache_bytes_max),
      writer_(std::make_unique<RecordWriter>(options_.threads, [this](RecordJob& job) { place(job); })),
      ahead_(std::make_shared<ReadAhead>(store_, options_.threads)) {}

Result<std::unique_ptr<PoolEngine>> PoolEngine::create(std::unique_ptr<BlockFile> file,
                                                       const PoolGeometryOptions& geometry,
                                                       const PoolOptions& options) {
  const PoolOptions used = completed(options);
  BlockStoreOptions store_options;
  store_options.geometry = {.size = geometry.size / kRingBytes * kRingBytes, .ashift = geometry.ashift};
  store_options.guid = used.guid();
  store_options.creation_s = used.clock_s();
  auto store = BlockStore::create(std::move(file), store_options);
  if (!store) return store.error();
  std::unique_ptr<PoolEngine> engine(new PoolEngine(std::move(*store), used));
  auto root = engine->new_dataset({}, false, geometry.properties);
  if (!root) return root.error();
  (*root)->creation_s = engine->superblock().creation_s;
  engine->rebase();
  Dataset& added = engine->table_.add(std::move(*root));
  BLKPRESS_TRY(engine->put_properties(added));
  engine->mark_changed(added);
  BLKPRESS_TRY(engine->commit());
  return engine;
}

Result<std::unique_ptr<PoolEngine>> PoolEngine::open(std::unique_ptr<BlockFile> file, const PoolOptions& options) {
  auto store = BlockStore::open(std::move(file), options.read_only);
  if (!store) return store.error();
  std::unique_ptr<PoolEngine> engine(new PoolEngine(std::move(*store), options));
  BLKPRESS_TRY(engine->load());
  BLKPRESS_TRY(engine->replay_log());
  return engine;
}

Status PoolEngine::load() {
  const auto record = tree_->get(kPoolKey);
  if (!record) return record.error();
  if (!*record) return corrupt("pool's tree: its own entry is not there");
  if (!FieldReader(**record).number(next_id_).number(next_dead_).at_end()) {
    return corrupt("pool's tree: its own entry is out of range");
  }
  bool good = true;
  BLKPRESS_TRY(tree_->scan(std::string(1, kCodecKey), std::string(1, kCodecKey + 1),
                           [&](std::string_view key, std::string_view name) {
                             const auto number = static_cast<std::uint8_t>(key.back());
                             good = key.size() == 2 && number >= PoolCodecs::kFirstOwn && !name.empty();
                             if (good) codecs_.name(number, name);
                             return good;
                           }));
  if (!good) return corrupt("pool's tree: a codec is out of range");
  BLKPRESS_TRY(table_.load(*tree_));
  measure_pool_metadata();
  rebase();
  return ok();
}

Status PoolEngine::replay_log() {
  bool any = false;
  replaying_ = true;
  const Status done = store_->log_replay([&](ByteView payload) {
    any = true;
    return apply_log_entry(payload);
  });
  replaying_ = false;
  BLKPRESS_TRY(done);
  // Read only, the changes stay in memory and the log where it is.
  return any && !options_.read_only ? commit() : ok();
}

Status PoolEngine::apply_log_entry(ByteView payload) {
  const Error bad = corrupt("intent log: an entry is out of range");
  FieldReader reader({reinterpret_cast<const char*>(payload.data()), payload.size()});
  while (!reader.at_end()) {
    LoggedChange change;
    std::uint32_t trim = 0;
    reader.number(trim).number(change.owner).number(change.object).number(change.offset).number(change.length);
    std::string_view bytes;
    if (trim == 0) reader.bytes(change.length, bytes);
    if (!reader.good() || trim > 1) return bad;
    Dataset* dataset = table_.dataset(change.owner);
    if (dataset == nullptr) return bad;
    std::shared_ptr<ObjectState> object;
    for (const auto& [name, open] : dataset->open.objects) {
      if (open->id == change.object) object = open;
    }
    if (!object) {
      // Entries name objects by number; the names lie in the tree.
      auto tree = tree_of(change.owner);
      if (!tree) return tree.error();
      std::string found;
      bool is_there = false;
      BLKPRESS_TRY((*tree)->scan(std::string(1, kObjectKey), std::string(1, kObjectKey + 1),
                                 [&](std::string_view key, std::string_view value) {
                                   std::uint64_t id = 0;
                                   is_there = FieldReader(value).number(id).good() && id == change.object;
                                   if (is_there) found = key.substr(1);
                                   return !is_there;
                                 }));
      if (!is_there) return bad;
      auto opened = find_object(change.owner, found);
      if (!opened) return opened.error();
      if (!*opened) return bad;
      object = *opened;
    }
    if (trim != 0) {
      BLKPRESS_TRY(this->trim(object, change.offset, change.length));
    } else {
      BLKPRESS_TRY(write(object, change.offset, as_bytes(bytes.data(), bytes.size())));
    }
  }
  return ok();
}

Status PoolEngine::usable() const {
  if (closed_) return Error{ErrorKind::usage, "pool is closed"};
  return ok();
}

Status PoolEngine::close() {
  if (closed_) return ok();
  const Status done = options_.read_only || stopped_ ? ok() : commit_if_changed();
  closed_ = true;
  // The file goes now, and with it the lock on it, not when the last handle does; but for who is reading from it.
  for (const auto& [id, dataset] : table_.datasets()) dataset->open.tree.reset();
  for (const auto& [id, snapshot] : table_.snapshots()) snapshot->open.tree.reset();
  writer_.reset();
  tree_.reset();
  ahead_.reset();
  store_.reset();
  return done;
}

}  // namespace blkpress
