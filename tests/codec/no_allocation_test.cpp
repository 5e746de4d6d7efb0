// A worker compresses millions of records: none may cost an allocation. Counted by standing in for malloc, which only
// works with glibc and without a sanitizer that does the same.
#include <cstdlib>

#include "codec/sample_records.hpp"
#include "support/catch.hpp"

#if defined(__has_feature)
#define BLKPRESS_HAS_FEATURE(feature) __has_feature(feature)
#else
#define BLKPRESS_HAS_FEATURE(feature) 0
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !BLKPRESS_HAS_FEATURE(address_sanitizer) && !BLKPRESS_HAS_FEATURE(thread_sanitizer) &&   \
    !BLKPRESS_HAS_FEATURE(memory_sanitizer)

namespace {
long allocations = 0;
}

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): glibc's names.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
// NOLINTEND(readability-identifier-naming)
void* malloc(std::size_t size) { return ++allocations, __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return ++allocations, __libc_calloc(count, size); }
void* realloc(void* block, std::size_t size) { return ++allocations, __libc_realloc(block, size); }
}

using namespace blkpress;
using namespace blkpress::test;

TEST_CASE("codec contract: a record costs no allocation once the context has seen one as large") {
  std::vector<std::byte> target(worst_case(131072));
  std::vector<std::byte> restored(131072);
  for (const Compression& compression : all_compressions()) {
    INFO(to_string(compression));
    const auto context = compression.make_context();
    long allocated = -1;
    for (const std::size_t size : {131072UL, 131072UL, 4096UL, 512UL, 100000UL}) {
      // The first record is where libzstd makes its workspace.
      const ByteView record = sample_record("database", size);
      const long before = allocations;
      const auto length = context->compress(record, target);
      const bool same =
          length && context->decompress(ByteView(target).first(*length), ByteSpan(restored).first(size)).has_value();
      const bool gave_up = !context->compress(record, ByteSpan(target).first(*length / 2)).has_value();
      allocated = allocated < 0 ? 0 : allocated + allocations - before;
      CHECK((same && gave_up));
    }
    CHECK(allocated == 0);
  }
}

#endif
