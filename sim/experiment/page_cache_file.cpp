#include "experiment/page_cache_file.hpp"

namespace blkpress::sim {

namespace {

Duration microseconds_field(TomlFields& fields, std::string_view key, double high, double otherwise) {
  return duration_of(fields.number(key, 0, high, otherwise) * 1e-6);
}

std::uint64_t bytes_field(TomlFields& fields, std::string_view key, double low, double high, double otherwise,
                          std::uint64_t unit) {
  return static_cast<std::uint64_t>(fields.number(key, low, high, otherwise) * static_cast<double>(unit));
}

// [page_cache]: the kernel's settings, and the devices below.
Status read_shared(TomlFields fields, PageCacheParameters& shared) {
  shared.dirty_background = bytes_field(fields, "dirty_background_mib", 0, 1e8, 1024, kMiB);
  shared.flush_chunk = bytes_field(fields, "flush_chunk_mib", 0.1, 1e6, 52, kMiB);
  shared.dirty_expire = duration_of(fields.number("dirty_expire_s", 0.01, 1e6, 30.0));
  shared.flush_time = microseconds_field(fields, "flush_us_per_page", 1e4, 0);
  shared.request_bytes = bytes_field(fields, "request_kib", 4, 1e6, 256, kKiB);
  shared.requests_per_bio = fields.number("requests_per_bio", 1, 1000, 1.0);
  return fields.status();
}

// [btrfs], [f2fs]: what a write costs there.
void read_costs(TomlFields& fields, PageCacheParameters& parameters) {
  parameters.write_time = microseconds_field(fields, "write_us_per_page", 1e4, 0);
  parameters.flusher_wait = microseconds_field(fields, "flusher_wait_us_per_page", 1e4, 0);
}

Status read_f2fs(TomlFields fields, PageCacheParameters& f2fs) {
  read_costs(fields, f2fs);
  return fields.status();
}

Status read_btrfs(TomlFields fields, PageCacheParameters& btrfs) {
  btrfs.out_of_place = false;
  read_costs(fields, btrfs);
  if (!fields.has("reserved_pages")) return fields.status();
  btrfs.reservation = PageReservation{
      .pages = static_cast<std::uint64_t>(fields.number("reserved_pages", 1, 1e12)),
      .contended_write_time = microseconds_field(fields, "contended_write_us_per_page", 1e4, 0),
      .finish_time = microseconds_field(fields, "finish_us_per_page", 1e6, 0),
      .finish_batch = fields.number("finish_batch_pages", 1, 1e6, 1.0),
      .commit_pause = duration_of(fields.number("commit_pause_ms", 0, 1e6, 0.0) * 1e-3),
      .commit_interval = duration_of(fields.number("commit_interval_s", 0, 1e6, 30.0)),
  };
  return fields.status();
}

}  // namespace

Status read_page_cache(TomlFields& root, WorldOptions& world) {
  PageCacheParameters shared;
  BLKPRESS_TRY(read_shared(root.child("page_cache"), shared));
  world.btrfs_write = shared;
  world.f2fs_write = shared;
  BLKPRESS_TRY(read_btrfs(root.child("btrfs"), world.btrfs_write));
  return read_f2fs(root.child("f2fs"), world.f2fs_write);
}

}  // namespace blkpress::sim
