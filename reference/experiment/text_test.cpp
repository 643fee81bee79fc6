#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stdexcept>

#include "reference/experiment/data.hpp"
#include "reference/experiment/temporary_text.hpp"

namespace zerocts {
namespace {

std::string ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

std::string LoadError(const std::string& path) {
  return ErrorOf([&] { TextCorpus::Load(path); });
}

Experiment MakeExperiment() {
  Experiment e;
  e.mlp = MlpSpec{.vocab = 128, .context = 4, .embedding = 2, .hidden = {}};
  e.parameters = MlpParameters(*e.mlp);
  e.gradients = GradientSource::kModel;
  e.batch = 50;
  return e;
}

TEST(Text, RefusesWhatIsNoText) {
  EXPECT_EQ(LoadError("/nowhere/text"),
            "text /nowhere/text: expected a readable text file, got \"No such file or directory\"; check the path");
  EXPECT_EQ(LoadError("/usr"), "text /usr: expected a readable text file, got a directory or a device; name a file");
  EXPECT_EQ(LoadError("/dev/zero"),
            "text /dev/zero: expected a readable text file, got a directory or a device; name a file");
  const TemporaryText empty("");
  EXPECT_EQ(LoadError(empty.path()),
            "text " + empty.path() + ": expected a readable text file, got an empty one; choose another");
  const TemporaryText binary(std::string("ab\0c", 4));
  EXPECT_EQ(LoadError(binary.path()),
            "text " + binary.path() +
                ": expected a readable text file, got binary data (a NUL byte at offset 2); choose another");
}

TEST(Text, RefusesAnotherTextThanTheExperiments) {
  const TemporaryText text("abcdefgh");
  Experiment e = MakeExperiment();
  e.text = text.path();
  e.text_hash = TextCorpus::Load(e.text).hash();
  EXPECT_EQ(TextCorpus::LoadFor(e).bytes().size(), 8u);
  e.text_hash[0] ^= 1;
  EXPECT_NE(ErrorOf([&] { TextCorpus::LoadFor(e); }).find("use the same text on every machine"), std::string::npos);
}

TEST(Batch, IsWindowsOfTheTextAndWhatFollows) {
  const TemporaryText file("abcdefghijklmnopqrstuvwxyz");
  const TextCorpus text = TextCorpus::Load(file.path());
  const Experiment e = MakeExperiment();
  const Batch batch = MakeBatch(e, text, 3, 1);
  ASSERT_EQ(batch.inputs.size(), 200u);
  ASSERT_EQ(batch.targets.size(), 50u);
  for (int b = 0; b < 50; ++b) {
    for (int t = 1; t < 4; ++t) EXPECT_EQ(batch.inputs[4 * b + t], batch.inputs[4 * b] + t);
    EXPECT_EQ(batch.targets[b], batch.inputs[4 * b] + 4);
  }
  EXPECT_EQ(MakeBatch(e, text, 3, 1).targets, batch.targets);
  EXPECT_NE(MakeBatch(e, text, 3, 2).targets, batch.targets);
  EXPECT_NE(MakeBatch(e, text, 4, 1).targets, batch.targets);
}

TEST(Batch, ReachesBothEndsOfTheText) {
  const TemporaryText file("abcdef");  // two windows of four letters and a target
  Experiment e = MakeExperiment();
  const Batch batch = MakeBatch(e, TextCorpus::Load(file.path()), 0, 0);
  EXPECT_EQ(std::set<int32_t>(batch.targets.begin(), batch.targets.end()), (std::set<int32_t>{'e', 'f'}));
}

TEST(Batch, FoldsBytesIntoTheVocabulary) {
  const TemporaryText file("ab\xc3\xa4zz");
  const TextCorpus text = TextCorpus::Load(file.path());
  Experiment e = MakeExperiment();
  e.mlp->vocab = 'b' + 1;
  for (const int32_t token : MakeBatch(e, text, 0, 0).inputs) EXPECT_LE(token, 'b');
}

TEST(Batch, RefusesATextAsShortAsTheContext) {
  const TemporaryText file("abcd");
  const TextCorpus text = TextCorpus::Load(file.path());
  EXPECT_NE(ErrorOf([&] {
              MakeBatch(MakeExperiment(), text, 0, 0);
            }).find("expected more than 4 bytes (the model's context), got 4"),
            std::string::npos);
}

TEST(Text, HasADefault) { EXPECT_GT(TextCorpus::Load(DefaultTextPath()).bytes().size(), 1000u); }

}  // namespace
}  // namespace zerocts
