#include "blkpress/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace blkpress::tool {

Progress::Progress()
    : terminal_(::isatty(STDERR_FILENO) == 1), start_(Clock::now()), next_(start_ + std::chrono::seconds(1)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

bool Progress::due() const { return terminal_ && Clock::now() >= next_; }

void Progress::show(std::string_view line) {
  if (!terminal_) return;
  std::fputs(fmt::format("\r\x1b[K{}", line).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
  next_ = Clock::now() + std::chrono::milliseconds(200);
}

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

}  // namespace blkpress::tool
