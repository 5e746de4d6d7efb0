#include "blkpress/one_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace blkpress::tool {
namespace {

constexpr std::size_t kValueMax = 200;
// The end of a long path says more than its middle.
constexpr std::size_t kValueEnd = 50;
// The longest messages list every known name.
constexpr std::size_t kMessageMax = 4000;

// The bytes of the UTF-8 sequence that text begins with; 0 when it begins with none (Unicode 15, table 3-7).
std::size_t sequence_size(std::string_view text) {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto within = [&byte](std::size_t i, unsigned low, unsigned high) { return byte(i) >= low && byte(i) <= high; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return within(1, 0x80, 0xbf) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned low = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : 0xbf;
    return within(1, low, high) && within(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const unsigned low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xf4 ? 0x8f : 0xbf;
    return within(1, low, high) && within(2, 0x80, 0xbf) && within(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

// Each character as it is printed: itself, or an escape.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t size = sequence_size(text);
    const auto first = static_cast<unsigned char>(text.front());
    // U+0080 to U+009F are control characters too: terminals obey them.
    const bool control =
        first < 0x20 || first == 0x7f || (size == 2 && first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0);
    if (first == '\n') {
      result.emplace_back("\\n");
    } else if (size == 0 || control) {
      for (const char c : text.substr(0, std::max<std::size_t>(size, 1))) {
        result.push_back(fmt::format("\\x{:02x}", static_cast<unsigned char>(c)));
      }
    } else {
      result.emplace_back(text.substr(0, size));
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

bool ends_value(const std::vector<std::string>& text, std::size_t i) {
  return i >= text.size() || std::string_view(" ,:;)").find(text[i]) != std::string_view::npos;
}

// Where the value that begins at `begin` ends: behind its closing quote, or at the next space.
std::size_t value_end(const std::vector<std::string>& text, std::size_t begin) {
  if (text[begin] == "'") {
    for (std::size_t i = begin + 1; i < text.size(); ++i) {
      if (text[i] == "'" && ends_value(text, i + 1)) return i + 1;
    }
  }
  return static_cast<std::size_t>(std::find(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), " ") -
                                  text.begin());
}

void append(std::string& line, const std::vector<std::string>& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) line += text[i];
}

}  // namespace

std::string one_line(std::string_view message) {
  std::vector<std::string> text = characters(message);
  if (text.size() > 50 * kMessageMax) text.resize(50 * kMessageMax);
  std::string line;
  for (std::size_t begin = 0; begin < text.size() && line.size() < kMessageMax;) {
    if (text[begin] == " ") {
      line += text[begin++];
      continue;
    }
    const std::size_t end = value_end(text, begin);
    if (end - begin <= kValueMax) {
      append(line, text, begin, end);
    } else {
      append(line, text, begin, begin + kValueMax - kValueEnd);
      line += "\u2026";
      append(line, text, end - kValueEnd, end);
    }
    begin = end;
    if (line.size() >= kMessageMax && begin < text.size()) line += "\u2026";
  }
  return line;
}

}  // namespace blkpress::tool
