#include <gtest/gtest.h>

#include "conformance/check/finding/difference.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

TEST(Divergence, AsText) {
  Divergence d;
  d.step = 1;
  d.phase = Phase::kUpdate;
  d.rank = 2;
  d.tensor = "exp_avg of w1";
  d.element = 17;
  d.interval = {12, 20};
  d.expected = 1.5f;
  d.got = 1.75f;
  d.ulp = 2097152;
  d.differing = 3;
  d.compared = 8;
  d.note = "wrong by 2: counted twice?";
  EXPECT_EQ(ToString(d),
            "step 1, update, rank 2: exp_avg of w1, element 17 (piece [12, 20), 3 of 8 elements differ)\n"
            "  expected 1.5             0x3fc00000\n"
            "  got      1.75            0x3fe00000\n"
            "  2097152 ulp apart\n"
            "  note: wrong by 2: counted twice?");
  d.around = {{16, 0.5f, 0.5f}, {17, 1.5f, 1.75f}};
  EXPECT_TRUE(
      ToString(d).ends_with("?\n  around it, expected and got:\n"
                            "          16  0.5             0x3f000000  0.5             0x3f000000\n"
                            "  >       17  1.5             0x3fc00000  1.75            0x3fe00000"))
      << ToString(d);
}

TEST(Divergence, HasTheElementsBesideIt) {
  const Case c = SmallCase();
  TensorRecord record{.what = "parameter", .interval = {4, 9}, .values = {1, 2, 3, 4, 5}};
  const auto around = [&](const std::vector<float>& expected) {
    std::vector<int64_t> elements;
    const Divergence d = DivergenceAt(c.experiment, 0, record, expected, *DifferenceOf(expected, record.values));
    for (const ElementValues& values : d.around) elements.push_back(values.element);
    return elements;
  };
  EXPECT_EQ(around({0, 2, 3, 4, 5}), (std::vector<int64_t>{4, 5, 6})) << "none before the piece";
  EXPECT_EQ(around({1, 2, 0, 4, 5}), (std::vector<int64_t>{4, 5, 6, 7, 8}));
  EXPECT_EQ(around({1, 2, 3, 4, 0}), (std::vector<int64_t>{6, 7, 8})) << "none behind it";
}

}  // namespace
}  // namespace zerocts
