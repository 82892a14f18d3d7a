"""Gets from a cachetools cache, for the benchmarks: a line `get` asks for every key five times; `ready` for none. Answers
`ok`."""
import sys
import threading

from cachetools import LRUCache

keys = ["https://images.example.com/collections/2024/landscape/%d/large.jpg?w=1200" % i for i in range(10_000)]
order = [keys[(i * 7919) % 10_000] for i in range(50_000)]
cache, lock = LRUCache(maxsize=20_000), threading.Lock()
for key in keys:
    cache[key] = object()

for line in sys.stdin:
    if line == "ready\n":
        print("ok", flush=True)
        continue
    for key in order:
        # The manual wants a lock around a cache that threads share.
        with lock:
            value = cache[key]
    print("ok", flush=True)
