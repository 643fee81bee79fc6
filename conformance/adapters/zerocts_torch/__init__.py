"""What adapters of torch frameworks share. Import it before torch: it sets what torch reads when it is loaded."""

import gc
import os

gc.disable()  # while a framework is imported it would visit each of its objects many times; run() enables it
# On Intel's CPUs MKL's square root for AVX2 is the nearest float, its one for AVX-512 is not; for others see
# square_root.py.
os.environ.setdefault("MKL_ENABLE_INSTRUCTIONS", "AVX2")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # ranks share the cores
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS is deterministic with workspaces of its own
os.environ.setdefault(
    "TORCH_NCCL_ASYNC_ERROR_HANDLING", "0"
)  # a rank that hangs is the conductor's to end, which says where it stands
