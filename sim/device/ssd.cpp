// A solid-state drive: flash dies behind channels, a controller, a write buffer, a translation layer that collects
// garbage, and a link to the host. SATA and NVMe differ in their settings only.
#include <algorithm>
#include <memory>
#include <vector>

#include "blkpress/bytes.hpp"
#include "device/device_makers.hpp"
#include "device/flash_translation.hpp"
#include "device/shared_server.hpp"

namespace blkpress::sim {

namespace {

constexpr std::uint64_t kSlotBytes = 4096;

struct SsdOptions {
  std::uint32_t channels;
  std::uint32_t dies;  // in all
  Duration page_read;
  Duration page_program;
  Duration block_erase;
  double channel_bytes_per_second;
  double link_bytes_per_second;
  bool link_both_ways;  // reads and writes at the same time
  Duration command;     // the controller's time for each request; one at a time
  Duration read_overhead;
  Duration write_overhead;
  std::uint64_t capacity_slots;
  std::uint32_t slots_per_unit;  // what one program writes: a page in each plane
  std::uint32_t buffer_units;    // 0: a write is done when it is in flash
  bool buffer_is_safe;           // keeps its data without power: a flush need not wait
};

class SolidStateDrive final : public DeviceModel {
 public:
  SolidStateDrive(const SsdOptions& options, const FlashTranslation::Options& translation, FlashTranslation::Fill fill)
      : options_(options),
        translation_(translation, fill),
        logical_slots_(translation.logical_slots),
        unit_transfer_(channel_time(options.slots_per_unit)),
        slot_transfer_(channel_time(1)),
        dies_(options.dies),
        channels_(options.channels),
        die_of_unit_((std::size_t{translation.blocks} + 1) * translation.slots_per_block / options.slots_per_unit),
        buffer_(std::max(1U, options.buffer_units)) {
    for (std::size_t unit = 0; unit < die_of_unit_.size(); ++unit) {
      die_of_unit_[unit] = static_cast<std::uint16_t>(unit % options_.dies);
    }
  }

  Instant complete_at(const DeviceRequest& request, Instant now) override {
    controller_free_ = std::max(controller_free_, now) + options_.command;
    if (request.kind == DeviceRequest::Kind::flush) return flush();
    const std::uint64_t bytes = std::min(std::max<std::uint64_t>(request.bytes, 1), logical_slots_ * kSlotBytes);
    const std::uint64_t slot = request.offset / kSlotBytes % options_.capacity_slots % logical_slots_;
    const std::uint64_t slots = (request.offset % kSlotBytes + bytes + kSlotBytes - 1) / kSlotBytes;
    return request.kind == DeviceRequest::Kind::read ? read({slot, slots}, bytes) : write({slot, slots}, bytes);
  }

  // Whole slots and what is copied; without what a flush leaves unused.
  [[nodiscard]] std::vector<DeviceFigure> figures() const override {
    const auto host = static_cast<double>(translation_.slots_written());
    const double flash = host + static_cast<double>(translation_.slots_copied());
    constexpr double kMibPerSlot = static_cast<double>(kSlotBytes) / static_cast<double>(kMiB);
    return {{"host_written_mib", host * kMibPerSlot},
            {"flash_written_mib", flash * kMibPerSlot},
            {"write_amplification", host > 0 ? flash / host : 1}};
  }

 private:
  struct Extent {
    std::uint64_t slot;
    std::uint64_t slots;
  };

  [[nodiscard]] Duration channel_time(std::uint32_t slots) const {
    return duration_of(static_cast<double>(slots * kSlotBytes) / options_.channel_bytes_per_second);
  }
  [[nodiscard]] Duration link_time(std::uint64_t bytes) const {
    return duration_of(static_cast<double>(bytes) / options_.link_bytes_per_second);
  }
  Instant& link_free(bool read) { return options_.link_both_ways && read ? link_to_host_ : link_to_drive_; }

  // Where a slot lies that was never written: as if everything had been written in order.
  [[nodiscard]] std::uint32_t unit_of(std::uint64_t logical) const {
    const std::uint32_t slot = translation_.where(static_cast<std::uint32_t>(logical));
    return (slot == FlashTranslation::kNowhere ? static_cast<std::uint32_t>(logical) : slot) / options_.slots_per_unit;
  }

  // Slots that lie behind each other in one unit are read at once. The data goes out over the channel and over the link
  // as it comes; each of these is busy for the bytes that it carries, wherever in the request they are.
  Instant read(const Extent& extent, std::uint64_t bytes) {
    const Instant start = controller_free_ + options_.read_overhead;
    Instant done = start;
    std::uint32_t last_slots = 1;
    std::uint64_t logical = extent.slot;
    for (std::uint64_t left = extent.slots; left > 0;) {
      const std::uint32_t unit = unit_of(logical);
      std::uint32_t slots = 0;
      do {
        ++slots;
        if (++logical == logical_slots_) logical = 0;
      } while (slots < left && slots < options_.slots_per_unit && unit_of(logical) == unit);
      done = std::max(done, read_unit(unit, slots, start));
      last_slots = slots;
      left -= slots;
    }
    Instant& link = link_free(true);
    link = std::max(link, start) + link_time(bytes);
    return std::max(done + link_time(std::min(bytes, last_slots * kSlotBytes)), link);
  }

