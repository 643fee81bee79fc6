#include "conformance/host/system/own_words.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>
#include <zmq.hpp>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

template <typename Body>
std::string SentenceFrom(Body body) {
  try {
    body();
  } catch (const std::exception& failure) {
    return SentenceOf(failure);
  }
  return "nothing was thrown";
}

TEST(OwnWords, SentencesOfOursStay) {
  EXPECT_EQ(SentenceFrom([] { throw HarnessError("a sentence"); }), "a sentence");
  EXPECT_EQ(SentenceFrom([] { throw std::invalid_argument("case.stage: expected 0 to 3, got 4"); }),
            "case.stage: expected 0 to 3, got 4");
}

TEST(OwnWords, TextsOfLibrariesDoNotReachTheUser) {
  EXPECT_EQ(SentenceFrom([] { throw std::bad_alloc(); }).find("memory ran out; free some"), 0u);
  EXPECT_EQ(SentenceFrom([] { std::filesystem::create_directory("/proc/a"); }), "/proc/a: No such file or directory");
  EXPECT_EQ(SentenceFrom([] { throw zmq::error_t(EMFILE); }),
            "a socket: Too many open files; raise the limit of open files (ulimit -n)");
  EXPECT_EQ(SentenceFrom([] {
              throw std::system_error(EAGAIN, std::system_category(), "pthread_create");
            }).find("a call of the system failed: "),
            0u);
  EXPECT_EQ(SentenceFrom([] { std::vector<int>().at(3); }),
            "zerocts itself failed with std::out_of_range; report this with the command line as a bug of zerocts");
  const std::string of_json = SentenceFrom([] { throw nlohmann::json::other_error::create(501, "a text", nullptr); });
  EXPECT_EQ(of_json.find("zerocts itself failed with nlohmann::"), 0u) << of_json;
  EXPECT_EQ(of_json.find("[json"), std::string::npos) << of_json;
}

}  // namespace
}  // namespace zerocts
