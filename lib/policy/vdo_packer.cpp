#include "policy/vdo_packer.hpp"

#include <utility>

#include "policy/vdo_layout.hpp"

namespace blkpress {

VdoPacker::Written VdoPacker::empty(Bin& bin) {
  const Written written{bin.fragments, bin.bytes};
  bin = {};
  return written;
}

// Linux, drivers/md/dm-vdo/packer.c: the fullest bin that has room takes the fragment. If none has, the fullest one is
// written and makes room, unless that would waste more than leaving the fragment alone.
VdoPacker::Left VdoPacker::add(std::uint32_t bytes) {
  Bin* fullest = &bins_.front();
  Bin* best = nullptr;
  for (Bin& bin : bins_) {
    if (bin.bytes > fullest->bytes) fullest = &bin;
    if (bin.bytes + bytes <= kVdoRoom && (best == nullptr || bin.bytes > best->bytes)) best = &bin;
  }
  Left left;
  if (best == nullptr) {
    if (fullest->bytes < bytes) {
      left.full = {1, bytes};
      return left;
    }
    left.made_room = empty(*fullest);
    best = fullest;
  }
  ++best->fragments;
  best->bytes += bytes;
  if (best->fragments == kVdoSlots || best->bytes == kVdoRoom) left.full = empty(*best);
  return left;
}

VdoPacker::Written VdoPacker::flush() {
  for (Bin& bin : bins_) {
    if (bin.fragments > 0) return empty(bin);
  }
  return {};
}

}  // namespace blkpress
