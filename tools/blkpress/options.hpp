// The options of a sub-command: declared, then parsed in one go. The only file that sees the parser's library is
// options.cpp, where its exceptions become Errors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/command.hpp"
#include "blkpress/result.hpp"

namespace blkpress::tool {

class Options {
 public:
  // command: as typed, "estimate"; description: what it does, a sentence or two.
  Options(std::string_view command, std::string_view description);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // Each variable holds the default, which help shows; it must outlive parse(). name: "--format". what: the
  // placeholder that help shows, "FILE".
  void flag(std::string_view name, bool& value, std::string_view help);
  // text: anything but nothing.
  void text(std::string_view name, std::string& value, std::string_view what, std::string_view help);
  void choice(std::string_view name, std::string& value, std::vector<std::string> choices, std::string_view help);
  void number(std::string_view name, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
              std::string_view help);
  // Values separated by commas; the option may be repeated. An empty list or an empty item is an error.
  void list(std::string_view name, std::vector<std::string>& values, std::string_view what, std::string_view help);
  // The words that are not options.
  void positionals(std::vector<std::string>& values, std::string_view what, std::string_view help, bool required);
  // Printed below the options.
  void examples(std::string_view text);

  // True: go on. False: help was asked for and has been written. Errors: usage; io, when help could not be written.
  Result<bool> parse(const Arguments& arguments);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// A number in decimal digits only, between low and high. Errors: usage, naming the option.
Result<std::uint64_t> parse_number_option(std::string_view name, std::string_view text, std::uint64_t low,
                                          std::uint64_t high);

}  // namespace blkpress::tool
