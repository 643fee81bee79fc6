#include "conformance/host/system/nearest.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

using Names = std::vector<std::string>;

TEST(Nearest, FindsMisspeltWordsNearestFirst) {
  EXPECT_EQ(Nearest("onwership", {"step", "ownership", "norm"}), Names{"ownership"});
  EXPECT_EQ(Nearest("--rank", {"--option", "--ranks"}), Names{"--ranks"});
  EXPECT_EQ(Nearest("C-ZERO-01", {"C-ZERO-011", "C-ZERO-001"}), (Names{"C-ZERO-011", "C-ZERO-001"}));
}

TEST(Nearest, CaseAndHyphensDoNotCount) {
  EXPECT_EQ(Nearest("c_zero_001", {"C-ZERO-001", "C-ZERO-999"}).front(), "C-ZERO-001");
}

TEST(Nearest, FindsWhatTheWordIsAPartOfAndWhatOthersCallSo) {
  EXPECT_EQ(Nearest("fsdp2", {"native", "torch-fsdp2", "torch-tp"}), Names{"torch-fsdp2"});
  EXPECT_EQ(Nearest("mpi", {"local", "mpirun"}), Names{"mpirun"});
  EXPECT_EQ(Nearest("float32", {"fp32", "bf16"}), Names{"fp32"});
  EXPECT_EQ(Nearest("test", {"list", "check"}), Names{"check"});
  EXPECT_EQ(Nearest("test", {"list"}), Names{"list"});
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
  EXPECT_TRUE(Nearest("xylophone", {"step", "norm"}).empty());
  EXPECT_EQ(DidYouMean("xylophone", {"step", "norm"}), "");
  EXPECT_TRUE(Nearest("ab", {"cd"}).empty());  // two letters replaced by two others
}

TEST(Nearest, MakesASentence) { EXPECT_EQ(DidYouMean("chek", {"check", "list"}), " (did you mean check?)"); }

}  // namespace
}  // namespace zerocts
