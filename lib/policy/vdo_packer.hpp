// How dm-vdo puts fragments together: a number of bins, each of which becomes one physical block.
#pragma once

#include <cstdint>
#include <vector>

namespace blkpress {

class VdoPacker {
 public:
  // What became of fragments that left the packer together.
  struct Written {
    std::uint32_t fragments = 0;  // 0: nothing left. 1: it found no partner and is stored raw
    std::uint32_t bytes = 0;      // their lengths
  };

  explicit VdoPacker(std::uint32_t bins) : bins_(bins) {}

  // Takes a fragment of that length. Up to two groups may leave: a bin that made room, and one that is now full.
  struct Left {
    Written made_room;
    Written full;
  };
  Left add(std::uint32_t bytes);

  // Empties the next bin that is not empty; fragments is 0 when there is none.
  Written flush();

 private:
  struct Bin {
    std::uint32_t fragments = 0;
    std::uint32_t bytes = 0;
  };
  static Written empty(Bin& bin);
  std::vector<Bin> bins_;
};

}  // namespace blkpress
