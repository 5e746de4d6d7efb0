// One line on standard error that says how far a command is: only on a terminal, only after a second, and gone when
// the command is done.
#pragma once

#include <chrono>
#include <string_view>

namespace blkpress::tool {

class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // True when a new line is due; cheap enough to ask often.
  [[nodiscard]] bool due() const;
  // Replaces the line.
  void show(std::string_view line);
  [[nodiscard]] double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace blkpress::tool
