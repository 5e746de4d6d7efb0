// Messages whatever a value is: short, one line, valid UTF-8.
#include <string>

#include "cli/command_run.hpp"
#include "support/catch.hpp"

using blkpress::test::run_command;

TEST_CASE("message: bytes that are not UTF-8, and control characters of C1, are escaped; letters are not") {
  const std::string known = "; it is one of ";
  const auto said = [&](const std::string& word) {
    const std::string err = run_command({word}).err;
    return err.substr(0, err.find(known));
  };
  CHECK(said("bad\xff\xfe") == "blkpress: unknown command 'bad\\xff\\xfe'");
  CHECK(said("cut\xe2\x82") == "blkpress: unknown command 'cut\\xe2\\x82'");
  CHECK(said("surrogate\xed\xa0\x80") == "blkpress: unknown command 'surrogate\\xed\\xa0\\x80'");
  CHECK(said("overlong\xc0\xaf") == "blkpress: unknown command 'overlong\\xc0\\xaf'");
  CHECK(said("csi\xc2\x9b"
             "31m") == "blkpress: unknown command 'csi\\xc2\\x9b31m'");
  CHECK(said("größe€😀") == "blkpress: unknown command 'größe€😀'");
}

TEST_CASE("message: of a value longer than 200 characters the middle is left out, quoted or a path") {
  const std::string quoted = run_command({"codecs", "--format", std::string(100'000, 'x')}).err;
  CHECK(quoted == "blkpress: --format '" + std::string(149, 'x') + "…" + std::string(49, 'x') +
                      "' is not one of text, json, csv\n");
  const std::string spaced = run_command({"codecs", "--format", std::string(199, 'x') + " " + std::string(9, 'y')}).err;
  CHECK(spaced == "blkpress: --format '" + std::string(149, 'x') + "…" + std::string(39, 'x') + " " +
                      std::string(9, 'y') + "' is not one of text, json, csv\n");
  const std::string path = "/" + std::string(1000, 'd') + "/name";
  const std::string unread = run_command({"estimate", path}).err;
  CHECK(unread.starts_with("blkpress: cannot read /ddd"));
  CHECK(unread.find("ddd…ddd") != std::string::npos);
  CHECK(unread.find("/name: ") != std::string::npos);
  CHECK(unread.size() < 300);
  // As long as may be is left whole.
  const std::string whole(196, 'x');
  CHECK(run_command({"codecs", "--format", whole}).err ==
        "blkpress: --format '" + whole + "' is not one of text, json, csv\n");
}

TEST_CASE("message: a value of many words is bounded too") {
  std::string words;
  for (int i = 0; i < 20'000; ++i) words += "a' b ";
  const std::string err = run_command({"codecs", "--format", words}).err;
  CHECK(err.size() < 5000);
  CHECK(err.find('\n') == err.size() - 1);
}
