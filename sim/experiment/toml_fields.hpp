// Reads the fields of a TOML table by name and checks each, with file and line in every message.
#pragma once

#include <toml++/toml.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/result.hpp"

namespace blkpress::sim {

// Text, whole number, number or truth value as text; nullopt for anything else.
std::optional<std::string> plain_text(const toml::node& node);

class TomlFields {
 public:
  // The file's root table. Errors: io; usage, with file and line.
  static Result<TomlFields> load(const std::string& path);

  // The value of a key, or `otherwise`, or (without one) an error. The first error is kept: read everything, then ask
  // status() once.
  std::string text(std::string_view key, std::optional<std::string> otherwise = {});
  double number(std::string_view key, double low, double high, std::optional<double> otherwise = {});
  std::vector<std::string> texts(std::string_view key);
  // The table or array of that name, or null.
  const toml::table* table(std::string_view key);
  const toml::array* array(std::string_view key);
  // The fields of a table that may be missing, which is then empty.
  TomlFields child(std::string_view key);
  // The fields of each table of an array of tables that may be missing.
  std::vector<TomlFields> tables(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const { return table_->contains(key); }

  [[nodiscard]] Error error(const toml::node& node, const std::string& what) const;
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
