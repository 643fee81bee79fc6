"""Starts ranks as torchrun does: start_ranks.py WORLD_SIZE SCRIPT ARGUMENT... Each learns who it is from RANK and
WORLD_SIZE; when one fails the others are ended.
"""

import os
import subprocess
import sys
import time

world_size = int(sys.argv[1])
ranks = [
    subprocess.Popen(
        [sys.executable, *sys.argv[2:]], env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(world_size)}
    )
    for rank in range(world_size)
]
while any(rank.poll() is None for rank in ranks) and not any(rank.poll() for rank in ranks):
    time.sleep(0.1)
for rank in ranks:
    rank.terminate()
sys.exit(max(abs(rank.wait(timeout=60)) for rank in ranks))
