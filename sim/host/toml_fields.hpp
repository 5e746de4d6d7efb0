// Reads the fields of a TOML table by name and checks each, with file and line in every message.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blkpress/result.hpp"

namespace blkpress::sim {

// Text, whole number, number or truth value as text; nullopt for anything else.
std::optional<std::string> plain_text(const toml::node& node);

class TomlFields {
 public:
  // The file's root table, with what `set` names put in place of what the file says; a value that is a number is one.
  // Errors: io; usage, with file and line.
  static Result<TomlFields> load(const std::string& path,
                                 const std::vector<std::pair<std::string, std::string>>& set = {});

  // The value of a key, or `otherwise`, or (without one) an error. The first error is kept: read everything, then ask
  // status() once.
  std::string text(std::string_view key, std::optional<std::string> otherwise = {});
  double number(std::string_view key, double low, double high, std::optional<double> otherwise = {});
  std::uint64_t whole(std::string_view key, std::uint64_t low, std::uint64_t high,
                      std::optional<std::uint64_t> otherwise = {});
  std::vector<std::string> texts(std::string_view key);
  // The table or array of that name, or null.
  const toml::table* table(std::string_view key);
  const toml::array* array(std::string_view key);
  // The fields of a table that may be missing, which is then empty.
  TomlFields child(std::string_view key);
  // The fields of each table of an array of tables that may be missing.
  std::vector<TomlFields> tables(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const { return table_->contains(key); }
  [[nodiscard]] bool is_table(std::string_view key) const { return table_->contains(key) && (*table_)[key].is_table(); }
  // A field that is read later: status() takes it for known.
  void known(std::string_view key) { known_.emplace_back(key); }

  [[nodiscard]] Error error(const toml::node& node, const std::string& what) const;
  [[nodiscard]] Error error(const std::string& what) const { return error(*table_, what); }
  [[nodiscard]] const std::string& name() const { return name_; }
  // The first error, or that of a field that nobody read.
  [[nodiscard]] Status status() const;

 private:
  TomlFields(std::string name, std::shared_ptr<const toml::table> root, const toml::table* table)
      : name_(std::move(name)), root_(std::move(root)), table_(table) {}
  const toml::node* find(std::string_view key);
  void fail(Error error);

  std::string name_;
  std::shared_ptr<const toml::table> root_;
  const toml::table* table_;
  std::vector<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace blkpress::sim
