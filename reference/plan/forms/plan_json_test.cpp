#include "reference/plan/forms/plan_json.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "reference/plan/for_test/plans.hpp"

namespace zerocts::plan {
namespace {

std::string ComplaintAbout(const std::string& text) {
  try {
    PlanFromText(text);
    return "none";
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
}

/// A sound plan with one field replaced, or removed.
std::string With(const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json plan = nlohmann::json::parse(JsonText(DividedBy(Each(Even{}), 2, TensorsOf({{4}, {2, 3}}))));
  plan[nlohmann::json::json_pointer(pointer)] = value;
  return plan.dump();
}

TEST(PlanJson, KeepsEveryField) {
  Plan plan = DividedBy(Flat(Even{}), 4, TensorsOf({{3}, {2, 2}, {5}, {5}}));
  plan.mesh = {{{"replicate", 2}, {"shard", 2}}};
  plan.alignment = 2, plan.balance = 7;
  plan.model[1].dtype = Dtype::kBf16, plan.model[1].frozen = true, plan.model[2].group = 3, plan.model[3].tied_to = 2;
  Division& flat = plan.shardings[0].divisions[0];
  flat.tensors = {{0, 2}, {3, 4}};
  flat.parts = 3, flat.offset_alignment = 4, flat.length = 24, flat.offsets = {0, 4, 8};
  flat.exceptions = {{1, Ceil{.part = 5}}};
  Division affine = Each(Affine{{{1, {2, 1}, 3, 4, {1, 1}, {1, 1}, {0, 1}, 0.5}}, {7, 8}});
  affine.tensors = {{2, 3}};
  Division intervals = Each(Intervals{{{0, 2, 5, 1}, {2, 3, Interval::kBehindTheLast, 0}}});
  intervals.tensors = {{0, 1}};
  plan.shardings.push_back(
      {{"replicate", "shard"},
       {affine, intervals, Each(Rows{1, 2}), Each(Ceil{}), Each(Owners{{0, 1}}), Each(BlockCyclic{6})}});
  plan.sharding_of = {Plan::kWhole, 0, 1};
  EXPECT_EQ(PlanFromText(JsonText(plan)), plan) << JsonText(plan);
  plan.sharding_of = {0, 0, 1};
  EXPECT_EQ(PlanFromText(JsonText(plan)), plan);
}

TEST(PlanJson, TakesTensorsByName) {
  const std::string text = With("/parameters/divisions/0/tensors", {"p1", "p0"});
  EXPECT_EQ(PlanFromText(text).shardings[0].divisions[0].tensors, (std::vector<TensorRange>{{1, 2}, {0, 1}}));
}

TEST(PlanJson, SaysWhatIsWrong) {
  const std::string division = "/parameters/divisions/0";
  EXPECT_EQ(ComplaintAbout("{\"format\": "), "line 1, column 12: expected a value, got the end of the text");
  EXPECT_EQ(ComplaintAbout("[]"), "plan: expected an object, got []");
  EXPECT_EQ(ComplaintAbout(With("/format", "layout")), "plan.format: expected \"zerocts-plan\", got \"layout\"");
  EXPECT_EQ(ComplaintAbout(With("/version", 2)), "plan.version: expected 1, the version that this build reads, got 2");
  EXPECT_EQ(ComplaintAbout(With("/gradients", "optimizer")),
            "plan.gradients: expected \"whole\", the name of a state before it, or a sharding, got \"optimizer\"");
  EXPECT_EQ(ComplaintAbout(With("/colour", 1)), "plan.colour: unknown field");
  EXPECT_EQ(ComplaintAbout(With(division + "/rule", "odd")),
            "plan.parameters.divisions[0].rule: expected even, ceil, rows, owners, block-cyclic, intervals or affine, "
            "got \"odd\"");
  EXPECT_EQ(ComplaintAbout(With(division + "/tensors", {"p7"})),
            "plan.parameters.divisions[0].tensors[0]: expected the name of a tensor of the model, got \"p7\"");
  EXPECT_EQ(ComplaintAbout(With("/parameters/axes", {"data"})),
            "plan: a state is divided along axis data: expected an axis of the mesh, shard 2");
  EXPECT_EQ(ComplaintAbout(With("/model/0/shape", {int64_t{1} << 30, int64_t{1} << 30})),
            "plan: the model has more than 2^56 elements, by tensor p0");
  EXPECT_EQ(ComplaintAbout(With("/model/0/shape", {-1})),
            "plan: tensor p0 has shape [-1]: expected up to 16 sizes of at least 0");
  EXPECT_EQ(ComplaintAbout(With("/model/0/shape", {1e30})), "plan.model[0].shape[0]: expected an integer, got 1e+30");
  EXPECT_EQ(ComplaintAbout(With("/model/0/name", "p1")), "plan: the model has tensor p1 twice");
  EXPECT_EQ(ComplaintAbout(With("/model/1/tied_to", "p1")),
            "plan: tensor p1 is tied to tensor 1: expected the index of one that is no other name itself");
  EXPECT_EQ(ComplaintAbout(With("/mesh/0/size", 0)),
            "plan.mesh[0].size: expected an integer from 1 to 2147483647, got 0");
  EXPECT_EQ(ComplaintAbout(With("/mesh/0/size", 2147483647)), "plan: the mesh has more than 2^24 ranks");
}

/// Every field that is written or read has a place and a comment in the schema.
TEST(PlanJson, HasASchemaWithAllItsFields) {
  std::ifstream file(ZEROCTS_PLAN_SCHEMA);
  const auto schema = nlohmann::json::parse(file);
  const auto has = [&](const nlohmann::json& properties, std::vector<const char*> names) {
    for (const char* name : names) EXPECT_TRUE(properties.contains(name)) << name;
    EXPECT_EQ(properties.size(), names.size());
  };
  has(schema["properties"], {"format", "version", "planner", "mesh", "alignment", "balance", "parameters", "gradients",
                             "optimizer", "model"});
  const nlohmann::json& defs = schema["$defs"];
  has(defs["tensor"]["properties"], {"name", "shape", "dtype", "group", "frozen", "tied_to"});
  has(defs["division"]["properties"],
      {"tensors", "flat", "rule", "part", "dimension", "owners", "block", "intervals", "pieces", "shard_numel", "parts",
       "offset_alignment", "offsets", "length", "exceptions"});
  has(defs["pieces"]["items"]["properties"], {"shard", "shape", "source", "dest", "locations", "scale"});
  EXPECT_EQ(schema["properties"]["version"]["const"], kFormatVersion);
}

}  // namespace
}  // namespace zerocts::plan
