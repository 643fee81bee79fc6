#include "impl/layout/layout_json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "impl/layout/for_test/plan_requests.hpp"

namespace zerocts::engine {
namespace {

using nlohmann::json;

RC_GTEST_PROP(LayoutJson, ReadsBackToTheSameValue, ()) {
  const Layout layout = MakeLayout(AnyPlanRequest());
  RC_ASSERT(LayoutFromJson(json::parse(ToJson(layout).dump())) == layout);
}

json SomeJson() { return ToJson(MakeLayout(RequestOf("padded", {5, 1, 4}, 3, 5))); }

TEST(LayoutJson, IsReadable) {
  EXPECT_EQ(SomeJson().dump(), R"({"buckets":[{"end_cut":1,"first_cut":0,"parameters":[0]},)"
                               R"({"end_cut":2,"first_cut":1,"parameters":[1,2]}],)"
                               R"("cuts":[[0,2,4,6],[6,8,10,12]],"numel":[5,1,4],"offset":[0,6,7],"plan":"padded"})");
}

/// The sentence for SomeJson() after `change`.
std::string SentenceAfter(const std::function<void(json&)>& change) {
  json value = SomeJson();
  change(value);
  try {
    LayoutFromJson(value);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "none";
}

TEST(LayoutJson, NamesWhatIsWrong) {
  EXPECT_EQ(SentenceAfter([](json&) {}), "none");
  EXPECT_EQ(SentenceAfter([](json& v) { v = json::array(); }), "layout: expected an object, got []");
  EXPECT_EQ(SentenceAfter([](json& v) { v["ranks"] = 3; }), "layout.ranks: unknown field");
  EXPECT_EQ(SentenceAfter([](json& v) { v.erase("cuts"); }), "layout.cuts: expected this field, it is missing");
  EXPECT_EQ(SentenceAfter([](json& v) { v["plan"] = 1; }), "layout.plan: expected text, got 1");
  EXPECT_EQ(SentenceAfter([](json& v) { v["numel"][1] = 1.5; }), "layout.numel[1]: expected an integer, got 1.5");
  EXPECT_EQ(SentenceAfter([](json& v) { v["offset"] = 0; }), "layout.offset: expected an array, got 0");
  EXPECT_EQ(SentenceAfter([](json& v) { v["cuts"][1] = 7; }), "layout.cuts[1]: expected an array, got 7");
  EXPECT_EQ(SentenceAfter([](json& v) { v["cuts"][1][2] = "8"; }), "layout.cuts[1][2]: expected an integer, got \"8\"");
  EXPECT_EQ(SentenceAfter([](json& v) { v["buckets"][0]["cap"] = 1; }), "layout.buckets[0].cap: unknown field");
  EXPECT_EQ(SentenceAfter([](json& v) { v["buckets"][1]["parameters"][0] = -1; }),
            "layout.buckets[1].parameters[0]: expected the index of a parameter, got -1");
  EXPECT_EQ(SentenceAfter([](json& v) { v["offset"][2] = 6; }), "layout: parameters 1 and 2 overlap at element 6");
  EXPECT_EQ(SentenceAfter([](json& v) { v["cuts"][1][1] = 7; }),
            "layout: plan padded: expected equal parts of cut 1, got 1 elements for shard 0 and 3 for shard 1");
}

class LayoutFile : public testing::Test {
 protected:
  LayoutFile() : folder_(testing::TempDir() + "layout_file_test") { std::filesystem::create_directories(folder_); }
  ~LayoutFile() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  std::string SentenceOfLoading(const std::string& name) const {
    try {
      LoadLayout(Path(name));
    } catch (const std::runtime_error& wrong) {
      return wrong.what();
    }
    return "none";
  }

 private:
  const std::filesystem::path folder_;
};

TEST_F(LayoutFile, ReadsBackToTheSameValue) {
  const Layout layout = MakeLayout(RequestOf("balanced", {5, 1, 4}, 3));
  SaveLayout(layout, Path("layout.json"));
  EXPECT_EQ(LoadLayout(Path("layout.json")), layout);
}

TEST_F(LayoutFile, NamesTheFileThatIsWrong) {
  std::ofstream(Path("half.json")) << "{\"plan\": ";
  std::ofstream(Path("list.json")) << "[]";
  EXPECT_EQ(SentenceOfLoading("none.json"),
            "layout file " + Path("none.json") + ": expected a file that can be read; check the path");
  EXPECT_EQ(SentenceOfLoading(""), "layout file " + Path("") + ": expected a file that can be read; check the path");
  EXPECT_EQ(SentenceOfLoading("half.json"),
            "layout file " + Path("half.json") +
                ": line 1, column 10: expected a value, got the end of the text; save the layout again");
  EXPECT_EQ(SentenceOfLoading("list.json"),
            "layout file " + Path("list.json") + ": layout: expected an object, got []");
  EXPECT_THROW(SaveLayout(Layout(), Path("no_folder/layout.json")), std::runtime_error);
}

}  // namespace
}  // namespace zerocts::engine
