#include "blkpress/sim/table.hpp"

#include "support/catch.hpp"

using namespace blkpress::sim;

TEST_CASE("table: columns are as wide as their widest cell and lines have no trailing blanks") {
  Table table({{"name"}, {"count", Column::Align::right}, {"note"}});
  table.add_row({"a", "1", ""});
  table.add_row({"longer", "12345678", "x"});
  CHECK(table.text() ==
        "name       count  note\n"
        "a              1\n"
        "longer  12345678  x\n");
  CHECK(table.text(2).starts_with("  name"));
}

TEST_CASE("table: width counts characters, not bytes, and long cells end in an ellipsis") {
  Table table({{"w", Column::Align::left, 4}, {"r", Column::Align::right}});
  table.add_row({"äöüß", "1"});
  table.add_row({"äöüßx", "2"});
  CHECK(table.text() == "w     r\näöüß  1\näöü…  2\n");
  CHECK(display_width("±5%") == 3);
}

TEST_CASE("table: control characters in a cell cannot break the table") {
  Table table({{"a"}});
  table.add_row({"x\ny\x1b[31m"});
  CHECK(table.text() == "a\nx\\ny\\x1b[31m\n");
}

TEST_CASE("table: CSV quotes what RFC 4180 says and nothing else") {
  Table table({{"a"}, {"b,c"}});
  table.add_row({"plain text", "with \"quotes\""});
  table.add_row({"two\nlines", ""});
  CHECK(table.csv() == "a,\"b,c\"\nplain text,\"with \"\"quotes\"\"\"\n\"two\nlines\",\n");
}
