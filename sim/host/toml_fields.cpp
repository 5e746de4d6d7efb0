#include "host/toml_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "host/toml_file.hpp"

namespace blkpress::sim {

std::optional<std::string> plain_text(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (const auto truth = node.value_exact<bool>()) return *truth ? "yes" : "no";
  return std::nullopt;
}

namespace {

// A value of the command line, as the file would have it.
void put(toml::table& table, const std::string& key, const std::string& text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc{} && end == text.data() + text.size()) {
    table.insert_or_assign(key, number);
  } else {
    table.insert_or_assign(key, text);
  }
}

// What stands in a message: a value, or what it is instead.
std::string shown(const toml::node& node) { return plain_text(node).value_or("a table or a list"); }

}  // namespace

Result<TomlFields> TomlFields::load(const std::string& path,
                                    const std::vector<std::pair<std::string, std::string>>& set) {
  auto table = read_toml(path);
  if (!table) return table.error();
  for (const auto& [key, text] : set) put(*table, key, text);
  auto root = std::make_shared<const toml::table>(std::move(*table));
  const toml::table* top = root.get();
  return TomlFields(path, std::move(root), top);
}

const toml::node* TomlFields::find(std::string_view key) {
  known_.emplace_back(key);
  return table_->get(key);
}

void TomlFields::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

Error TomlFields::error(const toml::node& node, const std::string& what) const {
  // What came from the command line has no line.
  const auto line = node.source().begin.line;
  return {ErrorKind::usage,
          line == 0 ? fmt::format("{}: {}", name_, what) : fmt::format("{}:{}: {}", name_, line, what)};
}

std::string TomlFields::text(std::string_view key, std::optional<std::string> otherwise) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    if (!otherwise) fail(error(*table_, fmt::format("{} is missing", key)));
    return otherwise.value_or("");
  }
  if (const auto text = plain_text(*node)) return *text;
  fail(error(*node, fmt::format("{} is not text", key)));
  return "";
}

double TomlFields::number(std::string_view key, double low, double high, std::optional<double> otherwise) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    if (!otherwise) fail(error(*table_, fmt::format("{} is missing, a number from {} to {}", key, low, high)));
    return otherwise.value_or(low);
  }
  const auto number = node->value<double>();
  if (number && *number >= low && *number <= high) return *number;
  fail(error(*node, fmt::format("{} = {} is not a number from {} to {}", key, shown(*node), low, high)));
  return low;
}

std::uint64_t TomlFields::whole(std::string_view key, std::uint64_t low, std::uint64_t high,
                                std::optional<std::uint64_t> otherwise) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    if (!otherwise) fail(error(*table_, fmt::format("{} is missing, a whole number from {} to {}", key, low, high)));
    return otherwise.value_or(low);
  }
  const auto number = node->value<double>();
  if (number && *number >= static_cast<double>(low) && *number <= static_cast<double>(high)) {
    const auto whole = static_cast<std::uint64_t>(*number);
    if (static_cast<double>(whole) == *number) return whole;
  }
  fail(error(*node, fmt::format("{} = {} is not a whole number from {} to {}", key, shown(*node), low, high)));
  return low;
}

std::vector<std::string> TomlFields::texts(std::string_view key) {
  std::vector<std::string> result;
  const toml::array* values = array(key);
  if (values == nullptr) return result;
  for (const toml::node& node : *values) {
    const auto text = node.value_exact<std::string>();
    if (!text) {
      fail(error(node, fmt::format("{} is not a list of texts", key)));
      return result;
    }
    result.push_back(*text);
  }
  return result;
}

const toml::table* TomlFields::table(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return nullptr;
  if (const toml::table* table = node->as_table()) return table;
  fail(error(*node, fmt::format("{} is not a table", key)));
  return nullptr;
}

const toml::array* TomlFields::array(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return nullptr;
  if (const toml::array* array = node->as_array()) return array;
  fail(error(*node, fmt::format("{} is not a list", key)));
  return nullptr;
}

TomlFields TomlFields::child(std::string_view key) {
  static const toml::table kEmpty;
  const toml::table* found = table(key);
  return {name_, root_, found == nullptr ? &kEmpty : found};
}

std::vector<TomlFields> TomlFields::tables(std::string_view key) {
  std::vector<TomlFields> result;
  const toml::array* values = array(key);
  if (values == nullptr) return result;
  for (const toml::node& node : *values) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      fail(error(node, fmt::format("{} is not a list of tables", key)));
      return {};
    }
    result.push_back(TomlFields(name_, root_, table));
  }
  return result;
}

Status TomlFields::status() const {
  if (error_) return *error_;
  for (const auto& [key, node] : *table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) == known_.end()) {
      return error(node, fmt::format("unknown field {}; known are {}", key.str(), fmt::join(known_, ", ")));
    }
  }
  return ok();
}

}  // namespace blkpress::sim
