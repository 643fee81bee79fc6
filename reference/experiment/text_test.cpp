#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
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

Experiment ExperimentOn(const TemporaryText& text,
                        const ModelSpec& model = MlpSpec{.vocab = 128, .context = 4, .embedding = 2, .hidden = {}}) {
  Experiment e;
  e.model = model;
  e.parameters = ModelParameters(model);
  e.gradients = GradientSource::kModel;
  e.batch = 50;
  e.text = text.path();
  e.text_hash = TextCorpus::Load(e.text).hash();
  return e;
}

TEST(Text, RefusesWhatIsNoText) {
  EXPECT_EQ(LoadError("/nowhere/text"),
            "text /nowhere/text: expected a readable text file, got \"No such file or directory\"; check the path");
  EXPECT_EQ(LoadError("/usr"), "text /usr: expected a readable text file, got \"Is a directory\"; check the path");
  EXPECT_EQ(LoadError("/dev/zero"), "expected a regular file, got /dev/zero, a device; name a file");
  const TemporaryText large("abc");
  std::filesystem::resize_file(large.path(), uint64_t{1} << 40);
  EXPECT_EQ(LoadError(large.path()),
            "expected a file of at most 128 MiB, got " + large.path() + " with 1048576 MiB; name a smaller one");
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
  Experiment e = ExperimentOn(text);
  EXPECT_EQ(TextCorpus::LoadFor(e).bytes().size(), 8u);
  e.text_hash[0] ^= 1;
  EXPECT_NE(ErrorOf([&] { TextCorpus::LoadFor(e); }).find("use the same text on every machine"), std::string::npos);
}

TEST(Text, IsReadOnceForEachVocabularyAndHash) {
  const TemporaryText first("abcdefgh"), second("abcdefg");
  const Experiment e = ExperimentOn(first);
  const std::shared_ptr<const TextCorpus> text = TextCorpus::SharedFor(e);
  EXPECT_EQ(text, TextCorpus::SharedFor(e));
  EXPECT_EQ(TextCorpus::SharedFor(ExperimentOn(second))->bytes().size(), 7u);
  Experiment fewer_words = e;
  fewer_words.model = MlpSpec{.vocab = 100, .context = 4, .embedding = 2, .hidden = {}};
  EXPECT_EQ(TextCorpus::SharedFor(fewer_words)->tokens().back(), 99);
  EXPECT_EQ(text->tokens().back(), 'h');
  Experiment other_text = e;
  other_text.text = second.path();
  EXPECT_NE(ErrorOf([&] { TextCorpus::SharedFor(other_text); }).find("use the same text on every machine"),
            std::string::npos);
}

TEST(InitialValues, OfModelsInTurnFillTheRangeOfEach) {
  const TemporaryText text("abcdefgh");
  for (const int64_t embedding : {2, 32, 2}) {
    Experiment e = ExperimentOn(text, MlpSpec{.vocab = 128, .context = 4, .embedding = embedding, .hidden = {}});
    e.initial = InitialValues::kModel;
    const auto weight = std::ranges::find(e.parameters, 2u, [](const auto& p) { return p.shape.size(); }) + 1;
    const auto parameter = static_cast<size_t>(weight - e.parameters.begin());  // the first behind the embedding
    const float bound = ModelInitialRange(*e.model, parameter).bound;
    const float largest = std::ranges::max(InitialValuesOf(e, static_cast<int>(parameter)));
    EXPECT_LE(largest, bound);
    EXPECT_GT(largest, bound / 2);
  }
}

TEST(Batch, IsWindowsOfTheTextAndWhatFollows) {
  const TemporaryText file("abcdefghijklmnopqrstuvwxyz");
  const Experiment e = ExperimentOn(file);
  const TextCorpus text = TextCorpus::LoadFor(e);
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
  const Experiment e = ExperimentOn(file);
  const Batch batch = MakeBatch(e, TextCorpus::LoadFor(e), 0, 0);
  EXPECT_EQ(std::set<int32_t>(batch.targets.begin(), batch.targets.end()), (std::set<int32_t>{'e', 'f'}));
}

TEST(Batch, FoldsBytesIntoTheVocabulary) {
  const TemporaryText file("ab\xc3\xa4zz");
  const Experiment e = ExperimentOn(file, MlpSpec{.vocab = 'b' + 1, .context = 4});
  for (const int32_t token : MakeBatch(e, TextCorpus::LoadFor(e), 0, 0).inputs) EXPECT_LE(token, 'b');
}

TEST(Batch, OfAGptHasTheSuccessorOfEveryToken) {
  const TemporaryText file("abcdefghijklmnopqrstuvwxyz");
  const Experiment e = ExperimentOn(file, GptSpec{.vocab = 128, .context = 4});
  const Batch batch = MakeBatch(e, TextCorpus::LoadFor(e), 0, 0);
  ASSERT_EQ(batch.inputs.size(), 200u);
  ASSERT_EQ(batch.targets.size(), 200u);
  for (size_t i = 0; i < batch.inputs.size(); ++i) EXPECT_EQ(batch.targets[i], batch.inputs[i] + 1);
}

TEST(Batch, IsOfBytePairsAboveAVocabularyOfBytes) {
  const TemporaryText file("the theory of the thing, the other thing");
  const Experiment e = ExperimentOn(file, GptSpec{.vocab = 300, .context = 4});
  const TextCorpus text = TextCorpus::LoadFor(e);
  EXPECT_LT(text.tokens().size(), text.bytes().size());
  EXPECT_GE(*std::ranges::max_element(text.tokens()), 256);
  EXPECT_LT(*std::ranges::max_element(text.tokens()), 300);
}

TEST(Batch, RefusesATextAsShortAsTheContext) {
  const TemporaryText file("abcd");
  const Experiment e = ExperimentOn(file);
  const TextCorpus text = TextCorpus::LoadFor(e);
  EXPECT_NE(ErrorOf([&] { MakeBatch(e, text, 0, 0); }).find("expected more than 4 tokens (the model's context), got 4"),
            std::string::npos);
}

TEST(Text, HasADefault) { EXPECT_GT(TextCorpus::Load(DefaultTextPath()).bytes().size(), 1000u); }

}  // namespace
}  // namespace zerocts
