"""aiohttp with pyvips in as many threads as cores, for `burst` and `steady`: a line `run FILE` names the arrivals, a line
of which is milliseconds and a URL or path; answered with `ok` and the milliseconds of each from its own time to its pixels.
"""
import asyncio
import concurrent.futures
import os
import sys
import time

import aiohttp

# The threads are the pool's: libvips reads this when it starts, and uses one for each picture.
os.environ["VIPS_CONCURRENCY"] = "1"
import pyvips

pyvips.cache_set_max(0)
pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())


def pixels(data):
    pyvips.Image.thumbnail_buffer(data, 256, height=256, size="down").write_to_memory()


def file_pixels(path):
    with open(path, "rb") as file:
        pixels(file.read())


async def run(arrivals):
    loop = asyncio.get_running_loop()
    waited = [-1.0] * len(arrivals)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=20)) as session:
        start = time.monotonic()

        async def picture(number, due, place):
            if place.startswith("/"):
                await loop.run_in_executor(pool, file_pixels, place)
            else:
                async with session.get(place) as response:
                    response.raise_for_status()
                    data = await response.read()
                await loop.run_in_executor(pool, pixels, data)
            waited[number] = (time.monotonic() - start) * 1e3 - due

        tasks = []
        for number, (due, place) in enumerate(arrivals):
            wait = due / 1e3 - (time.monotonic() - start)
            if wait > 0:
                await asyncio.sleep(wait)
            tasks.append(asyncio.create_task(picture(number, due, place)))
        await asyncio.gather(*tasks, return_exceptions=True)
    return waited


for line in sys.stdin:
    try:
        if line == "ready\n":
            print("ok", flush=True)
            continue
        with open(line.split()[1]) as file:
            words = [one.rstrip("\n").split(" ", 1) for one in file]
        waited = asyncio.run(run([(float(time_), place) for time_, place in words]))
        print("ok", *("%.2f" % each for each in waited), flush=True)
    except Exception as problem:
        print("error", repr(problem), flush=True)
