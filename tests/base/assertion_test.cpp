// What a broken invariant prints: the expression and the place within the source tree.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "blkpress/result.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

// Standard error of a process in which a header's assertion fails.
std::string broken_invariant() {
  int ends[2] = {};
  BLKPRESS_ASSERT(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    // Catch would report the signal.
    ::signal(SIGABRT, SIG_DFL);
    const Result<int> failed = Error{ErrorKind::io, "no value"};
    ::_exit(*failed);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t size = 0; (size = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  return text;
}

}  // namespace

TEST_CASE("assertion: a broken invariant aborts, and names its place without that of the build") {
  const std::string text = broken_invariant();
  CHECK(text.find("blkpress: broken invariant: has_value() (") != std::string::npos);
  CHECK(text.find("lib/include/blkpress/result.hpp:") != std::string::npos);
  // With a compiler cache it is the cache's settings that say what __FILE__ is.
  if (std::string(BLKPRESS_COMPILER_LAUNCHER).empty()) CHECK(text.find(BLKPRESS_SOURCE_DIR) == std::string::npos);
}
