#include "blkpress/corpus.hpp"

#include "support/catch.hpp"
#include "support/sha256.hpp"

using namespace blkpress;

TEST_CASE("sha256 of the tests gives the digests of FIPS 180's examples") {
  CHECK(test::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(test::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(test::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("corpus: every file has the bytes that the goldens were measured on") {
  const auto hashes = test::read_sha256_list(BLKPRESS_GOLDEN_DIR "/corpus.sha256");
  CHECK(hashes.size() == corpus_names().size());
  for (const std::string_view name : corpus_names()) {
    INFO(name);
    const auto expected = hashes.find(std::string(name));
    REQUIRE(expected != hashes.end());
    CHECK(test::sha256(corpus_file(name)) == expected->second);
  }
}
