// Every bad input gets one sentence and its exit code.
#include <algorithm>
#include <vector>

#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

struct BadInput {
  const char* arguments;
  std::vector<const char*> phrases;  // of the one line on stderr
  const char* variables = "";
  int exit_code = 2;
};

constexpr const char* kOneGpuOfCtest =
    "CTEST_RESOURCE_GROUP_COUNT=1 CTEST_RESOURCE_GROUP_0=gpus CTEST_RESOURCE_GROUP_0_GPUS='id:0,slots:1'";

const std::vector<BadInput> kBadInputs = {
    // world sizes
    {"check --ranks 0", {"--ranks", "expected whole numbers from 1", "got '0'"}},
    {"check --ranks -1", {"--ranks", "got '-1'"}},
    {"check --ranks=-1", {"--ranks", "got '-1'"}},
    {"check --ranks two", {"--ranks", "got 'two'"}},
    {"check --ranks 2,x", {"--ranks", "got 'x'"}},
    {"check --ranks ,", {"--ranks", "at least one"}},
    {"check --ranks 4-2", {"--ranks", "got '4-2'"}},
    {"check --ranks 1-", {"--ranks", "got '1-'"}},
    {"check --ranks 1-99999999", {"--ranks", "got '1-99999999'"}},
    {"--dry-run check --subject torch-fsdp2 --replicas 2 --precision fp16",
     {"--precision: expected fp32 or bf16, got 'fp16'"}},
    {"--dry-run check --cases 0", {"--cases", "got '0'"}},
    {"--dry-run check --deadline soon", {"--deadline", "got 'soon'"}},
    {"--dry-run check onwership", {"onwership", "did you mean ownership?"}},
    {"check --ranks 99999999999999999999", {"--ranks", "got '99999999999999999999'"}},
    {"check --ranks 1500 --subject native --launcher threads", {"--ranks", "native", "got 1500"}},
    {"check --ranks 1000000", {"--ranks", "MiB", "got 1000000", "choose fewer"}},
    {"check --launcher local", {"got '0'"}, "ZEROCTS_RANKS=0"},
    // names
    {"", {"expected a subcommand (check, ", "got none"}},
    {"chekc", {"expected a subcommand", "got 'chekc'", "did you mean check?"}},
    {"check --subjects native", {"expected an option of check", "got '--subjects'", "--subject"}},
    {"check --rank 3", {"expected an option of check", "got '--rank'", "--ranks"}},
    {"check --subject ./mine.so", {"expected a subject of ", "got \"./mine.so\" (did you mean plugin:./mine.so?)"}},
    {"check --subject mine.py", {"expected a subject of ", "got \"mine.py\" (did you mean exec:\"python3 mine.py\"?)"}},
    {"subjects nativ", {"expected a subject of ", "got \"nativ\" (did you mean native?)"}},
    {"check --subject nativ", {"expected a subject of ", "got \"nativ\" (did you mean native?)"}},
    {"check --subject torch-fdsp2", {"(did you mean torch-fsdp2"}},
    {"check --subject fsdp2", {"got \"fsdp2\" (did you mean torch-fsdp2"}},
    {"--dry-run check --subject fsdp2", {"got \"fsdp2\" (did you mean torch-fsdp2"}},
    {"check torch-fsdp2", {"got 'torch-fsdp2'", "(did you mean --subject torch-fsdp2?)"}},
    {"check native", {"got 'native'", "(did you mean --subject native?)"}},
    {"check plugin:mine.so", {"(did you mean --subject plugin:mine.so?)"}},
    {"check smoke", {"got 'smoke'", "(did you mean --tier smoke?)"}},
    {"test", {"expected a subcommand", "got 'test'", "(did you mean check?)"}},
    {"check --launcher thread", {"--launcher: expected local, threads", "got 'thread' (did you mean threads?)"}},
    {"check --launcher mpi", {"--launcher: expected local", "got 'mpi' (did you mean mpirun?)"}},
    {"check --launcher local,mpi", {"got 'mpi' (did you mean mpirun?)"}},
    {"replay a.json --launcher mpi", {"got 'mpi' (did you mean mpirun?)"}},
    {"check --precision float32", {"--precision: expected fp32 or bf16, got 'float32' (did you mean fp32?)"}},
    {"run --precision bfloat16", {"--precision: expected fp32 or bf16, got 'bfloat16' (did you mean bf16?)"}},
    {"run --model gpt2", {"--model: expected mlp, tiny, small or gpt2-124m, got 'gpt2' (did you mean gpt2-124m?)"}},
    {"check", {"--precision", "got 'float32' (did you mean fp32?)"}, "ZEROCTS_PRECISION=float32"},
    {"check --launcher telepathy", {"telepathy", "mpirun"}},
    {"check onwership", {"onwership", "did you mean ownership?"}},
    {"check C-ZERO-999", {"C-ZERO-999", "matches nothing"}},
    {"list C-ZERO-999", {"C-ZERO-999", "matches nothing"}},
    {"explain C-ZERO-999", {"C-ZERO-999", "did you mean"}},
    {"check ''", {"CLAUSE|FAMILY", "expected at least one word, got ''"}},
    {"check ,", {"CLAUSE|FAMILY", "expected at least one word, got ','"}},
    {"explain ''", {"expected at least one word"}},
    {"check --subject ''", {"--subject", "expected at least one word, got ''"}},
    {"check --out ''", {"--out", "expected at least one word"}},
    {"train --text '' --steps 1", {"--text", "expected at least one word"}},
    {"list", {"ZEROCTS_RANKZ", "did you mean", "ZEROCTS_RANKS"}, "ZEROCTS_RANKZ=3"},
    // values
    {"check --precision fp8", {"--precision", "bf16", "got 'fp8'"}},
    {"check --stage 4", {"--stage", "expected 0, 1, 2 or 3", "got '4'"}},
    {"check --plan contigous --launcher threads",
     {"--plan", "which subject native declares", "got 'contigous' (did you mean contiguous"}},
    {"check --strategy full_shard", {"--strategy", "got 'full_shard' (did you mean FullShard?)"}},
    {"check --strategy FullShard,NoShard", {"--strategy", "got 'FullShard,NoShard'"}},
    {"check --strategy HybridShard --ranks 1 --launcher threads",
     {"--strategy: expected NoShard, ShardGradOp or FullShard", "1 ranks allow", "got 'HybridShard'"}},
    {"check --replicas 2 --ranks 3 --launcher threads", {"--replicas: expected 1 or 3", "3 ranks allow", "got '2'"}},
    {"check --offload ful", {"--offload: expected none, params or full, got 'ful' (did you mean full?)"}},
    {"check --overlap yes", {"--overlap: expected any, off or on, got 'yes'"}},
    {"check --require zero-4", {"--require: expected profiles (zero-1", "got 'zero-4' (did you mean zero-1"}},
    {"check --without stage=7 --launcher threads",
     {"--without: expected tensor=1", "which subject native declares", "got 'stage=7' (did you mean stage="}},
    {"check --without stage=0,stage=1,stage=2,stage=3 --launcher threads",
     {"--without stage=0", "got what leaves none"}},
    {"check --optimizer adamv", {"--optimizer: expected sgd, adamw, adam or lamb", "did you mean adamw"}},
    {"check --order rang", {"--order: expected any, rank, ring, tree or probed", "did you mean"}},
    {"check --order probed --launcher threads", {"--order", "which subject native declares", "got 'probed'"}},
    {"check --strategy FullShard --replicas 2 --launcher threads",
     {"--strategy FullShard --replicas 2: expected what a case of the", "got what leaves none"}},
    {"check C-ZERO-010 --optimizer lamb --launcher threads", {"--optimizer lamb", "the 1 chosen clauses"}},
    {"check --seed soon", {"--seed: expected random or a whole number", "got 'soon'"}},
    {"check --seed 1,2", {"--seed", "belongs to --require", "got '1,2'"}},
    {"check --require zero-1 --seed 2,2", {"--seed", "two different seeds", "got 2 twice"}},
    {"check --cases 0", {"--cases", "got '0'"}},
    {"check --time-budget 5", {"--time-budget", "its unit, such as 5s, 5m or 5h", "got '5'"}},
    {"check --time-budget soon", {"--time-budget", "90s", "got 'soon'"}},
    {"check --deadline 0", {"--deadline", "got '0'"}},
    {"check --deadline 25h", {"--deadline", "at most 24h", "got '25h'"}},
    {"check --start-deadline 0", {"--start-deadline", "90s", "got '0'"}},
    {"check --start-deadline soon", {"--start-deadline", "90s", "got 'soon'"}},
    {"check --shutdown-deadline 1d", {"--shutdown-deadline", "90s", "got '1d'"}},
    {"check", {"--shutdown-deadline", "got '-1'"}, "ZEROCTS_SHUTDOWN_DEADLINE=-1"},
    {"check --jobs 0", {"--jobs", "got '0'"}},
    {"check --tier enormous", {"--tier", "smoke", "got 'enormous'"}},
    {"mutants M20 --tier enormous", {"--tier", "smoke", "got 'enormous'"}},
    {"mutants --logs .", {"--logs", "--diagnose or --record"}},
    {"mutants --logs missing --diagnose", {"--logs", "M20-seed-1/results.ndjson", "got 'missing'"}},
    {"check --option verbose", {"--option", "key=value", "got 'verbose'"}},
    {"check --option verbose=1",
     {"--option", "expected what native can have with 4 ranks under local", "got verbose=1",
      "this subject has: comm="}},
    {"check --launcher threads --option comm=mpi", {"under threads", "got comm=mpi", "it says: "}},
    {"check --device abacus", {"--device", "got device=abacus", "host"}},
    {"check --device cuda --launcher threads", {"--device", "got device=cuda", "it says: "}, "CUDA_VISIBLE_DEVICES="},
    // GPUs
    {"gpus --ctest-spec missing/gpus.json", {"cannot write missing/gpus.json"}},
    {"gpus --at-least none", {"--at-least", "got 'none'"}},
    {"gpus -- no-such-program", {"gpus -- PROGRAM", "got 'no-such-program'"}, kOneGpuOfCtest},
    {"check --device cuda --option gpu=rank --ranks 2,3",
     {"CTest gave this test GPUs, 1, got 3", "ask for 3,gpus:1"},
     kOneGpuOfCtest},
    {"check --device cuda",
     {"CTEST_RESOURCE_GROUP_0 is not set: expected it from ctest"},
     "CTEST_RESOURCE_GROUP_COUNT=1"},
    {"check --corpus missing", {"--corpus", "got 'missing'"}},
    {"check --corpus corpus", {"--corpus corpus", "named after clauses", "got 'C-ZERO-999'", "would not run"}},
    // variables that are no options
    {"check C-ZERO-001", {"ZEROCTS_THREADS", "from 1 to 256", "got '-1'"}, "ZEROCTS_THREADS=-1"},
    {"list", {"ZEROCTS_KERNELS", "'sse9'", "portable"}, "ZEROCTS_KERNELS=sse9"},
    {"check C-ZERO-001", {"ZEROCTS_NCCL_LIBRARY", "got 'missing.so'", "unset it"}, "ZEROCTS_NCCL_LIBRARY=missing.so"},
    {"check C-ZERO-001", {"ZEROCTS_CUBLAS_LIBRARY", "got 'folder'"}, "ZEROCTS_CUBLAS_LIBRARY=folder"},
    // frameworks
    {"check --subject torch-fsdp", {"torch-fsdp2"}},
    {"check --subject torch-fsdp2 --version newest", {"--version", "such as 2.", "got 'newest'"}},
    {"check --subject torch-fsdp2 --python /nonexistent", {"--python", "got /nonexistent"}},
    {"check --subject torch-fsdp2 --device cuda", {"--device cuda", "--python PATH", "for CPUs"}},
    {"check --subject torch-fsdp2 --device sim", {"--device", "cpu or cuda", "got sim"}},
    {"check --subject native --version 2.13", {"--version", "torch-fsdp2", "got subject \"native\""}},
    {"check --subject native --python python3", {"--python", "leave it out"}},
    {"check --subject torch-fsdp2", {"expected python3 in PATH"}, "PATH=/nowhere"},
    // how ranks start
    {"check --subject exec:no-such-program", {"not found", "exited with 127"}},
    {"check --subject exec:true --launcher threads", {"--launcher threads", "expected a plugin"}},
    {"check --subject native --launcher command", {"--launcher command", "exec:COMMAND"}},
    {"check --subject exec:true --launcher command", {"{world_size}", "--ranks"}},
    // expectations
    {"check C-ZERO-001 --ranks 1 --expect missing.json", {"--expect", "missing.json"}},
    {"check C-ZERO-001 --ranks 1 --expect plain.txt",
     {"--expect plain.txt", "line 1, column 1: expected a value, got \"no\""}},
    {"check --fix-expectations", {"expected --expect FILE"}},
    {"check C-ZERO-001 --fix-expectations --expect new.json", {"got 1 chosen clause; ", "leave out the options"}},
    // plugins
    {"check --subject plugin:missing.so", {"missing.so"}},
    {"check --subject plugin:plain.txt", {"plain.txt"}},
    {"check --subject plugin:folder", {"folder"}},
    {"check --subject plugin:" ZEROCTS_NO_SUBJECT, {"zerocts_subject_v1"}},
    {"check --subject plugin:" ZEROCTS_WRONG_MAJOR, {"ABI", "2", "1"}},
    // files
    {"train --text missing.txt --steps 1", {"missing.txt"}},
    {"train --text folder --steps 1", {"folder"}},
    {"train --text empty.txt --steps 1", {"empty.txt"}},
    {"train --text binary.txt --steps 1", {"binary.txt"}},
    {"train --text plain.txt --model tiny --context 5000 --steps 1", {"plain.txt", "more than 5000 tokens", "longer"}},
    {"train --model rnn --steps 1", {"--model", "tiny, small or gpt2-124m", "got 'rnn'"}},
    {"train --experiment missing.json", {"--experiment", "missing.json"}},
    {"train --experiment plain.txt", {"--experiment", "plain.txt"}},
    {"train --experiment cut.json", {"--experiment", "cut.json"}},
    {"train --experiment foreign.json", {"--experiment", "foreign.json", "experiment"}},
    {"train --experiment cut.json --steps 3", {"--experiment", "--steps"}},
    {"train --layers 3 --steps 1", {"--layers", "expected a gpt model", "got mlp"}},
    {"train --model tiny --heads 5 --steps 1", {"model.gpt.heads", "divisor of the width 64", "got 5"}},
    {"train --model tiny --heads 4 --kv-heads 3 --steps 1", {"model.gpt.kv_heads", "divisor of the heads 4", "got 3"}},
    {"train --model mlp --kv-heads 2 --steps 1", {"--kv-heads", "gpt model"}},
    {"train --model tiny --experts 2 --steps 1", {"--experts", "expected the model mlp", "got a gpt"}},
    {"train --experts 2 --steps 1", {"--experts", "a divisor of the number of data ranks 1", "got 2"}},
    {"train --model tiny --slices 3 --steps 1", {"model.gpt.slices", "divisor of the heads 2", "got 3"}},
    {"train --model tiny --vocab 0 --steps 1", {"--vocab", "from 1", "got '0'"}},
    {"train --optimizer adamx --steps 1", {"--optimizer", "adamw", "got 'adamx'"}},
    {"train --threads 0 --steps 1", {"--threads", "from 1", "got '0'"}},
    {"train --tensors plain.txt --steps 1", {"--tensors", "plain.txt", "choose another place"}},
    {"run --ranks 3 --tensor 2 --steps 1", {"--tensor", "divisor of the 3 ranks", "got 2"}},
    {"run --model mlp --sequence-parallel --steps 1", {"--sequence-parallel", "gpt", "got mlp"}},
    {"run --ranks 0 --steps 1", {"--ranks", "from 1", "got '0'"}},
    {"run --stage 4 --steps 1", {"--stage", "got '4'"}},
    {"run --order ring --steps 1", {"--order", "tree or rank", "got ring", "--alone"}},
    {"run --offload half --steps 1", {"--offload", "none, params or full", "got 'half'"}},
    {"run --launcher local,threads --steps 1", {"--launcher", "one launcher", "got 'local,threads'"}},
    {"run --subject minimal --optimizer lamb --steps 1", {"minimal", "lamb", "sgd", "zerocts subjects"}},
    {"run --text missing.txt --steps 1", {"missing.txt"}},
    {"replay missing.json", {"missing.json"}},
    {"replay folder", {"folder"}},
    {"replay empty.txt", {"empty.txt"}},
    {"replay cut.json", {"cut.json"}},
    {"replay deep.json", {"deep.json", "at most 64 levels"}},
    {"train --experiment deep.json", {"--experiment", "deep.json", "at most 64 levels"}},
    {"check --expect deep.json", {"--expect deep.json", "at most 64 levels"}},
    {"check --expect twice.json", {"--expect twice.json", "got \"subject\" twice"}},
    {"check --expect foreign.json", {"--expect foreign.json", "file.subject: expected this field"}},
    {"diff deep.json deep.json", {"deep.json", "line 1 is no header record", "at most 64 levels"}},
    {"replay foreign.json", {"foreign.json"}},
    {"replay", {"CASE"}},
    {"report missing", {"got missing, which does not exist"}},
    {"diff missing folder", {"got missing, which is not there"}},
    {"plan cost --model missing/model.json --ranks 2", {"got 'missing/model.json', a file that does not exist"}},
    {"report plain.txt", {"plain.txt", "line 1"}},
    {"report folder", {"results.ndjson"}},
    {"report plain.txt folder", {"expected one run, got 2", "--matrix"}},
    {"report folder --matrix page.html", {"results.ndjson"}},
    {"report folder --matrix page.html --junit a.xml", {"--junit", "--matrix"}},
    {"diff plain.txt plain.txt", {"plain.txt", "trace"}},
    {"check C-ZERO-001 --ranks 2 --cases 1 --launcher local --out plain.txt/results", {"plain.txt/results"}},
    // the machine
    {"check --launcher mpirun", {"expected mpirun on the PATH", "--launcher local"}, "PATH=/nowhere"},
};

TEST_F(Program, BadInputGetsOneSentence) {
  for (const BadInput& bad : kBadInputs) {
    SCOPED_TRACE(std::string(bad.variables) + " zerocts " + bad.arguments);
    const Ended ended = Run(bad.arguments, bad.variables);
    EXPECT_EQ(ended.exit_code, bad.exit_code);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(ended.err.rfind("zerocts: ", 0), 0u) << ended.err;
    for (const char* phrase : bad.phrases)
      EXPECT_NE(ended.err.find(phrase), std::string::npos) << phrase << "\n" << ended.err;
  }
}

}  // namespace
}  // namespace zerocts
