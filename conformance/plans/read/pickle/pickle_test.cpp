#include "conformance/plans/read/pickle/pickle.hpp"

#include <gtest/gtest.h>

#include "conformance/plans/read/pickle/pickle_view.hpp"
#include "conformance/plans/read/pickle/pickles_for_test.hpp"

namespace zerocts::read {
namespace {

std::string Refusal(const std::string& bytes, const PickleLimits& limits = {}) {
  try {
    const Pickle pickle(bytes, limits);
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "read";
}

bool Says(const std::string& sentence, const char* phrase) { return sentence.find(phrase) != std::string::npos; }

TEST(PickleOfOurOwn, ReadsScalars) {
  const Pickle pickle(PickleOfScalars());
  const PickleView list(pickle);
  ASSERT_EQ(list.length(), 11u);
  EXPECT_TRUE(list[0].IsNone());
  EXPECT_TRUE(list[1].Bool());
  EXPECT_FALSE(list[2].Bool());
  EXPECT_EQ(list[3].Integer(), 7);
  EXPECT_EQ(list[4].Integer(), 300);
  EXPECT_EQ(list[5].Integer(), -70000);
  EXPECT_EQ(list[6].Integer(), int64_t{1} << 40);
  EXPECT_EQ(list[7].kind(), Kind::kHugeInteger);
  EXPECT_EQ(list[8].kind(), Kind::kFloat);
  EXPECT_EQ(list[9].Text(), "w");
  EXPECT_EQ(list[10].kind(), Kind::kBytes);
}

TEST(PickleOfOurOwn, ReadsContainers) {
  const Pickle pickle(PickleOfContainers());
  const PickleView dict(pickle);
  EXPECT_EQ(dict.pairs(), 4u);
  EXPECT_EQ(dict.At("list")[1][0].Integer(), 2);
  EXPECT_EQ(dict.At("tuple").length(), 2u);
  EXPECT_TRUE(dict.At("ordered").IsDict());
  EXPECT_EQ(dict.At("ordered").At("b").Integer(), 2);
}

TEST(PickleOfOurOwn, KeepsCallsAsValues) {
  const Pickle pickle(PickleOfTensor());
  const PickleView tensor = PickleView(pickle).At("w");
  EXPECT_TRUE(tensor.Calls("torch._utils", "_rebuild_tensor_v2"));
  EXPECT_EQ(tensor.Argument(0).Persistent()[2].Text(), "0");
  EXPECT_EQ(tensor.Argument(2)[1].Integer(), 5);
}

TEST(PickleOfOurOwn, RefusesWhatIsNotInTheList) {
  EXPECT_TRUE(Says(Refusal("\x80\x02"
                           "cos\nsystem\n."),
                   "names os.system, which is not in the list"));
  EXPECT_TRUE(Says(Refusal("\x80\x04\x8c\x02os\x8c\x06system\x93."), "names os.system"));
  EXPECT_TRUE(Says(Refusal("\x80\x02"
                           "cbuiltins\ngetattr\n."),
                   "names builtins.getattr"));
  EXPECT_TRUE(Says(Refusal("\x80\x02"
                           "ctorch.serialization\nload\n."),
                   "names torch.serialization.load"));
  EXPECT_TRUE(Says(Refusal("\x80\x02"
                           "K\x01)R."),
                   "expected a name of the list to be called, got an integer"));
}

TEST(PickleOfOurOwn, RefusesWhatIsNoPickle) {
  EXPECT_TRUE(Says(Refusal(""), "expected 1 more bytes"));
  EXPECT_TRUE(Says(Refusal("hello"), "expected a pickle of protocol 2 to 5"));
  EXPECT_TRUE(Says(Refusal("\x80\x06."), "expected protocol 2 to 5, got 6"));
  EXPECT_TRUE(Says(Refusal("\x80\x02."), "expected a value on the stack"));
  EXPECT_TRUE(Says(Refusal("\x80\x02h\x07."), "expected a memo entry that was made, got 7"));
  EXPECT_TRUE(Says(Refusal("\x80\x02u."), "expected a mark"));
  EXPECT_TRUE(Says(Refusal("\x80\x02K\x01K\x02"
                           "a."),
                   "expected a list to put values into, got an integer"));
  EXPECT_TRUE(Says(Refusal("\x80\x02}(K\x01u."), "a key without a value"));
  EXPECT_TRUE(Says(Refusal("\x80\x02I01\n."), "expected an instruction of protocols 2 to 5, got 0x49"));
  EXPECT_TRUE(
      Says(Refusal("\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f."), "expected 9223372036854775807 more bytes"));
}

TEST(PickleOfOurOwn, HasLimits) {
  EXPECT_TRUE(Says(Refusal("\x80\x02" + std::string(300, ')') + std::string(300, '\x85')), "257 levels deep"));
  EXPECT_TRUE(Says(Refusal("\x80\x02" + std::string(300, '(')), "marks 257 levels deep"));
  EXPECT_TRUE(Says(Refusal("\x80\x02NNN", {.values = 2}), "more than 2 values"));
  EXPECT_TRUE(Says(Refusal("\x80\x02N222", {.stack = 3}), "more than 3 values on its stack"));
  EXPECT_TRUE(Says(Refusal("\x80\x02](NNNe.", {.elements = 2}), "more than 2 elements"));
  EXPECT_TRUE(Says(Refusal("\x80\x02Nr\xff\xff\xff\xff."), "memo entry 4294967295: expected at most"));
  EXPECT_TRUE(Says(Refusal("\x80\x02N.", {.bytes = 3}), "it has 4 bytes: expected at most 3"));
}

TEST(PickleOfOurOwn, ReadsEveryBeginningWithoutAFault) {
  for (const std::string& whole : {PickleOfScalars(), PickleOfContainers(), PickleOfTensor()}) {
    for (size_t end = 0; end + 1 < whole.size(); ++end) EXPECT_NE(Refusal(whole.substr(0, end)), "read") << end;
  }
}

TEST(PickleOfOurOwn, MayHoldItself) {
  const Pickle pickle(std::string("\x80\x02]q\0h\0a.", 9));
  EXPECT_EQ(PickleView(pickle)[0][0][0].length(), 1u);
}

}  // namespace
}  // namespace zerocts::read
