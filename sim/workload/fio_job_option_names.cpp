#include "workload/fio_job_option_names.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "blkpress/sim/fio_job.hpp"

namespace blkpress::sim {
namespace {

// Other names of options that are simulated: fio's manual.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"readwrite", "rw"},
    {"blocksize", "bs"},
    {"blocksize_range", "bsrange"},
    {"blockalign", "ba"},
    {"io_limit", "io_size"},
    {"wait_for_previous", "stonewall"},
    {"blocksize_unaligned", "bs_unaligned"},
    {"timeout", "runtime"},
    {"iodepth_batch_submit", "iodepth_batch"},
    {"fileoffset", "offset"},
};

// What fio does with these is not visible in virtual time: measuring, reporting, memory, process attributes.
constexpr std::string_view kWithoutEffect[] = {
    "bandwidth-log",
    "clat_percentiles",
    "cpumask",
    "cpus_allowed",
    "cpus_allowed_policy",
    "create_fsync",
    "create_on_open",
    "create_serialize",
    "description",
    "disable_bw",
    "disable_bw_measurement",
    "disable_clat",
    "disable_lat",
    "disable_slat",
    "disk_util",
    "eta",
    "eta-newline",
    "exitall_on_error",
    "fadvise_hint",
    "file_service_type",
    "gtod_cpu",
    "hugepage-size",
    "ioscheduler",
    "lat_percentiles",
    "lockmem",
    "log_avg_msec",
    "log_hist_msec",
    "log_max_value",
    "log_offset",
    "log_unix_epoch",
    "max_jobs",
    "mem",
    "iomem",
    "iomem_align",
    "minimal",
    "nice",
    "numa_cpu_nodes",
    "numa_mem_policy",
    "openfiles",
    "opendir",
    "output",
    "output-format",
    "per_job_logs",
    "percentile_list",
    "prio",
    "prioclass",
    "slat_percentiles",
    "softrandommap",
    "status-interval",
    "thread",
    "unified_rw_reporting",
    "unit_base",
    "userspace_reap",
    "verify_async",
    "verify_backlog",
    "verify_fatal",
    "verify_interval",
    "verify_state_save",
    "warnings-fatal",
    "write_bw_log",
    "write_hist_log",
    "write_iops_log",
    "write_lat_log",
    "significant_figures",
    "aux-path",
    "bwavgtime",
    "iopsavgtime",
    "clocksource",
    "parse-only",
    "allow_file_create",
    "allow_mounted_write",
    "hipri",
};

// These would change the result and are not simulated; they are named so that the message can say so.
constexpr std::string_view kRefused[] = {
    "bs_is_seq_rand",
    "create_only",
    "exitall",
    "iodepth_low",
    "overwrite",
    "pre_read",
    "unlink_each_loop",
    "buffer_pattern_file",
    "cgroup",
    "client",
    "cpuio",
    "cpuload",
    "dedupe_global",
    "exec_postrun",
    "exec_prerun",
    "experimental_verify",
    "file_append",
    "filesize",
    "fill_device",
    "fill_fs",
    "flow",
    "ignore_error",
    "include",
    "iodepth_batch_complete",
    "iodepth_batch_complete_max",
    "iodepth_batch_complete_min",
    "iolog",
    "io_submit_mode",
    "latency_percentile",
    "latency_target",
    "latency_window",
    "max_latency",
    "offset_align",
    "profile",
    "random_drop",
    "rate",
    "rate_cycle",
    "rate_iops",
    "rate_iops_min",
    "rate_min",
    "rate_process",
    "read_iolog",
    "replay_align",
    "replay_no_stall",
    "replay_redirect",
    "rw_sequencer",
    "section",
    "serialize_overlap",
    "server",
    "ss",
    "ss_dur",
    "ss_ramp",
    "steadystate",
    "sync_file_range",
    "thinktime",
    "thinktime_blocks",
    "thinktime_spin",
    "trigger",
    "trim_backlog",
    "trim_percentage",
    "trim_verify_zero",
    "verify_only",
    "verify_pattern",
    "wait_for",
    "write_barrier",
    "write_iolog",
    "zonemode",
    "zonerange",
    "zonesize",
    "zoneskip",
};

bool among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string_view fio_option_unaliased(std::string_view name) {
  for (const auto& [alias, option] : kAliases) {
    if (alias == name) return option;
  }
  return name;
}

bool fio_option_has_no_effect(std::string_view name) { return among(kWithoutEffect, name); }

bool fio_option_is_of_the_program(std::string_view name) {
  constexpr std::string_view kOfTheProgram[] = {
      "bandwidth-log",   "eta",        "eta-newline", "output",         "output-format", "minimal",
      "status-interval", "parse-only", "max_jobs",    "warnings-fatal", "aux-path"};
  return among(kOfTheProgram, name);
}

bool fio_option_is_refused(std::string_view name) { return among(kRefused, name); }

std::vector<std::string_view> fio_options_without_effect() {
  return {std::begin(kWithoutEffect), std::end(kWithoutEffect)};
}

std::vector<std::string_view> fio_options_refused() { return {std::begin(kRefused), std::end(kRefused)}; }

}  // namespace blkpress::sim
