#include "blkpress/pool_session.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "blkpress/options.hpp"
#include "blkpress/random.hpp"

namespace blkpress::tool {
namespace {

constexpr std::string_view kInherited = "inherited from ";

Result<std::optional<std::uint64_t>> number_from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::optional<std::uint64_t>();
  const auto number = parse_number_option(name, text, 0, UINT64_MAX);
  if (!number) return number.error();
  return std::optional(*number);
}

}  // namespace

Result<PoolOptions> pool_options(bool read_only) {
  PoolOptions options;
  options.read_only = read_only;
  const auto time = number_from_environment("SOURCE_DATE_EPOCH"), seed = number_from_environment("BLKPRESS_GUID_SEED");
  if (!time) return time.error();
  if (!seed) return seed.error();
  if (*time) options.clock_s = [seconds = **time] { return seconds; };
  if (*seed) {
    options.guid = [random = std::make_shared<Random>(**seed)] { return random->next(); };
  }
  return options;
}

Result<Pool*> PoolSession::open(const std::string& file) {
  std::unique_ptr<Pool>& pool = pools_[file];
  if (!pool) {
    const auto options = pool_options(read_only_);
    if (!options) return options.error();
    auto opened = Pool::open(file, *options);
    if (!opened) return opened.error();
    pool = std::move(*opened);
  }
  return pool.get();
}

Status PoolSession::close() {
  Status done = ok();
  for (const auto& [file, pool] : pools_) {
    if (!pool) continue;
    const Status closed = pool->close();
    if (!closed && done) done = Error{closed.error().kind, fmt::format("{}: {}", file, closed.error().message)};
  }
  return done;
}

Error in_pool(const PoolName& name, const Error& error) {
  return {error.kind, fmt::format("{}: {}", name.file, error.message)};
}

std::string source_label(const PoolName& name, const std::string& source) {
  if (!source.starts_with(kInherited)) return source;
  return std::string(kInherited) + name.label(source.substr(kInherited.size()));
}

Result<std::vector<Property>> parse_properties(const std::vector<std::string>& texts) {
  std::vector<Property> properties;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorKind::usage, fmt::format("'{}' is not a property: NAME=VALUE", text)};
    }
    properties.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return properties;
}

}  // namespace blkpress::tool
