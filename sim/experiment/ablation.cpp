#include "experiment/ablation.hpp"

#include <fmt/format.h>

#include <array>

namespace blkpress::sim {

namespace {

void set_everywhere(Experiment& experiment, const std::string& key, const std::string& value) {
  for (ExperimentRun& run : experiment.runs) {
    for (auto& [name, old] : run.settings) {
      if (name == key) old = value;
    }
  }
}

constexpr std::array kMechanisms = {
    Mechanism{"write-delay", "no dmu_tx_delay: writers run into the dirty limit",
              [](Experiment& experiment) { experiment.world.write.write_delay = false; }},
    Mechanism{"metadata-phase", "a transaction group's sync writes data alone",
              [](Experiment& experiment) {
                experiment.world.write.metadata_phase = {};
                experiment.world.write.metadata_share = 0;
              }},
    Mechanism{"speed-variation", "the CPU's speed is the same in every transaction group",
              [](Experiment& experiment) { experiment.world.write.speed_variation = 0; }},
    Mechanism{"single-compress-thread", "one compressing thread more",
              [](Experiment& experiment) { ++experiment.world.write.more_compress_threads; }},
    Mechanism{"burst-credit", "the device saves up no credit while it idles",
              [](Experiment& experiment) {
                experiment.world.device_settings.push_back({"burst_mib", "0"});
              }},
    Mechanism{"prefetch", "no prefetch streams: each record is read when it is asked for",
              [](Experiment& experiment) { experiment.world.read.prefetch = false; }},
    Mechanism{"promotion", "a read that waits for a queued prefetch does not hurry it",
              [](Experiment& experiment) { experiment.world.read.promotes_prefetch = false; }},
    Mechanism{"read-aggregation", "each record is read by an I/O of its own",
              [](Experiment& experiment) { experiment.world.read.aggregates = false; }},
    Mechanism{"scatter", "the records of a file all follow each other on the device",
              [](Experiment& experiment) { experiment.world.read.scattered_share = 0; }},
    Mechanism{"resident-head", "nothing that is read lies in memory at the start",
              [](Experiment& experiment) { set_everywhere(experiment, "resident_mib", "0"); }},
    Mechanism{"flusher", "nothing is written back before it has been dirty for half a minute",
              [](Experiment& experiment) {
                experiment.world.btrfs_write.dirty_background = kTiB;
                experiment.world.f2fs_write.dirty_background = kTiB;
              }},
    Mechanism{"flusher-wait", "writers do not meet the flusher at locks",
              [](Experiment& experiment) {
                experiment.world.btrfs_write.flusher_wait = {};
                experiment.world.f2fs_write.flusher_wait = {};
              }},
    Mechanism{"reservation", "Btrfs has space for the metadata of any number of dirty pages",
              [](Experiment& experiment) { experiment.world.btrfs_write.reservation.reset(); }},
    Mechanism{"commit", "a transaction of Btrfs commits in no time",
              [](Experiment& experiment) {
                auto& reservation = experiment.world.btrfs_write.reservation;
                if (reservation) reservation->commit_pause = {};
              }},
    Mechanism{"device-mapper", "no I/O is split on its way to the device",
              [](Experiment& experiment) {
                experiment.world.btrfs_write.requests_per_bio = 1;
                experiment.world.f2fs_write.requests_per_bio = 1;
              }},
    Mechanism{"fork-stagger", "all jobs start at once",
              [](Experiment& experiment) { set_everywhere(experiment, "fork_stagger_ms", "0"); }},
    Mechanism{"equal-rate", "a cloned volume's stream has no pace of its own: the devices or the CPUs limit",
              [](Experiment& experiment) { set_everywhere(experiment, "stream_mb_s", "0"); }},
    Mechanism{"phase-alternation", "a transaction group is received while the one before is synced",
              [](Experiment& experiment) { set_everywhere(experiment, "phases", "overlapping"); }},
};

}  // namespace

std::span<const Mechanism> mechanisms() { return kMechanisms; }

Status remove_mechanism(std::string_view name, Experiment& experiment) {
  std::string names;
  for (const Mechanism& mechanism : kMechanisms) {
    if (mechanism.name == name) {
      mechanism.remove(experiment);
      return ok();
    }
    names += (names.empty() ? "" : ", ") + std::string(mechanism.name);
  }
  return Error{ErrorKind::usage, fmt::format("mechanism '{}' is unknown; there are {}", name, names)};
}

}  // namespace blkpress::sim