  Instant read_unit(std::uint32_t unit, std::uint32_t slots, Instant start) {
    // Not programmed yet: it is in the buffer.
    if (unit == translation_.next_slot() / options_.slots_per_unit && open_slots_ > 0) return start;
    const std::uint32_t die = die_of_unit_[unit];
    const Duration transfer = slot_transfer_ * slots;
    const Instant in_register = dies_[die].read(start, options_.page_read, options_.page_program);
    const Instant channel = channels_[die % options_.channels].read(start, transfer, {});
    return std::max(in_register + transfer, channel);
  }

  // Done when the last byte is in the buffer; a byte enters when there is room.
  Instant write(const Extent& extent, std::uint64_t bytes) {
    Instant& link = link_free(false);
    link = std::max(link, controller_free_) + link_time(bytes);
    Instant done = link;
    std::uint64_t logical = extent.slot;
    for (std::uint64_t i = 0; i < extent.slots; ++i) {
      done = std::max(done, write_slot(static_cast<std::uint32_t>(logical), done));
      if (++logical == logical_slots_) logical = 0;
    }
    if (options_.buffer_units == 0) {
      close_unit(done);
      done = std::max(done, programmed_);
    }
    return done + options_.write_overhead;
  }

  // When the slot is in the buffer.
  Instant write_slot(std::uint32_t logical, Instant at) {
    const FlashTranslation::Written written = translation_.write(logical);
    if (written.erased) collect(written, at);
    return append(written.slot, 1, at);
  }

  // Slots that were given a place go to flash unit by unit.
  Instant append(std::uint32_t slot, std::uint32_t slots, Instant at) {
    Instant in_buffer = at;
    while (slots > 0) {
      const std::uint32_t within = slot % options_.slots_per_unit;
      const std::uint32_t here = std::min(slots, options_.slots_per_unit - within);
      if (open_slots_ == 0) in_buffer = std::max(in_buffer, room());
      open_slots_ += here;
      slot += here;
      slots -= here;
      if (slot % options_.slots_per_unit == 0) program(slot / options_.slots_per_unit - 1, in_buffer);
    }
    return in_buffer;
  }

  // When the buffer has room for one more unit: when the one that used it last has been programmed.
  [[nodiscard]] Instant room() const { return options_.buffer_units == 0 ? Instant{} : buffer_[next_in_buffer_]; }

  // The dies take turns, each one's unit going over its channel first.
  void program(std::uint32_t unit, Instant at) {
    const std::uint32_t die = next_die_;
    if (++next_die_ == options_.dies) next_die_ = 0;
    die_of_unit_[unit] = static_cast<std::uint16_t>(die);
    const Instant there = channels_[die % options_.channels].background(at, unit_transfer_);
    const Instant done = dies_[die].background(there, options_.page_program);
    buffer_[next_in_buffer_] = done;
    if (++next_in_buffer_ == buffer_.size()) next_in_buffer_ = 0;
    programmed_ = std::max(programmed_, done);
    open_slots_ = 0;
  }

  // Blocks are striped over the dies: the reads and the erasure of a collection are spread over them in turn.
  void collect(const FlashTranslation::Written& written, Instant at) {
    for (std::uint32_t page = 0; page < written.pages; ++page) {
      dies_[next_collected_].background(at, options_.page_read);
      if (++next_collected_ == options_.dies) next_collected_ = 0;
    }
    for (std::uint32_t slot = 0; slot < written.copied; ++slot) {
      channels_[slot % options_.channels].background(at, slot_transfer_);
    }
    dies_[next_erased_].background(at, options_.block_erase);
    if (++next_erased_ == options_.dies) next_erased_ = 0;
    append(written.slot - written.copied, written.copied, at);
  }

  // What the open unit has not got is left unused.
  void close_unit(Instant at) {
    if (open_slots_ == 0) return;
    const std::uint32_t slot = translation_.next_slot();
    translation_.skip(options_.slots_per_unit - slot % options_.slots_per_unit);
    program(slot / options_.slots_per_unit, at);
  }

  Instant flush() {
    const Instant arrived = std::max(controller_free_, link_to_drive_);
    if (options_.buffer_is_safe) return arrived + options_.write_overhead;
    close_unit(arrived);
    return std::max(arrived + options_.write_overhead, programmed_);
  }

