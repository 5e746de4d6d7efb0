#include <fmt/format.h>
#include <lz4.h>

#include <algorithm>

#include "blkpress/vdo_policy.hpp"
#include "policy/property_list.hpp"
#include "policy/registry.hpp"
#include "policy/vdo_account.hpp"
#include "policy/vdo_layout.hpp"

namespace blkpress {
namespace {

constexpr std::string_view kNames = "compression, bins";

// One block: zeros, a fragment, or raw. Whether a fragment finds a partner is up to the account.
class VdoDecider final : public Decider {
 public:
  explicit VdoDecider(bool compresses) : compresses_(compresses), padded_(kVdoBlock), fragment_(kVdoRoom) {}

  RecordFinding decide(ByteView bytes, std::uint32_t unit) override {
    BLKPRESS_ASSERT(!bytes.empty() && bytes.size() <= unit && unit == kVdoBlock);
    std::copy(bytes.begin(), bytes.end(), padded_.begin());
    std::fill(padded_.begin() + static_cast<std::ptrdiff_t>(bytes.size()), padded_.end(), std::byte{0});
    RecordFinding finding;
    stored_ = {};
    // A block of zeros is mapped to nothing, with compression off too.
    if (std::all_of(padded_.begin(), padded_.end(), [](std::byte b) { return b == std::byte{0}; })) {
      finding.outcome = {.kind = RecordKind::hole, .reason = RecordReason::hole, .lsize = kVdoBlock};
      return finding;
    }
    if (compresses_) {
      const int length = LZ4_compress_fast_extState(&state_, reinterpret_cast<const char*>(padded_.data()),
                                                    reinterpret_cast<char*>(fragment_.data()),
                                                    static_cast<int>(kVdoBlock), static_cast<int>(fragment_.size()), 1);
      if (length > 0 && static_cast<std::uint32_t>(length) < kVdoRoom) {
        const auto size = static_cast<std::uint32_t>(length);
        stored_ = ByteView(fragment_).first(size);
        finding.outcome = {.kind = RecordKind::compressed,
                           .reason = RecordReason::compressed,
                           .lsize = kVdoBlock,
                           .psize = size,
                           .asize = size,
                           .payload = size};
        return finding;
      }
    }
    stored_ = padded_;
    finding.outcome = {.kind = RecordKind::raw,
                       .reason = compresses_ ? RecordReason::saves_too_little : RecordReason::compression_off,
                       .lsize = kVdoBlock,
                       .psize = kVdoBlock,
                       .asize = kVdoBlock,
                       .payload = kVdoBlock};
    return finding;
  }
  [[nodiscard]] ByteView stored() const override { return stored_; }

 private:
  bool compresses_;
  std::vector<std::byte> padded_;
  std::vector<std::byte> fragment_;
  LZ4_stream_t state_;
  ByteView stored_;
};

}  // namespace

PolicyInfo vdo_policy() {
  return {
      .name = {},
      .description = "dm-vdo: blocks of 4 KiB, up to 14 compressed ones in a physical block (rules from documentation)",
      .properties = kNames,
      .compression_property = "compression",
      .usual_compressions = "lz4",
      .make = [](std::span<const Property> properties) -> Result<std::unique_ptr<Policy>> {
        const auto options = VdoOptions::parse(properties);
        if (!options) return options.error();
        return std::unique_ptr<Policy>(std::make_unique<VdoPolicy>(*options));
      }};
}

Result<VdoOptions> VdoOptions::parse(std::span<const Property> properties) {
  const PropertyList list("vdo", kNames, properties);
  BLKPRESS_TRY(list.check_names());
  VdoOptions options;
  if (const std::string* text = list.find("compression")) {
    if (*text != "lz4" && *text != "off") {
      return Error{ErrorKind::usage, fmt::format("compression '{}' is not one of: lz4 | off", *text)};
    }
    options.compresses = *text == "lz4";
  }
  const auto bins = list.number("bins", 1, 1024, options.bins);
  if (!bins) return bins.error();
  options.bins = static_cast<std::uint32_t>(*bins);
  return options;
}

std::uint32_t VdoPolicy::unit_bytes(std::uint64_t) const { return kVdoBlock; }

std::uint32_t VdoPolicy::max_unit_bytes() const { return kVdoBlock; }

std::unique_ptr<Decider> VdoPolicy::make_decider() const { return std::make_unique<VdoDecider>(options_.compresses); }

std::unique_ptr<ObjectAccount> VdoPolicy::make_account() const { return std::make_unique<VdoAccount>(options_); }

std::vector<Property> VdoPolicy::properties() const {
  return {{"compression", options_.compresses ? "lz4" : "off"}, {"bins", fmt::format("{}", options_.bins)}};
}

}  // namespace blkpress
