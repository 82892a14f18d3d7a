"""The walks of Documentation/FirstHour.md: commands, and the lines that they print."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

from .common import DISPLAY, ROOT, end, temporary

PAGE = ROOT / "Documentation/FirstHour.md"
# The longest block builds everything in release mode. Programs with a window or a port build only themselves.
SECONDS = 2400
PROGRAM_SECONDS = 600


def walks(text):
    """[(heading, [(kind, commands, [expected line])])]: kind is "", "window" or "server"."""
    found, blocks, heading = [], [], "The first hour"
    for part in re.finditer(r"^## (?P<heading>[^\n]*)$|^```sh ?(?P<kind>\w*)\n(?P<commands>.*?)^```$|^```text\n(?P<lines>.*?)^```$", text, re.S | re.M):
        if part["heading"]:
            found.append((heading, blocks))
            heading, blocks = part["heading"], []
        elif part["commands"]:
            blocks.append((part["kind"], part["commands"], []))
        elif part["lines"]:
            blocks[-1][2].extend(part["lines"].splitlines())
    found.append((heading, blocks))
    return found


def missing(expected, output):
    """The expected lines that the output does not have, in their order."""
    lines, left = output.splitlines(), list(expected)
    for line in lines:
        if left and re.fullmatch(r"\s*" + r".*".join(r"\s+".join(map(re.escape, piece.split(" "))) for piece in left[0].split("…")) + r"\s*", line):
            left.pop(0)
    return left


class Shell:
    """One block of commands, with what it prints; what a block exports and where it ends stay for the next one."""

    def __init__(self, commands, folder, state):
        self.output, self.folder = "", folder
        text = f'cd "$(cat {state}.folder)"; [ ! -e {state}.path ] || PATH=$(cat {state}.path)\n{commands}\npwd > {state}.folder; echo "$PATH" > {state}.path\n'
        self.process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.output += line

    def wait(self, until, seconds):
        """Until `until(output)` holds or the commands ended; whether it was in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ended = self.process.poll() is not None
            if ended:
                self.reader.join(5)
            if ended or until(self.output):
                return True
            time.sleep(0.2)
        return False

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


def walk(heading, blocks, folder, state, wrong):
    print(f"== {heading}", flush=True)
    pathlib.Path(f"{state}.folder").write_text(str(folder))
    servers = []
    began = time.monotonic()
    for kind, commands, expected in blocks:
        shell = Shell(commands, folder, state)
        if kind:
            in_time = shell.wait(lambda output: not missing(expected, output), PROGRAM_SECONDS)
        else:
            in_time = shell.wait(lambda output: False, SECONDS)
        code = shell.process.poll()
        if kind == "server":
            servers.append(shell)
        else:
            shell.stop()
        left = missing(expected, shell.output)
        if left or not in_time or (not kind and code != 0):
            reason = "took too long" if not in_time else f"lacks the line '{left[0]}'" if left else f"ended with {code}"
            wrong.append(f"{heading}: this block {reason}:\n{commands}--- it printed\n{shell.output[-4000:]}")
            print(wrong[-1], flush=True)
            break
    for server in reversed(servers):
        server.stop()
    print(f"   {time.monotonic() - began:.0f} s", flush=True)


def virtual_display():
    if not shutil.which("Xvfb"):
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "xvfb"], check=True, stdout=subprocess.DEVNULL)
    reading, writing = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24"], pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        os.environ["DISPLAY"] = ":" + answer.readline().strip()
    os.environ.update(DISPLAY)
    return server


def check(words):
    """Scripts/journeys first-hour --install [WORD...]

    Types the commands of Documentation/FirstHour.md on this machine and looks for the lines that the page shows: all walks, or the first
    and those with one of the words in their heading. It installs packages and starts programs, some of them as root: run it in a
    container or a bare root, and agree to this with --install. It takes about half an hour, most of it for builds. Without a display the
    windows open on a virtual one (xvfb). The pages' folder is a temporary one, which is removed at the end.
    """
    if "--install" not in words:
        return "Scripts/journeys first-hour: the walks install packages and write below /etc; agree with --install"
    words = [word.lower() for word in words if word != "--install"]
    wrong, display = [], None
    os.environ.setdefault("REPOSITORY", ROOT.as_uri())
    # The clone of a folder that belongs to another user is refused by git otherwise.
    os.environ.update(GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory", GIT_CONFIG_VALUE_0="*", DEBIAN_FRONTEND="noninteractive")
    with temporary() as folder:
        os.environ["XDG_CACHE_HOME"] = str(folder / ".cache")
        place = folder / "work"
        place.mkdir()
        try:
            for number, (heading, blocks) in enumerate(walks(PAGE.read_text())):
                needed = number <= 1 or not words or any(word in heading.lower() for word in words)
                if not needed or not blocks:
                    continue
                if any(kind == "window" for kind, _, _ in blocks) and not os.environ.get("DISPLAY"):
                    display = virtual_display()
                walk(heading, blocks, place, folder / "state", wrong)
                if number == 0 and wrong:
                    break
        finally:
            if display:
                display.terminate()
    end([f"{len(wrong)} walks failed"] if wrong else [], "every command did what the page shows")
