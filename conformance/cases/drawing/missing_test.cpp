#include <gtest/gtest.h>

#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

TEST(Missing, NamesWhatIsNotDeclared) {
  const CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  const CaseConditions conditions{3, Precision::kBf16, {}};
  const auto missing = [](CaseSpace s, CaseConditions p, auto change) {
    Capabilities c = EverythingCapable();
    change(c);
    return Missing(s, p, c);
  };
  EXPECT_EQ(missing(space, conditions, [](Capabilities&) {}), "");
  EXPECT_EQ(missing(space, conditions, [](Capabilities& c) { c.max_world_size = 2; }),
            "needs: world size 3 (declared: 1 to 2)");
  EXPECT_EQ(missing(space, conditions, [](Capabilities& c) { c.param_dtypes = {Precision::kFp32}; }), "needs: bf16");
  EXPECT_EQ(missing(space, conditions, [](Capabilities& c) { c.stages.clear(); }),
            "needs: stage 0 or stage 1 or stage 2 or stage 3");
  EXPECT_EQ(missing(space, conditions, [](Capabilities& c) { c.optimizers.clear(); }), "needs: sgd or adamw or adam");
  CaseConditions planned = conditions;
  planned.constraints = {HeldTo("plan", {"hybrid"})};
  EXPECT_EQ(missing(space, planned, [](Capabilities&) {}), "needs: a run without --plan hybrid");
  CaseSpace random = space;
  random.gradients = {GradientSource::kUniform};
  EXPECT_EQ(missing(random, conditions, [](Capabilities& c) { c.reduction_orders.clear(); }),
            "needs: a declared reduction order");
  EXPECT_EQ(missing(ModelSpace(), conditions, [](Capabilities& c) { c.groups = false; }),
            "needs: groups with a reduction order that has a name");
  const CaseConditions fp32{3, Precision::kFp32, {}};
  EXPECT_EQ(missing(BoundedSpace(), fp32, [](Capabilities&) {}), "");
  EXPECT_EQ(missing(BoundedSpace(), conditions, [](Capabilities&) {}), "needs: fp32");
  EXPECT_EQ(missing(BoundedSpace(), fp32, [](Capabilities& c) { c.models = {"gpt"}; }), "needs: groups and models mlp");
  CaseSpace windows = space;
  windows.keep = [](const Case& c) { return c.experiment.micro_batches > 1; };
  EXPECT_EQ(missing(windows, conditions, [](Capabilities& c) { c.accumulation = false; }), "needs: accumulation");
  CaseSpace clipped = space;
  clipped.keep = [](const Case& c) { return c.experiment.max_norm > 0; };
  EXPECT_EQ(missing(clipped, conditions, [](Capabilities& c) { c.clip = false; }), "needs: clip");
  CaseSpace varied = space;
  varied.vary = {"loss"};
  varied.keep = [](const Case& c) { return c.experiment.curvature != 0 || c.experiment.micro_batches > 1; };
  const auto has_neither = [](Capabilities& c) {
    c.accumulation = false;
    c.losses = {LossShape::kLinear};
  };
  EXPECT_EQ(missing(varied, {3, Precision::kFp32, {}}, has_neither), "needs: losses quadratic") << "it is varied";
  CaseSpace meshes = SemanticsOf(space);
  meshes.keep = [](const Case& c) { return c.replicas > 1; };
  EXPECT_EQ(missing(meshes, conditions, [](Capabilities& c) { c.replicas = false; }), "needs: replicas");
  CaseSpace split = ModelSpace();
  split.split_layers = true;
  EXPECT_EQ(missing(split, {2, Precision::kFp32}, [](Capabilities& c) { c.tensor_parallel = {1}; }),
            "needs: tensor_parallel");
  EXPECT_EQ(missing(split, {2, Precision::kFp32}, [](Capabilities&) {}), "");
  EXPECT_EQ(missing(space, {2, Precision::kFp32}, [](Capabilities& c) { c.tensor_parallel = {2}; }),
            "needs: tensor_parallel 1");
  EXPECT_EQ(missing(split, {5, Precision::kFp32}, [](Capabilities&) {}),
            "needs: a number of ranks that tensor ranks divide, not 5");
  EXPECT_EQ(missing(split, {2, Precision::kFp32}, [](Capabilities& c) { c.models.clear(); }),
            "needs: models of its own");
  CaseSpace syncs = SemanticsOf(space);
  syncs.keep = [](const Case& c) { return c.gradient_sync == GradientSync::kEveryMicroBatch; };
  EXPECT_EQ(missing(syncs, conditions, [](Capabilities& c) { c.gradient_sync = {GradientSync::kLastMicroBatch}; }),
            "needs: gradient_sync every_micro_batch");
  CaseSpace scales = SemanticsOf(space);
  scales.keep = [](const Case& c) { return c.experiment.loss_scaling.kind == LossScaleKind::kDynamic; };
  EXPECT_EQ(missing(scales, conditions, [](Capabilities& c) { c.loss_scaling = {LossScaleKind::kStatic}; }),
            "needs: loss_scaling dynamic");
  CaseSpace resumes = space;
  resumes.checkpoint = CheckpointUse::kResume;
  EXPECT_EQ(missing(resumes, conditions, [](Capabilities& c) { c.checkpoint = false; }), "needs: checkpoint");
  CaseSpace reshards = resumes;
  reshards.checkpoint = CheckpointUse::kReshard;
  reshards.gradients = {GradientSource::kIndexCoded};
  EXPECT_EQ(missing(reshards, conditions, [](Capabilities&) {}), "needs: another world size");
  CaseConditions among = conditions;
  among.world_sizes = {2, 3};
  EXPECT_EQ(missing(reshards, among, [](Capabilities&) {}), "");
  EXPECT_EQ(missing(reshards, among, [](Capabilities& c) { c.min_world_size = 3; }), "needs: another world size");
  EXPECT_EQ(missing(reshards, among, [](Capabilities& c) { c.checkpoint_reshard = false; }),
            "needs: checkpoint_reshard");
  CaseSpace impossible = space;
  impossible.keep = [](const Case&) { return false; };
  EXPECT_NE(missing(impossible, conditions, [](Capabilities&) {}).find("needs: more than is declared"),
            std::string::npos);
}

}  // namespace
}  // namespace zerocts
