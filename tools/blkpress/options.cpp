#include "blkpress/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>

#include "blkpress/output.hpp"

namespace blkpress::tool {

namespace {

constexpr std::size_t kHelpColumn = 32;
constexpr std::size_t kLineMax = 110;

// text in lines of at most width characters, broken at blanks and behind commas.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string result;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t blank = text.find_first_of(" ,\n");
    const std::string_view word = text.substr(0, blank == std::string_view::npos ? blank : blank + 1);
    const std::size_t visible = word.size() - (word.ends_with(' ') ? 1 : 0);
    if (column + visible > width && column > 0) {
      while (result.ends_with(' ')) result.pop_back();
      result += '\n';
      column = 0;
    }
    result += word;
    column = word.ends_with('\n') ? 0 : column + word.size();
    text.remove_prefix(word.size());
  }
  return result;
}

}  // namespace

struct Options::Parser {
  std::string command;
  CLI::App app;
  // Everything is read as text first, so that each kind of value has our own message.
  std::vector<std::unique_ptr<std::vector<std::string>>> texts;
  std::vector<std::function<Status()>> conversions;
  std::vector<std::string>* positionals = nullptr;
  std::string positional_name;
  bool positional_required = false;

  CLI::Option* add(std::string_view name, std::string_view what, std::string_view help, std::string_view shown_default,
                   std::function<Status(const std::vector<std::string>&)> convert) {
    texts.push_back(std::make_unique<std::vector<std::string>>());
    std::vector<std::string>* given = texts.back().get();
    std::string description(help);
    if (!shown_default.empty()) description += fmt::format(" [{}]", shown_default);
    CLI::Option* option = app.add_option(std::string(name), *given, wrapped(description, kLineMax - kHelpColumn))
                              ->type_name(std::string(what))
                              ->type_size(1)
                              ->expected(1)
                              ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                              ->allow_extra_args(false);
    conversions.emplace_back([option, given, convert = std::move(convert)]() -> Status {
      if (option->count() == 0) return ok();
      return convert(*given);
    });
    return option;
  }
};

Options::Options(std::string_view command, std::string_view description) : parser_(std::make_unique<Parser>()) {
  parser_->command = command;
  parser_->app.name("blkpress " + parser_->command);
  parser_->app.description(wrapped(description, kLineMax));
  parser_->app.get_formatter()->column_width(kHelpColumn);
}

Options::~Options() = default;

void Options::flag(std::string_view name, bool& value, std::string_view help) {
  parser_->app.add_flag(std::string(name), value, wrapped(help, kLineMax - kHelpColumn));
}

void Options::text(std::string_view name, std::string& value, std::string_view what, std::string_view help) {
  parser_->add(
      name, what, help, value,
      [&value, name = std::string(name), what = std::string(what)](const std::vector<std::string>& given) -> Status {
        if (given.back().empty()) return Error{ErrorKind::usage, fmt::format("{} '': needs a {}", name, what)};
        value = given.back();
        return ok();
      });
}

void Options::choice(std::string_view name, std::string& value, std::vector<std::string> choices,
                     std::string_view help) {
  const std::string what = fmt::format("{}", fmt::join(choices, "|"));
  parser_->add(name, what, help, value,
               [&value, choices = std::move(choices),
                name = std::string(name)](const std::vector<std::string>& given) -> Status {
                 for (const std::string& choice : choices) {
                   if (given.back() == choice) return value = choice, ok();
                 }
                 return Error{ErrorKind::usage,
                              fmt::format("{} '{}' is not one of {}", name, given.back(), fmt::join(choices, ", "))};
               });
}

void Options::number(std::string_view name, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
                     std::string_view help) {
  parser_->add(name, "N", help, fmt::format("{}", value),
               [&value, low, high, name = std::string(name)](const std::vector<std::string>& given) -> Status {
                 auto number = parse_number_option(name, given.back(), low, high);
                 if (!number) return number.error();
                 value = *number;
                 return ok();
               });
}

void Options::list(std::string_view name, std::vector<std::string>& values, std::string_view what,
                   std::string_view help) {
  parser_->add(name, what, help, fmt::format("{}", fmt::join(values, ",")),
               [&values, name = std::string(name)](const std::vector<std::string>& given) -> Status {
                 values.clear();
                 for (std::string_view rest : given) {
                   for (;;) {
                     const std::size_t comma = rest.find(',');
                     if (rest.substr(0, comma).empty()) {
                       return Error{ErrorKind::usage, fmt::format("{} '{}' has an empty item", name, given.back())};
                     }
                     values.emplace_back(rest.substr(0, comma));
                     if (comma == std::string_view::npos) break;
                     rest.remove_prefix(comma + 1);
                   }
                 }
                 return ok();
               });
}

void Options::positionals(std::vector<std::string>& values, std::string_view what, std::string_view help,
                          bool required) {
  parser_->positionals = &values;
  parser_->positional_name = what;
  parser_->positional_required = required;
  parser_->app.add_option(std::string(what), values, std::string(help))->type_name("");
}

void Options::examples(std::string_view text) { parser_->app.footer(std::string(text)); }

Result<bool> Options::parse(const Arguments& arguments) {
  Parser& parser = *parser_;
  try {
    parser.app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    BLKPRESS_TRY(write_standard_output(parser.app.help()));
    return false;
  } catch (const CLI::ParseError& error) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: {} (see blkpress help {})", parser.command, error.what(), parser.command)};
  }
  for (const auto& convert : parser.conversions) BLKPRESS_TRY(convert());
  if (parser.positionals != nullptr) {
    if (parser.positional_required && parser.positionals->empty()) {
      return Error{ErrorKind::usage, fmt::format("{}: no {} given (see blkpress help {})", parser.command,
                                                 parser.positional_name, parser.command)};
    }
    for (const std::string& word : *parser.positionals) {
      if (word.empty()) return Error{ErrorKind::usage, fmt::format("{}: an empty argument", parser.command)};
    }
  }
  return true;
}

Result<std::uint64_t> parse_number_option(std::string_view name, std::string_view text, std::uint64_t low,
                                          std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return Error{ErrorKind::usage,
                 fmt::format("{} '{}' is not a whole number between {} and {}", name, text, low, high)};
  }
  return value;
}

}  // namespace blkpress::tool
