// What each file of a codec defines for codecs.def: a function that describes it. The name is filled in from the list.
#pragma once

#include "blkpress/codec.hpp"

namespace blkpress {

#define BLKPRESS_CODEC(identifier, name) CodecInfo identifier##_codec();
#include "codec/codecs.def"
#undef BLKPRESS_CODEC

// The version of a codec that is written here and not in a library: none of its own.
std::string no_library_version();

// The context constructor of a codec whose class takes no level.
template <class Context>
std::unique_ptr<CodecContext> make_context_without_level(int /*level*/) {
  return std::make_unique<Context>();
}

// The error of data that does not decode; codec is the name that the user knows.
Error corrupt_record(std::string_view codec, std::string_view what);

}  // namespace blkpress
