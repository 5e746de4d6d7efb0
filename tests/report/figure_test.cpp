#include "blkpress/sim/figure.hpp"

#include "support/catch.hpp"

using namespace blkpress::sim;

namespace {

Figure figure(std::string published, std::string simulated, Bar bar, std::string unit = "") {
  Figure result;
  result.published = std::move(published);
  result.simulated = std::move(simulated);
  result.bar = bar;
  result.unit = std::move(unit);
  judge(result);
  return result;
}

constexpr Bar kFivePercent{.kind = Bar::Kind::percent, .value = 5};

}  // namespace

TEST_CASE("figure: the number at the start of a printed value is read, units and times included") {
  CHECK(parse_number("1.50K") == 1.5);
  CHECK(parse_number("22K") == 22);
  CHECK(parse_number("2.54x") == 2.54);
  CHECK(parse_number("140MiB/s") == 140);
  CHECK(parse_number("100.0%") == 100);
  CHECK(parse_number("-3") == -3);
  CHECK(parse_number("0:00.02") == Approx(0.02));
  CHECK(parse_number("1:02:03") == 3723);
  CHECK(parse_number("2.50GHz") == 2.5);
  CHECK(parse_number(".5") == 0.5);
}

TEST_CASE("figure: what is not one number is text") {
  for (const char* text : {"", "131072+0", "Tue Jan 18 22:48:55 2022", "10.0.1", "16-17", "2022-01-18", "x2", ".", "-",
                           "0:75.00", "above 1.5", "1:2:3:4", "nan", "inf", "1e5+"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_number(text).has_value());
  }
}

TEST_CASE("figure: a percent bar holds on its edge and not beyond, on both sides") {
  CHECK(figure("200", "210", kFivePercent).pass == true);
  CHECK(figure("200", "190", kFivePercent).pass == true);
  CHECK(figure("200", "210.01", kFivePercent).pass == false);
  CHECK(figure("200", "189.99", kFivePercent).pass == false);
  CHECK(figure("200", "210", kFivePercent).error_percent == Approx(5.0));
  CHECK(figure("200", "190", kFivePercent).error_percent == Approx(-5.0));
}

TEST_CASE("figure: an absolute bar of one printed digit is not broken by binary fractions") {
  const Bar bar{.kind = Bar::Kind::absolute, .value = 0.01};
  CHECK(figure("2.51M", "2.52M", bar, "M").pass == true);
  CHECK(figure("2.51M", "2.50M", bar, "M").pass == true);
  CHECK(figure("2.51M", "2.53M", bar, "M").pass == false);
}

TEST_CASE("figure: values printed with different prefixes are compared in the published one's unit") {
  // 1000K of zfs is 0.9765625M, 2.34375 % less than 1M.
  CHECK(figure("1.00M", "1000K", kFivePercent).error_percent == Approx(-2.34375));
  CHECK(figure("1000k", "1.00M", kFivePercent).error_percent == Approx(4.8576));  // fio's k is 1000
  CHECK(figure("1GB/s", "990MB/s", kFivePercent).error_percent == Approx(-1.0));
  CHECK(figure("1GiB/s", "1000MiB/s", kFivePercent).error_percent == Approx(-2.34375));
  CHECK(figure("1.5GHz", "1.5GHz", kFivePercent).error_percent == Approx(0.0));
}

TEST_CASE("figure: a range bar is closed at both ends") {
  const Bar bar{.kind = Bar::Kind::range, .low = 1.5, .high = 1.7};
  CHECK(figure("1.6", "1.5", bar).pass == true);
  CHECK(figure("1.6", "1.7", bar).pass == true);
  CHECK(figure("1.6", "1.49", bar).pass == false);
  CHECK(figure("1.6", "1.71", bar).pass == false);
}

TEST_CASE("figure: a range bar needs no published number, for the document may print a range itself") {
  const Bar bar{.kind = Bar::Kind::range, .low = 570, .high = 735};
  CHECK(figure("600-700", "591", bar).pass == true);
  CHECK(figure("600-700", "569", bar).pass == false);
  CHECK(figure("600-700", "none", bar).pass == false);
  CHECK_FALSE(figure("600-700", "591", bar).error_percent.has_value());
}

