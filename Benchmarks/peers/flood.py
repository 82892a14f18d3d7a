"""aiohttp with Pillow under a flood, for the benchmarks: a line `flood URL COUNT` is so many requests of 100 pictures, a
tenth cancelled, each decoded; answered with `ok` and how many came. Nobody there shares a request: each asks the server.
"""
import asyncio
import io
import random
import sys

import aiohttp
from PIL import Image


async def flood(folder, count):
    connector = aiohttp.TCPConnector(limit=20)
    async with aiohttp.ClientSession(connector=connector) as session, aiohttp.ClientSession() as other:
        async def picture(number):
            async with session.get("%s/%d.jpg" % (folder, number % 100)) as response:
                response.raise_for_status()
                image = Image.open(io.BytesIO(await response.read()))
                image.load()
                return True

        tasks = [asyncio.create_task(picture(number)) for number in range(count)]

        def cancel_some():
            for task in tasks[100:]:
                if random.randrange(20) == 0:
                    task.cancel()

        await asyncio.sleep(0)
        cancel_some()
        async with other.get(folder + "/open") as response:
            await response.read()
        cancel_some()
        return sum(result is True for result in await asyncio.gather(*tasks, return_exceptions=True))


for line in sys.stdin:
    try:
        if line == "ready\n":
            print("ok", flush=True)
            continue
        print("ok", asyncio.run(flood(line.split()[1], int(line.split()[2]))), flush=True)
    except Exception as problem:
        print("error", repr(problem), flush=True)
