#include <fmt/format.h>

#include <algorithm>

#include "blkpress/codec.hpp"
#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/versions.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_version(const Arguments& arguments) {
  Options options("version", "Prints the versions of blkpress and of the libraries that its results depend on.");
  auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;

  std::string text;
  for (const auto& [name, version] : versions()) text += fmt::format("{} {}\n", name, version);
  const auto all = codecs();
  const bool lzo = std::any_of(all.begin(), all.end(), [](const CodecInfo& codec) { return codec.name == "lzo"; });
  text += lzo ? "built with lzo: this binary is under the GPL, version 2 or later\n" : "built without lzo\n";
  BLKPRESS_TRY(write_standard_output(text));
  return ExitStatus::done;
}

}  // namespace blkpress::tool
