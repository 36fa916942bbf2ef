"""What a simulator of a serving system asks, as price.c does: python3 price.py SCENARIO"""

import sys
import time

import fabricast

cluster = fabricast.Pricer(sys.argv[1])
sizes = [16384 + 4096 * (i % 997) for i in range(20_000)]
seconds = cluster.price("all_reduce", sizes, nodes=1, gpus_per_node=8)  # the first call fills the grid
begun = time.perf_counter()
for size in sizes:
    cluster.price("all_reduce", size, nodes=1, gpus_per_node=8)
each = (time.perf_counter() - begun) / len(sizes)
print(f"an all-reduce takes {1e6 * seconds.mean():.1f} us on average; asking takes {1e6 * each:.2f} us")

arrived = cluster.price_transfers([("node0.gpu0", "node1.gpu0", 64 << 20), ("node0.gpu1", "node1.gpu1", 64 << 20)])
print("the caches arrive after " + " and ".join(f"{1e6 * at:.0f}" for at in arrived) + " us")
