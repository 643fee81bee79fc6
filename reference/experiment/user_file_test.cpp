#include "reference/experiment/user_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>

#include "reference/experiment/json_text.hpp"
#include "reference/experiment/temporary_text.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename Action>
std::string Complaint(Action action) {
  try {
    action();
    return "";
  } catch (const UnfitFile& unfit) {
    return unfit.what();
  }
}

TEST(UserFile, IsOpenedWithoutAWait) {
  const TemporaryText text("text");
  EXPECT_TRUE(OpenUserFile(text.path()).is_open());
  EXPECT_FALSE(OpenUserFile(text.path() + ".none").is_open());
  EXPECT_FALSE(OpenUserFile("/usr").is_open());
  EXPECT_EQ(Complaint([] { OpenUserFile("/dev/zero"); }),
            "expected a regular file, got /dev/zero, a device; name a file");
  const std::string fifo = text.path() + ".fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(Complaint([&] { OpenUserFile(fifo); }), "expected a regular file, got " + fifo + ", a fifo; name a file");
  EXPECT_NE(Complaint([&] { JsonFileText(fifo); }), "");
  fs::remove(fifo);
}

TEST(UserFile, IsNoLargerThanIsRead) {
  const TemporaryText text("text");
  fs::resize_file(text.path(), uint64_t{3} << 20);
  EXPECT_TRUE(OpenUserFile(text.path(), uint64_t{3} << 20).is_open());
  EXPECT_EQ(Complaint([&] { OpenUserFile(text.path(), uint64_t{2} << 20); }),
            "expected a file of at most 2 MiB, got " + text.path() + " with 3 MiB; name a smaller one");
}

TEST(UserFile, IsReplacedAndNotWrittenThroughALink) {
  const TemporaryText stranger("a stranger's");
  const std::string link = stranger.path() + ".link";
  for (const bool is_hard : {false, true}) {
    is_hard ? fs::create_hard_link(stranger.path(), link) : fs::create_symlink(stranger.path(), link);
    EXPECT_EQ(ReplaceFile(link, {"our", "s"}), 0);
    EXPECT_EQ(ContentOf(link), "ours");
    EXPECT_EQ(ContentOf(stranger.path()), "a stranger's");
    fs::remove(link);
  }
  EXPECT_EQ(ReplaceFile("/nowhere/file", {""}), ENOENT);
  EXPECT_EQ(ReplaceFile("/usr", {""}), EISDIR);
}

}  // namespace
}  // namespace zerocts
