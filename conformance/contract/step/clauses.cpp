// Step: the optimizer's own arithmetic, its counters and its hyper-parameters.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> StepClauses() {
  return {
      {
          .id = "C-ZERO-050",
          .name = "T-step equivalence",
          .family = "step",
          .sentence = "After ten steps and more, parameters, master weights, moments and losses are those of "
                      "training in one process.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "AdamW, SGD and SGD with momentum over random gradients added in the declared order, and training "
                 "of a language model on real text, with accumulation, active clipping and a changing learning rate. "
                 "A subject without a declared order gets exact gradients.",
          .bugs = {{"The optimizer held on to parameters from before sharding and trained those.",
                    "https://github.com/pytorch/pytorch/issues/149205"},
                   {"State made early was keyed by the old parameters and lost when they were replaced.",
                    "https://github.com/hpcaitech/ColossalAI/pull/6433"},
                   {"Weights were not refreshed after the step; a tolerance of 1 % over three steps hid it.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/6336"}},
          .features = {"adamw", "momentum", "accumulation", "clip_active", "lr_change", "multi_group",
                       "random_gradients", "model_on_text"},
          .needs = {"missing gradients"},
          .mutants = {"M78", "M79", "M140", "M203", "M205"},
      },
      {
          .id = "C-ZERO-051",
          .name = "step count and bias correction",
          .family = "step",
          .sentence = "The step count of every group starts at zero, grows by one per applied step and belongs to no "
                      "other group.",
          .fidelity = Fidelity::kExactInputs,
          .how = "AdamW with eps near zero, so that the first update is lr times the sign of the gradient, and the "
                 "following ones by the reference; several groups, an empty one among them. A wrong count is named.",
          .bugs = {{"An optimizer step over dummy gradients at construction advanced the counter.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/5104"},
                   {"Sub-groups shared one Adam step counter, advanced once for each.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/1823"},
                   {"The counter was kept on the last active parameter and used for its whole dtype.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8471"},
                   {"Initialising state left the counter at one.", "https://github.com/pytorch/torchtitan/pull/4382"},
                   {"Groups without parameters never got a step count.",
                    "https://github.com/NVIDIA/TransformerEngine/pull/3318"}},
          .features = {"adamw", "multi_group", "empty_group", "multi_step"},
          .needs = {"missing gradients: a parameter that joins late", "overflow skip: a skipped step is not counted"},
          .mutants = {"M72", "M73"},
      },
      {
          .id = "C-ZERO-052",
          .name = "hyper-parameter propagation",
          .family = "step",
          .sentence = "A learning rate, weight decay, momentum or beta that is changed between two steps holds from "
                      "the next step on, for its group, on every rank.",
          .fidelity = Fidelity::kExactInputs,
          .how = "The learning rate is doubled or halved and the others change between steps, group by group. When a "
                 "run differs from the reference, it is compared with runs in which the changes are ignored, come "
                 "one step late or come from the first group.",
          .bugs = {{"The inner optimizer worked on copies of the groups and never saw a new learning rate.",
                    "https://github.com/facebookresearch/fairscale/pull/58"},
                   {"Loading replaced the groups, and the scheduler went on changing the old ones.",
                    "https://github.com/NVIDIA/apex/issues/766"},
                   {"A scheduler returned one learning rate for many groups.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7969"},
                   {"Named groups were built without their learning-rate mapper.",
                    "https://github.com/huggingface/nanotron/commit/ea196963"}},
          .features = {"lr_change", "hyper_change", "multi_group", "sgd", "adamw"},
          .mutants = {"M74", "M75", "M137"},
      },
      {
          .id = "C-ZERO-053",
          .name = "parameter-group fidelity",
          .family = "step",
          .sentence = "Each parameter is updated with the hyper-parameters of its own group, however groups are "
                      "flattened and divided.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Up to four groups whose parameters alternate, with their own rates, decays, momenta, dampening and "
                 "Nesterov; buckets of all sizes.",
          .bugs = {{"Groups for weight decay were lost when parameters were flattened.",
                    "https://github.com/huggingface/accelerate/pull/2177"},
                   {"Group data were lost when parameters were divided into sub-groups.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7906"}},
          .features = {"multi_group", "empty_group", "nesterov"},
          .needs = {"extra keys of groups"},
          .mutants = {"M170", "M203"},
      },
      {
          .id = "C-ZERO-054",
          .name = "frozen parameters",
          .family = "step",
          .sentence = "A frozen parameter keeps its bits: no update, no decay, no moments, no step count; thawed, it "
                      "goes on where it stood.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Parameters are frozen at the beginning, in the middle and at the end of a run, under weight decay "
                 "and clipping.",
          .bugs = {{"requires_grad was not passed on to the flat parameter.",
                    "https://github.com/facebookresearch/fairscale/pull/721"},
                   {"A step on zero gradients counted as the first.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/5976"},
                   {"The state of parameters that were frozen later was dropped.",
                    "https://github.com/pytorch/pytorch/issues/192202"}},
          .features = {"frozen", "thawed", "weight_decay"},
          .needs = {"frozen parameters have no state at all"},
          .mutants = {"M158"},
      },
      {
          .id = "C-ZERO-055",
          .name = "non-elementwise optimizers",
          .family = "step",
          .sentence = "An optimizer that needs a whole tensor (LAMB) equals the reference or is refused; it never "
                      "works on fragments.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Two-dimensional parameters that shards cut anywhere; the step length of every parameter shows in "
                 "its update.",
          .bugs = {{"LAMB and LARS took the norms of arbitrary pieces for those of layers.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/490"},
                   {"Muon worked on matrices that were only partly reduced.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/7807"}},
          .features = {"lamb", "boundary_inside"},
          .needs = {"Adafactor, Muon, Shampoo"},
          .mutants = {"M159"},
      },
      {
          .id = "C-ZERO-056",
          .name = "master weights",
          .family = "step",
          .sentence = "With bf16 parameters, updates below their resolution add up in fp32 master weights, and the "
                      "parameter is the rounded master.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Eight steps and more whose updates are far below half a unit of bf16; masters and parameters are "
                 "compared in every step.",
          .bugs = {{"bf16 parameters without master weights could not move.",
                    "https://github.com/NVIDIA/Model-Optimizer/pull/2322"},
                   {"Masters were made from low-precision parameters.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/2058"}},
          .features = {"bf16", "multi_step"},
          .mutants = {"M171"},
      },
      {
          .id = "C-ZERO-058",
          .name = "real training",
          .family = "step",
          .sentence = "Real batches through a real model, forward and backward included, leave losses, gradients and "
                      "parameters within a derived bound of exact arithmetic, and the same bits on every rank.",
          .fidelity = Fidelity::kBounded,
          .how = "The subject itself trains a small MLP on text by SGD. The same training is walked in double, where "
                 "every operation also carries what fp32 may err in any order of addition; a failure prints the bound "
                 "and its parts. Gradients depend on the parameters here, so forward or backward with stale or wrongly "
                 "gathered ones shows.",
          .bugs = {{"Forward read weights of the step before where modules ran in another order than their buckets.",
                    "https://github.com/NVIDIA/Megatron-LM/issues/950"},
                   {"With parameters gathered beside the computation the loss did not fall.",
                    "https://github.com/NVIDIA/Megatron-LM/issues/663"},
                   {"A released parameter was taken for gathered, and an empty weight was multiplied.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/8486"}},
          .features = {"real_training", "accumulation", "multi_step", "momentum", "uneven"},
          .needs = {"bf16", "models other than the mlp", "optimizers that divide by a moment"},
          .mutants = {"M180"},
      },
      {
          .id = "C-ZERO-059",
          .name = "self parity",
          .family = "step",
          .sentence = "A subject on W ranks has the bits of the same subject on one rank that is given the same global "
                      "batches: parameters, optimizer states, norms and losses after every step.",
          .fidelity = Fidelity::kSelfParity,
          .how = "W ranks with K micro-batches, then one rank with W * K: its micro-batch g = rank * K + k is theirs. "
                 "With exact gradients every sum has the same bits in any order. Random gradients and models are added "
                 "in an order that one rank has too: rank, with one micro-batch a rank, or tree, with 1, 2 or 4. So "
                 "what differs is not the sum but what was made of it or what it was made of. No reference is asked: "
                 "an optimizer whose formula has no words and models in an arithmetic of their own are judged here "
                 "alone. On one rank the case is run twice.",
          .bugs = {{"A fused optimizer on CPUs rounds the elements behind the last full vector otherwise, so where a "
                    "shard is cut shows in its bits.",
                    "https://github.com/pytorch/pytorch/blob/v2.8.0/aten/src/ATen/native/cpu/FusedAdamKernel.cpp"},
                   {"The step count was kept on the last active parameter of a rank and used for all of its dtype.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8471"},
                   {"Norms of layers were taken of the pieces that a rank holds.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/490"}},
          .features = {"adamw", "adam", "accumulation", "multi_step", "uneven", "random_gradients", "model_on_text"},
          .needs = {"an order of ranks that is known by a probe alone"},
          .mutants = {"M200", "M201", "M202"},
      },
  };
}

}  // namespace zerocts
