#!/usr/bin/env python3
"""check_rooms.py finds each kind of planted violation, and only that. usage: check_rooms_test.py CHECK_ROOMS"""

import sys

from tree_for_test import run_on, run_on_faults

GOOD = {
    "reference/numerics/bf16.hpp": "#include <cstdint>\n",
    "reference/ops/ops.hpp": '#include "reference/numerics/bf16.hpp"\n',
    "conformance/host/wire/link.hpp": '#include "conformance/cases/case/case.hpp"\n#include <zmq.hpp>\n',
    "conformance/cases/drawing/generate.hpp": '#include <rapidcheck.h>\n#include "conformance/cases/draws/x.hpp"\n',
    "conformance/host/rank/worker.cpp": '#include "conformance/host/wire/link.hpp"\n',
    "impl/comm/mpi/communicator.cpp": "#include <mpi.h>\n",
    "impl/library/engine.cpp": (
        '#include <zerocts/engine.hpp>\n#include <fmt/format.h>\n#include "impl/stages/engine/x.hpp"\n'
    ),
    "impl/library/zerocts/engine.hpp": "#include <vector>\n#include <zerocts/library/engine.hpp>\n",
    "conformance/meta_tests/consumer_engine/main.cpp": '#include "training.hpp"\n',
    "reference/experiment/json_text.cpp": "Json::sax_parse(text);",
    "conformance/host/wire/protocol_test.cpp": "json::parse(text);",
}
INCLUDES = [  # of headers of ours that are not allowed
    ("reference/numerics/x.hpp", "reference/ops/ops.hpp", "reference/numerics may not include reference/ops"),
    (
        "conformance/cases/case/x.cpp",
        "reference/train/trainer.hpp",
        "conformance/cases may not include reference/train",
    ),
    (
        "conformance/cases/case/x.cpp",
        "conformance/cases/dimensions/dimension.hpp",
        "conformance/cases/case may not include dimensions",
    ),
    (
        "conformance/cases/dimensions/x.cpp",
        "conformance/cases/drawing/draw_case.hpp",
        "conformance/cases/dimensions may not include drawing",
    ),
    ("conformance/check/cost/x.cpp", "impl/layout/layout.hpp", "conformance/check may not include impl/layout"),
    (
        "conformance/cases/case/x.cpp",
        "conformance/host/wire/link.hpp",
        "conformance/cases may not include conformance/host",
    ),
    (
        "conformance/report/log/x.cpp",
        "conformance/report/view/run_view.hpp",
        "conformance/report/log may not include view",
    ),
    (
        "conformance/session/coverage/x.cpp",
        "conformance/session/run/session.hpp",
        "conformance/session/coverage may not include run",
    ),
    (
        "impl/library/zerocts/x.hpp",
        "impl/stages/engine/engine.hpp",
        '"impl/stages/engine/engine.hpp" in a header that is',
    ),
    ("impl/stages/engine/x.cpp", "impl/library/ends.hpp", "impl/stages may not include impl/library"),
    ("impl/device/x.cpp", "impl/comm/communicator.hpp", "impl/device may not include impl/comm"),
    ("impl/stages/engine/x.cpp", "impl/comm/nccl/library.hpp", "impl/comm/nccl is a backend"),
    ("impl/comm/x.cpp", "impl/comm/direct/barrier.hpp", "impl/comm/direct is a backend"),
    ("impl/comm/direct/x.cpp", "impl/comm/mpi/runtime.hpp", "impl/comm/mpi is a backend"),
    ("impl/comm/x.cpp", "impl/comm/for_test/ranks.hpp", "impl/comm/for_test/ranks.hpp is for tests"),
    ("impl/stages/engine/x.cpp", "impl/cuda_on_host/gpu.hpp", "impl/stages may not include impl/cuda_on_host"),
    ("impl/cuda_on_host/x.cpp", "impl/stages/engine/engine.hpp", "cuda_on_host may not include impl/stages"),
    ("impl/stages/engine/x.cpp", "layout.hpp", "is not a path from the root"),
    ("impl/stages/engine/x.cpp", "reference/train/trainer.hpp", "impl/stages may not include reference/train"),
    ("bench/x.cpp", "conformance/contract/clause.hpp", "bench may not include conformance/contract"),
    ("conformance/host/wire/x.cpp", "conformance/host/rank/worker.hpp", "conformance/host/wire may not include rank"),
    (
        "conformance/host/rank/x.cpp",
        "conformance/host/launchers/launcher.hpp",
        "conformance/host/rank may not include launchers",
    ),
    (
        "conformance/host/x.cpp",
        "conformance/host/wire/link.hpp",
        "stands in no folder of conformance/host (system, wire, memory, rank, subjects, launchers, conductor)",
    ),
    (
        "conformance/contract/norm/x.cpp",
        "conformance/session/run/session.hpp",
        "conformance/contract may not include conformance/session",
    ),
]
BAD = [
    *((path, f'#include "{header}"', expected) for path, header, expected in INCLUDES),
    ("reference/numerics/x.hpp", "#include <fmt/format.h>", "<fmt/format.h> is not among"),
    ("conformance/cases/whole/x.cpp", "#include <rapidcheck.h>", "<rapidcheck.h> is not among"),
    ("conformance/report/x.cpp", "#include <vector>", "stands in no folder of conformance/report (log, words,"),
    ("impl/stages/engine/x.cpp", "#include <mpi.h>", "<mpi.h> belongs in a folder or file named for mpi"),
    ("impl/library/zerocts/x.hpp", "#include <fmt/format.h>", "<fmt/format.h> in a header that is installed"),
    ("impl/library/zerocts/x.hpp", "#include <unistd.h>", "<unistd.h> in a header that is installed"),
    ("impl/comm/other/x.cpp", "#include <vector>", "stands in no folder of impl/comm (direct, mpi, nccl, for_test)"),
    ("conformance/host/wire/x.cpp", "json a = nlohmann::json::parse(text);", "parses JSON without limits"),
    ("conformance/contract/norm/x.cpp", "#include <gtest/gtest.h>", "<gtest/gtest.h> is not among"),
    ("reference/other/x.cpp", "#include <vector>", "stands in no room"),
    ("profiler-1.0-py3-none-any.whl", "", "expected at the top only"),
]


def main():
    check = sys.argv[1]
    run_on_faults(GOOD, [({path: include}, expected) for path, include, expected in BAD], check)
    assert run_on({}, check).returncode != 0


if __name__ == "__main__":
    main()
