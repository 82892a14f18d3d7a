"""Keeps values with PyPI's diskcache, for the benchmarks: a command a line, answered with `ok` or `error TEXT`.

    open PATH    fill FROM TO    put COUNT BYTES ROUND    get COUNT ROUND    evict    reopen    count
"""
import os
import sys

import diskcache

path = cache = None
values = {}


def key(index, number):
    return "https://images.example.com/2024/%d/%d.jpg?size=large" % (number, index)


def opened():
    return diskcache.Cache(path, size_limit=1 << 40)


def fill(start, end):
    small = bytes(200)
    for first in range(start, end, 10_000):
        # One transaction of many: nobody is timed.
        with cache.transact():
            for index in range(first, min(first + 10_000, end)):
                cache.set(key(index, -1), small)


def put(count, size, number):
    value = values.setdefault(size, os.urandom(size))
    for index in range(count):
        cache.set(key(index, number), value)


def get(count, number):
    for index in range(count):
        if cache.get(key(index * 79 % count, number)) is None:
            raise KeyError(index)


def evict():
    # A sixteenth of what it says it holds.
    cache.reset("size_limit", cache.volume() * 15 // 16)
    cache.cull()
    cache.reset("size_limit", 1 << 40)


def reopen():
    # A second one: the first stays open, as everybody's does.
    with opened() as second:
        if second.get(key(0, -1)) is None:
            raise KeyError(0)


jobs = {"fill": fill, "put": put, "get": get, "evict": evict, "reopen": reopen, "count": lambda: len(cache)}

for line in sys.stdin:
    word, *rest = line.split()
    try:
        answer = None
        if word == "open":
            path = rest[0]
            cache = opened()
        else:
            answer = jobs[word](*map(int, rest))
        print("ok" if answer is None else "ok %d" % answer, flush=True)
    except Exception as problem:
        print("error", repr(problem), flush=True)