  SsdOptions options_;
  FlashTranslation translation_;
  std::uint64_t logical_slots_;
  Duration unit_transfer_;
  Duration slot_transfer_;
  std::vector<SharedServer> dies_;
  std::vector<SharedServer> channels_;  // die d hangs on channel d % channels
  std::vector<std::uint16_t> die_of_unit_;
  Instant controller_free_{};
  Instant link_to_drive_{};
  Instant link_to_host_{};
  std::vector<Instant> buffer_;  // a ring: when the unit in that place has been programmed
  std::size_t next_in_buffer_ = 0;
  std::uint32_t open_slots_ = 0;  // of the unit that is not full yet
  std::uint32_t next_die_ = 0;
  std::uint32_t next_collected_ = 0;
  std::uint32_t next_erased_ = 0;
  Instant programmed_{};  // everything sent to flash so far
};

Duration microseconds_of(DeviceSettings& settings, std::string_view key, double high,
                         std::optional<double> otherwise = {}) {
  return duration_of(settings.number(key, 0, high, otherwise) * 1e-6);
}

struct Flash {
  std::uint64_t page_bytes;
  std::uint64_t planes;
  std::uint64_t pages_per_block;
  double over_provisioning;
  double capacity_gb;
  double mapped_gib;
};

// The translation layer that the settings ask for. The limits of the settings keep everything within 32 bits.
FlashTranslation::Options translation_options(const Flash& flash, DeviceSettings& settings) {
  FlashTranslation::Options options{};
  options.slots_per_page = static_cast<std::uint32_t>(flash.page_bytes / kSlotBytes);
  options.slots_per_block = static_cast<std::uint32_t>(options.slots_per_page * flash.planes * flash.pages_per_block);
  const double slots =
      std::min(flash.capacity_gb * 1e9, flash.mapped_gib * static_cast<double>(kGiB)) / static_cast<double>(kSlotBytes);
  options.logical_slots = static_cast<std::uint32_t>(std::max(1.0, slots));
  const double wanted = static_cast<double>(options.logical_slots) * (1 + flash.over_provisioning);
  options.blocks = static_cast<std::uint32_t>(wanted / options.slots_per_block);
  settings.require(
      std::uint64_t{options.blocks} * options.slots_per_block >= options.logical_slots + 2ULL * options.slots_per_block,
      "over_provisioning of the mapped part must be two blocks or more: make it, or mapped_gib, larger, or "
      "pages_per_block smaller");
  return options;
}

}  // namespace

Result<std::unique_ptr<DeviceModel>> make_ssd(DeviceSettings& settings) {
  SsdOptions options{};
  Flash flash{};
  options.channels = static_cast<std::uint32_t>(settings.count("channels", 1, 64));
  options.dies = options.channels * static_cast<std::uint32_t>(settings.count("dies_per_channel", 1, 64));
  flash.planes = settings.count("planes", 1, 8, 1);
  const std::uint64_t page_kib = settings.count("page_kib", 4, 64);
  settings.require(page_kib % 4 == 0, "page_kib must be a multiple of 4");
  flash.page_bytes = page_kib * kKiB;
  flash.pages_per_block = settings.count("pages_per_block", 16, 4096);
  options.page_read = microseconds_of(settings, "page_read_us", 1e6);
  options.page_program = microseconds_of(settings, "page_program_us", 1e6);
  options.block_erase = microseconds_of(settings, "block_erase_us", 1e7);
  options.channel_bytes_per_second = settings.number("channel_mb_s", 1, 1e5) * 1e6;
  options.link_bytes_per_second = settings.number("interface_mb_s", 1, 1e6) * 1e6;
  options.link_both_ways = settings.choice("interface_duplex", {"half", "full"}, "half") == "full";
  options.command = microseconds_of(settings, "command_us", 1e6, 0);
  options.read_overhead = microseconds_of(settings, "read_overhead_us", 1e6, 0);
  options.write_overhead = microseconds_of(settings, "write_overhead_us", 1e6, 0);
  flash.capacity_gb = settings.number("capacity_gb", 0.01, 1e6);
  flash.over_provisioning = settings.number("over_provisioning", 0.01, 1);
  flash.mapped_gib = settings.number("mapped_gib", 0.01, 32, 4);
  const std::uint64_t buffer_kib = settings.count("write_buffer_kib", 0, 1 << 22);
  options.buffer_is_safe = settings.choice("power_loss_protection", {"no", "yes"}, "no") == "yes";
  const std::string fill = settings.choice("fill", {"fresh", "filled", "steady"}, "filled");
  options.capacity_slots = static_cast<std::uint64_t>(flash.capacity_gb * 1e9 / static_cast<double>(kSlotBytes));
  options.slots_per_unit = static_cast<std::uint32_t>(flash.page_bytes * flash.planes / kSlotBytes);
  const std::uint64_t unit_kib = page_kib * flash.planes;
  options.buffer_units = static_cast<std::uint32_t>((buffer_kib + unit_kib - 1) / std::max<std::uint64_t>(1, unit_kib));
  const FlashTranslation::Options translation = translation_options(flash, settings);
  BLKPRESS_TRY(settings.status());
  const FlashTranslation::Fill state = fill == "fresh"    ? FlashTranslation::Fill::fresh
                                       : fill == "filled" ? FlashTranslation::Fill::filled
                                                          : FlashTranslation::Fill::steady;
  return std::unique_ptr<DeviceModel>(std::make_unique<SolidStateDrive>(options, translation, state));
}

}  // namespace blkpress::sim
