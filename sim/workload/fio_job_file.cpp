#include <fmt/format.h>

#include "workload/fio_job_section.hpp"
#include "workload/fio_job_values.hpp"

namespace blkpress::sim {
namespace {

constexpr std::size_t kMaxFile = std::size_t{1} << 20;
constexpr std::size_t kMaxSections = 4096;

template <class... Args>
Error usage(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorKind::usage, fmt::format(text, std::forward<Args>(args)...)};
}

// A comment is a line that starts with # or ;, or what follows them after a blank.
std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool starts = line[i] == '#' || line[i] == ';';
    if (starts && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return line.substr(0, i);
  }
  return line;
}

// Replaces ${NAME} by the environment's value.
Result<std::string> expanded(std::string_view line, const std::map<std::string, std::string>& environment) {
  std::string result;
  for (std::size_t begin; (begin = line.find("${")) != std::string_view::npos;) {
    const std::size_t end = line.find('}', begin);
    if (end == std::string_view::npos) return usage("'${{' without '}}'");
    const std::string name(line.substr(begin + 2, end - begin - 2));
    const auto found = environment.find(name);
    if (found == environment.end()) return usage("environment variable '{}' has no value", shown(name));
    result += line.substr(0, begin);
    result += found->second;
    line.remove_prefix(end + 1);
    if (result.size() > kMaxFile) return usage("the expanded line is too long");
  }
  result += line;
  return result;
}

class FileParser {
 public:
  FileParser(std::string_view name, const FioParse& parse) : name_(name), parse_(parse) {}

  Status line(std::string_view text) {
    ++number_;
    for (const char c : text) {
      if ((c >= 0 && c < ' ' && c != '\t' && c != '\r') || c == 127) return at_line("is not text");
    }
    const std::string_view content = trimmed(without_comment(trimmed(text)));
    if (content.empty()) return ok();
    if (content.front() == '[') return section(content);
    const auto full = expanded(content, parse_.environment);
    if (!full) return at_line(full.error().message);
    return option(*full);
  }

  Result<FioJobs> finish() {
    auto jobs = expand_fio_sections(sections_, parse_);
    if (!jobs && sections_.empty()) return Error{jobs.error().kind, name_ + ": " + jobs.error().message};
    if (jobs) jobs->global_options = global_.given;
    return jobs;
  }

 private:
  Error at_line(std::string_view message) const { return usage("{}:{}: {}", name_, number_, message); }

  Status section(std::string_view content) {
    if (content.back() != ']') return at_line(fmt::format("section '{}' does not end with ]", shown(content)));
    const std::string_view title = trimmed(content.substr(1, content.size() - 2));
    if (title.empty()) return at_line("the section has no name");
    if (title.size() > 255) return at_line("the section's name is longer than 255 characters");
    inside_ = true;
    global_section_ = title == "global";
    if (global_section_) return ok();
    if (sections_.size() >= kMaxSections) return at_line(fmt::format("more than {} sections", kMaxSections));
    sections_.emplace_back(fmt::format("{}:{}: [{}]: ", name_, number_, shown(title)), global_);
    sections_.back().second.job.name = std::string(title);
    sections_.back().second.given.clear();
    return ok();
  }

  Status option(std::string_view content) {
    if (!inside_) return at_line("an option stands before the first [section]");
    const std::size_t equals = content.find('=');
    const std::string_view option = trimmed(content.substr(0, equals));
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = trimmed(content.substr(equals + 1));
    if (option.starts_with("include ") || option == "include") return at_line("include is not supported");
    FioSection& target = global_section_ ? global_ : sections_.back().second;
    if (const Status set = set_fio_option(target, option, value); !set) return at_line(set.error().message);
    return ok();
  }

  std::string name_;
  const FioParse& parse_;
  std::size_t number_ = 0;
  bool inside_ = false;
  bool global_section_ = false;
  FioSection global_;
  std::vector<std::pair<std::string, FioSection>> sections_;
};

// Words as a shell would split them.
Result<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      if (text[++i] == '\n') continue;
      word += text[i];
      inside = true;
    } else if (quote != 0) {
      c == quote ? quote = 0 : (word += c, 0);
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) return usage("command line: a quote is not closed");
  if (inside) words.push_back(std::move(word));
  return words;
}

}  // namespace

Result<FioJobs> parse_fio_file(std::string_view text, std::string_view name, const FioParse& parse) {
  if (text.size() > kMaxFile) return usage("{}: {} bytes are more than a job file may have, 1 MiB", name, text.size());
  FileParser parser(name, parse);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    BLKPRESS_TRY(parser.line(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parser.finish();
}

Result<FioJobs> parse_fio_command(std::string_view command, const FioParse& parse) {
  if (command.size() > kMaxFile) return usage("command line: {} bytes are more than 1 MiB", command.size());
  const auto words = shell_words(command);
  if (!words) return words.error();
  return parse_fio_command(std::span<const std::string>(*words), parse);
}

Result<FioJobs> parse_fio_command(std::span<const std::string> arguments, const FioParse& parse) {
  FioSection global;
  std::vector<std::pair<std::string, FioSection>> sections;
  bool in_global = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view word = arguments[i];
    if (i == 0 && (word == "fio" || word.ends_with("/fio"))) continue;
    if (!word.starts_with('-') || word == "-" || word == "--") {
      return usage("command line: '{}' is not an option; job files are read separately", shown(word));
    }
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    const std::size_t equals = word.find('=');
    const std::string_view option = word.substr(0, equals);
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (!fio_option_is_flag(option) && i + 1 < arguments.size() && !arguments[i + 1].starts_with('-')) {
      value = arguments[++i];
    }
    if (option == "name" && value) {
      in_global = *value == "global";
      if (in_global) continue;
      if (sections.size() >= kMaxSections) return usage("command line: more than {} jobs", kMaxSections);
      sections.emplace_back(fmt::format("command line: job {}: ", shown(*value)), global);
      sections.back().second.given.clear();
    }
    FioSection& target = in_global ? global : sections.back().second;
    if (const Status set = set_fio_option(target, option, value); !set) {
      return usage("command line: {}", set.error().message);
    }
  }
  auto jobs = expand_fio_sections(sections, parse);
  if (!jobs && sections.empty()) return usage("command line: {}", jobs.error().message);
  if (jobs) jobs->global_options = global.given;
  return jobs;
}

}  // namespace blkpress::sim
