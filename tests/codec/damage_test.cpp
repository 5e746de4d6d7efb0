// Damaged data is an error or other bytes, never a crash, and leaves the context usable. The buffers are as large as
// the data and not a byte larger, so that a sanitizer sees each read and write beside them.
#include <algorithm>

#include "blkpress/random.hpp"
#include "codec/sample_records.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

using Buffer = std::vector<std::byte>;

Buffer compressed(CodecContext& context, ByteView record) {
  Buffer target(worst_case(record.size()));
  const std::optional<std::size_t> size = context.compress(record, target);
  BLKPRESS_ASSERT(size.has_value());
  return {target.begin(), target.begin() + static_cast<std::ptrdiff_t>(*size)};
}

bool comes_back(CodecContext& context, ByteView stored, ByteView record) {
  Buffer restored(record.size());
  return context.decompress(stored, restored).has_value() && std::equal(record.begin(), record.end(), restored.begin());
}

// One to eight changes of a few kinds, as bit rot, torn writes and hostile hands make them.
void damage(Buffer& stored, Random& random) {
  for (std::uint64_t changes = 1 + random.below(8); changes > 0 && !stored.empty(); --changes) {
    const std::size_t at = random.below(stored.size());
    switch (random.below(5)) {
      case 0:
        stored[at] ^= static_cast<std::byte>(1U << random.below(8));
        break;
      case 1:
        stored[at] = static_cast<std::byte>(random.next());
        break;
      case 2:
        stored[at] = random.below(2) == 0 ? std::byte{0} : std::byte{0xff};
        break;
      case 3:
        stored.erase(stored.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      default: {
        const std::size_t from = random.below(stored.size());
        const std::size_t count = std::min<std::size_t>(random.below(16), stored.size() - std::max(at, from));
        std::copy_n(Buffer(stored).begin() + static_cast<std::ptrdiff_t>(from), count,
                    stored.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
}

}  // namespace

TEST_CASE("codec damage: every truncation is an error or other bytes") {
  for (const Compression& compression : all_compressions()) {
    INFO(to_string(compression));
    const auto context = compression.make_context();
    Random random(4, 1);
    int decoded = 0;
    for (const std::string_view kind : {"text", "sparse", "repeats", "random"}) {
      for (const std::size_t size : {300UL, 3000UL, 30000UL}) {
        const ByteView record = sample_record(kind, size);
        const Buffer whole = compressed(*context, record);
        Buffer restored(size);
        // All of them up to 4 KiB, a thousand above.
        for (std::size_t i = 0; i < std::min<std::size_t>(whole.size(), 4096 + 1000); ++i) {
          const std::size_t length = i < 4096 ? i : 4096 + random.below(whole.size() - 4096);
          const Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
          decoded += context->decompress(cut, restored).has_value();
        }
        CHECK(comes_back(*context, whole, record));
      }
    }
    // Nothing is missing only where the last bytes are not needed to restore the record; zlib checks a sum at its end.
    if (compression.codec->name == "gzip") CHECK(decoded == 0);
  }
}

TEST_CASE("codec damage: 100,000 random corruptions are errors or other bytes") {
  // What decodes does not depend much on the level, so that codecs count alike and their levels take turns.
  const int per_codec = 100'000 / static_cast<int>(codecs().size()) + 1;
  for (const CodecInfo& codec : codecs()) {
    INFO(codec.name);
    Random random(5, 1);
    int poisoned = 0;
    constexpr int kPerRecord = 50;
    for (int i = 0; i < per_codec; i += kPerRecord) {
      const int level = codec.levels.empty() ? 0 : codec.levels[random.below(codec.levels.size())];
      const auto context = codec.make_context(level);
      const ByteView record = sample_record(kinds_of_content()[random.below(kinds_of_content().size())],
                                            1 + random.below(random.below(4) == 0 ? 70000 : 3000));
      const Buffer whole = compressed(*context, record);
      Buffer restored(record.size());
      for (int k = 0; k < kPerRecord; ++k) {
        Buffer stored = whole;
        damage(stored, random);
        // Whatever it says: it returned, and the target is as long as before.
        static_cast<void>(context->decompress(stored, restored).has_value());
      }
      poisoned += !comes_back(*context, whole, record);
    }
    CHECK(poisoned == 0);
  }
}

TEST_CASE("codec damage: random bytes are errors or other bytes") {
  for (const Compression& compression : quick_compressions()) {
    INFO(to_string(compression));
    const auto context = compression.make_context();
    Random random(6, 1);
    for (int i = 0; i < 2000; ++i) {
      Buffer stored(random.below(200));
      for (std::byte& byte : stored) byte = static_cast<std::byte>(random.next());
      // A length in front that is believable leads further into the decoder.
      if (stored.size() >= 4 && random.below(2) == 0) {
        store_be(stored.data(), static_cast<std::uint32_t>(random.below(stored.size())));
      }
      Buffer restored(random.below(5000));
      static_cast<void>(context->decompress(stored, restored).has_value());
    }
    CHECK(comes_back(*context, compressed(*context, sample_record("text", 500)), sample_record("text", 500)));
  }
}