TEST_CASE("figure: of a printed range the end that is farther off is judged") {
  CHECK(figure("140MiB/s-140MiB/s", "145MiB/s-147MiB/s", kFivePercent).pass == true);
  CHECK(figure("140MiB/s-140MiB/s", "140MiB/s-148MiB/s", kFivePercent).pass == false);
  CHECK(figure("140MiB/s-140MiB/s", "132MiB/s-140MiB/s", kFivePercent).pass == false);
  CHECK(figure("140MiB/s-140MiB/s", "140MiB/s", kFivePercent).pass == false);
  CHECK_FALSE(figure("140MiB/s-140MiB/s", "145MiB/s-147MiB/s", kFivePercent).error_percent.has_value());
}

TEST_CASE("figure: an equal bar compares what is printed, not what it means") {
  const Bar bar{.kind = Bar::Kind::equal};
  CHECK(figure("131072+0", "131072+0", bar).pass == true);
  CHECK(figure("1.0", "1.00", bar).pass == false);
  CHECK(figure("0", "0", bar).pass == true);
}

TEST_CASE("figure: a bucket bar counts fio's latency buckets, whatever unit was printed") {
  // fio keeps 64 buckets for each power of two: around 9241 us (2^23 to 2^24 ns) a bucket is 2^17 ns = 131 us wide.
  const Bar one{.kind = Bar::Kind::buckets, .value = 1};
  CHECK(figure("9241", "9241", one, "usec").pass == true);
  CHECK(figure("9241", "9372", one, "usec").pass == true);
  CHECK(figure("9241", "9110", one, "usec").pass == true);
  CHECK(figure("9241", "9503", one, "usec").pass == false);
  CHECK(figure("9241", "8979", one, "usec").pass == false);
}

TEST_CASE("figure: text and zero have no error in percent") {
  CHECK_FALSE(figure("psync", "psync", {.kind = Bar::Kind::equal}).error_percent.has_value());
  CHECK_FALSE(figure("0", "3", {.kind = Bar::Kind::absolute, .value = 4}).error_percent.has_value());
  CHECK(figure("0", "3", {.kind = Bar::Kind::absolute, .value = 4}).pass == true);
  // Where one side is no number, only the same text is inside.
  CHECK(figure("above 1.5", "1.6", kFivePercent).pass == false);
  CHECK(figure("none", "none", kFivePercent).pass == true);
}

TEST_CASE("figure: without a bar or without a simulated value nothing is judged") {
  const Figure free = figure("200", "300", {});
  CHECK_FALSE(free.pass.has_value());
  CHECK(free.error_percent == Approx(50.0));

  Figure missing;
  missing.published = "200";
  missing.bar = kFivePercent;
  missing.pass = true;
  missing.error_percent = 1;
  judge(missing);
  CHECK_FALSE(missing.pass.has_value());
  CHECK_FALSE(missing.error_percent.has_value());
}

TEST_CASE("figure: class names are those of the JSON contract and are read back") {
  for (const char* name :
       {"config", "identity", "derived", "calibration", "prediction", "prediction-weak", "not-modelled"}) {
    const auto parsed = parse_figure_class(name);
    REQUIRE(parsed.has_value());
    CHECK(to_string(*parsed) == name);
  }
  const auto wrong = parse_figure_class("noise");
  REQUIRE_FALSE(wrong.has_value());
  CHECK(
      wrong.error().message ==
      "class 'noise' is not one of config, identity, derived, calibration, prediction, prediction-weak, not-modelled");
}

TEST_CASE("figures: reads and writes printed as a pair are judged by the one that is farther off") {
  Figure figure;
  figure.published = "0/2000";
  figure.simulated = "0/2100";
  figure.bar = {.kind = Bar::Kind::percent, .value = 6};
  judge(figure);
  CHECK(figure.pass == true);
  CHECK(figure.error_percent.value() == Approx(5));
  figure.bar.value = 4;
  judge(figure);
  CHECK(figure.pass == false);
  figure.simulated = "5/2000";  // where there was none
  judge(figure);
  CHECK(figure.pass == false);
}
