"""Runs programs to their end and says what each cost, from outside."""
import os
import select
import statistics
import time


class Run:
    """Milliseconds from start to end and of processor time, resident megabytes at most, and how it ended."""

    def __init__(self, wall, cpu, memory, code):
        self.wall, self.cpu, self.memory, self.code = wall, cpu, memory, code


def run(arguments, limit=20.0, output="/dev/null"):
    """Runs a program; one that takes longer than `limit` seconds is killed and counts as code 137."""
    start = time.perf_counter()
    # Not subprocess: what it forks from is larger than what is measured, and the kernel remembers the larger.
    pid = os.posix_spawnp(
        arguments[0], arguments, os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    watch = os.pidfd_open(pid)
    try:
        if not select.select([watch], [], [], limit)[0]:
            os.kill(pid, 9)
        _, status, usage = os.wait4(pid, 0)
    finally:
        os.close(watch)
    wall = (time.perf_counter() - start) * 1e3
    code = os.waitstatus_to_exitcode(status)
    return Run(wall, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024, 128 - code if code < 0 else code)


def median(runs, field):
    return statistics.median(getattr(run, field) for run in runs)


def in_turn(rounds, contestants):
    """Each contestant's runs; who comes first changes every round, and the first round does not count."""
    runs = [[] for _ in contestants]
    for number in range(rounds + 1):
        for offset in range(len(contestants)):
            index = (offset + number) % len(contestants)
            result = contestants[index]()
            if number:
                runs[index].append(result)
    return runs
