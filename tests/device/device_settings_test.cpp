// What a wrong device gets to hear.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "blkpress/sim/device.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

std::string message(std::string_view kind, const std::vector<DeviceSetting>& settings) {
  const auto device = make_device(kind, settings);
  REQUIRE_FALSE(device);
  CHECK(device.error().kind == ErrorKind::usage);
  return device.error().message;
}

}  // namespace

TEST_CASE("device: each wrong setting is named, with what would be right") {
  CHECK(message("tape", {}).rfind("device kind tape is none of fixed, lanes, cloud, hdd", 0) == 0);
  CHECK(message("fixed", {}) == "device fixed needs latency_us, a number from 0 to 3600000000");
  CHECK(message("fixed", {{"latency_us", "-1"}}) ==
        "device fixed: latency_us = -1 is not a number from 0 to 3600000000");
  CHECK(message("fixed", {{"latency_us", "nan"}}) ==
        "device fixed: latency_us = nan is not a number from 0 to 3600000000");
  CHECK(message("fixed", {{"latency_us", "12us"}}) ==
        "device fixed: latency_us = 12us is not a number from 0 to 3600000000");
  CHECK(message("fixed", {{"latency_us", "1.5"}}) == "device fixed: latency_us = 1.5 is not a whole number");
  CHECK(message("fixed", {{"latency_us", "1"}, {"speed", "9"}}) ==
        "device fixed has no setting speed; it has latency_us");
  CHECK(message("lanes", {{"lanes", "4"}}) == "device lanes: one of latency_us and mb_s must be above 0");
  CHECK(message("lanes", {{"lanes", "0"}, {"mb_s", "1"}}) == "device lanes: lanes = 0 is not a number from 1 to 4096");
  CHECK(message("cloud", {{"size_gb", "50"}, {"mb_s_min", "5"}, {"mb_s_max", "4"}}) ==
        "device cloud: a rate's minimum is above its maximum");
}

TEST_CASE("device: a later setting of the same key wins") {
  auto device = make_device("fixed", {{"latency_us", "1"}, {"latency_us", "7"}});
  REQUIRE(device);
  CHECK((*device)->complete_at({DeviceRequest::Kind::read, 0, 512}, Instant{5}) == Instant{7005});
}

TEST_CASE("device: every file in data/devices loads") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BLKPRESS_SOURCE_DIR "/data/devices")) {
    const auto device = load_device(entry.path().string());
    INFO(entry.path().string() << (device ? "" : ": " + device.error().message));
    CHECK(device);
    ++files;
  }
  CHECK(files >= 5);
}

TEST_CASE("device: a file that is missing, does not parse or names no kind is an error with its name") {
  CHECK(load_device("/no/such/device.toml").error().kind == ErrorKind::io);
  const std::string path = (std::filesystem::temp_directory_path() / "blkpress_device_test.toml").string();
  std::ofstream(path) << "kind = \n";
  CHECK(load_device(path).error().message.rfind(path + ":1: ", 0) == 0);
  std::ofstream(path) << "latency_us = 5\n";
  CHECK(load_device(path).error().message == path + ": kind is missing, such as kind = \"cloud\"");
  std::ofstream(path) << "kind = \"fixed\"\nlatency_us = [1]\n";
  CHECK(load_device(path).error().message == path + ": latency_us is neither a number nor text");
  std::filesystem::remove(path);
}

TEST_CASE("device: lanes serve one request each; the rest wait for the first that is free") {
  auto device = make_device("lanes", {{"lanes", "2"}, {"latency_us", "100"}, {"mb_s", "100"}});
  REQUIRE(device);
  const DeviceRequest request{DeviceRequest::Kind::read, 0, 10'000};  // 100 us at 100 MB/s
  CHECK((*device)->complete_at(request, Instant{0}) == Instant{200'000});
  CHECK((*device)->complete_at(request, Instant{50'000}) == Instant{250'000});
  CHECK((*device)->complete_at(request, Instant{60'000}) == Instant{400'000});
  CHECK((*device)->complete_at({DeviceRequest::Kind::flush, 0, 0}, Instant{70'000}) == Instant{400'000});
}

TEST_CASE("device: no value of any setting of a preset does worse than one line") {
  const std::vector<std::string> values = {"0", "-1", "1", "1e300", "nan", "inf", "-inf", "18446744073709551616",
                                           "",  "x"};
  int tried = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BLKPRESS_SOURCE_DIR "/data/devices")) {
    // The message about a setting that does not exist lists all that do.
    const std::string listed = load_device(entry.path().string(), {{"no_such", "1"}}).error().message;
    std::istringstream keys(listed.substr(listed.find("it has ") + 7));
    for (std::string key; keys >> key;) {
      if (key.back() == ',') key.pop_back();
      for (const std::string& value : values) {
        std::vector<DeviceSetting> settings = {{key, value}};
        // A small part of an SSD says as much, in less time.
        if (listed.find("mapped_gib") != std::string::npos) settings.insert(settings.begin(), {"mapped_gib", "0.5"});
        const auto device = load_device(entry.path().string(), settings);
        INFO(entry.path().string() << ": " << key << " = " << value);
        ++tried;
        if (!device) {
          CHECK(device.error().kind == ErrorKind::usage);
          CHECK(device.error().message.find('\n') == std::string::npos);
          continue;
        }
        Instant now{1};
        const std::uint64_t eib = std::uint64_t{1} << 60;
        for (const DeviceRequest& request :
             {DeviceRequest{DeviceRequest::Kind::read, eib, 4096}, DeviceRequest{DeviceRequest::Kind::write, eib, 1},
              DeviceRequest{DeviceRequest::Kind::flush, 0, 0},
              DeviceRequest{DeviceRequest::Kind::read, UINT64_MAX, 0}}) {
          const Instant done = (*device)->complete_at(request, now);
          CHECK(done >= now);
          now = done;
        }
      }
    }
  }
  CHECK(tried > 500);
}

TEST_CASE("device: lanes write at a rate of their own when one is given") {
  auto device = make_device("lanes", {{"lanes", "1"}, {"mb_s", "200"}, {"write_mb_s", "100"}});
  REQUIRE(device);
  const Instant read = (*device)->complete_at({DeviceRequest::Kind::read, 0, 1'000'000}, Instant{});
  CHECK(read == Instant{} + milliseconds(5));
  CHECK((*device)->complete_at({DeviceRequest::Kind::write, 0, 1'000'000}, read) == read + milliseconds(10));
}
