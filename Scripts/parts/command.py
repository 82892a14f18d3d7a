"""What the command says of its options: manual pages, completions, the reference, and the first walkthrough."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time

from . import walks
from .common import DEBUG, ROOT, end, run, temporary

REFERENCE = ROOT / "Documentation/CommandReference.md"
binary, wrong = DEBUG, []
# The typed words, the completions that must be offered, and those that must not.
CASES = [
    ("webimage con", ["convert"], ["load", "frames"]),
    ("webimage load --over", ["--overwrite"], ["--ordered"]),
    ("webimage load --o", ["--out", "--overwrite", "--ordered"], ["--quality"]),
    ("webimage convert --color ", ["srgb", "as-is"], ["webp"]),
    ("webimage cache ", ["stats", "clear", "verify", "import", "purge"], ["gtk"]),
    ("webimage cache purge --", ["--admin", "--config", "--target", "--quiet"], ["--size"]),
    ("webimage convert --flip ", ["horizontal", "vertical", "both"], ["webp"]),
    ("webimage convert --format w", ["webp"], ["png"]),
    ("webimage convert --filter se", ["sepia="], ["invert"]),
    ("webimage thumbnail --format ", ["jpg", "avif", "bmp"], ["rgba"]),
    ("webimage load --cache ", ["none", "picture one.png"], ["srgb"]),
    ("webimage serve --access-log ", ["text", "json", "none"], ["stats"]),
    ("webimage serve --root pict", ["picture one.png"], ["text"]),
    ("webimage init ", ["gtk", "server", "tool"], ["stats"]),
    ("webimage help thu", ["thumbnail"], ["load"]),
    ("webimage info pict", ["picture one.png"], ["--json"]),
    ("webimage convert --color=", ["srgb", "as-is"], ["webp"]),
    ("webimage convert --color=s", ["srgb"], ["as-is"]),
    ("webimage serve --source-formats ", ["jpg", "svg", "ico"], ["text"]),
    ("webimage thumbnail --size ", ["normal", "xx-large"], ["srgb"]),
    ("webimage info -- pict", ["picture one.png"], ["--json"]),
    ("webimage info -- --d", ["--dash.png"], ["--dash"]),
    ("webimage serve --source-formats jpg,w", ["jpg,webp"], ["jpg,png", "webp"]),
    ("webimage thumbnail --size normal,", ["normal,large", "normal,xx-large"], ["large"]),
    ("webimage convert --resize 20x20", [], ["fill", "20x20,fill"]),
    ("webimage convert --resize 20x20,", ["20x20,fill", "20x20,aspectFit", "20x20,aspectFill"], ["fill"]),
    ("webimage convert --rotate 90,", ["90,cut"], ["cut"]),
    ("webimage convert --tint COLOR,m", ["COLOR,multiply"], ["COLOR,screen"]),
    ("webimage optimize --metadata ", ["keep", "drop"], ["srgb"]),
    ("webimage load @pict", ["picture one.png"], ["--json"]),
    ("webimage load --header @pict", ["picture one.png"], ["--json"]),
    ("webimage serve --path-prefix pict", [], ["picture one.png"]),
]


def describe(*arguments):
    return run(binary, "--describe", *arguments)


def compare(shell, typed, offered, wanted, unwanted):
    # bash completes only what follows the sign of '@FILE'.
    offered = [word.removeprefix("@") for word in offered]
    for word in wanted:
        if word not in offered:
            wrong.append(f"{shell}: '{typed}' does not offer {word}; it offers {offered}")
    for word in unwanted:
        if word in offered:
            wrong.append(f"{shell}: '{typed}' offers {word}")


def manual_pages(folder):
    describe("man", folder)
    pages = sorted(folder.glob("*.1"))
    for page in pages:
        done = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", str(page)], capture_output=True, text=True,
            env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        if done.returncode != 0 or done.stderr.strip():
            wrong.append(f"{page.name}: {done.stderr.strip() or 'man fails'}")
        text = re.sub(".\b", "", done.stdout)
        command = page.stem.removeprefix("webimage-") if page.stem != "webimage" else None
        help_text = subprocess.run([binary, *([command] if command else []), "--help"], capture_output=True, text=True).stdout
        flags = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", help_text))
        missing = sorted(flag for flag in flags if flag not in text.replace("‐", "-").replace("−", "-"))
        if missing:
            wrong.append(f"{page.name} does not name {', '.join(missing)}")
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES"):
            if f"\n{section}\n" not in "\n" + text:
                wrong.append(f"{page.name} has no section {section}")
    apropos = subprocess.run(["lexgrog", *map(str, pages)], capture_output=True, text=True)
    if shutil.which("lexgrog") and apropos.returncode != 0:
        wrong.append(f"whatis cannot read a page: {apropos.stdout}")
    return len(pages)


def in_bash(folder):
    script = folder / "webimage.bash"
    script.write_text(describe("bash"))
    for typed, wanted, unwanted in CASES:
        # bash splits words at '=' and '@'.
        words = [part for word in typed.split(" ") for part in (re.findall("[=@]|[^=@]+", word) or [""])]
        quoted = " ".join(f"'{word}'" for word in words)
        program = f"""source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _webimage
            printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, cwd=folder)
        if done.stderr:
            wrong.append(f"bash: {done.stderr}")
        compare("bash", typed, done.stdout.splitlines(), wanted, unwanted)
    program = f"source '{script}'; COMP_WORDS=(webimage info tw); COMP_CWORD=2; _webimage; printf '%s' \"${{COMPREPLY[@]}}\""
    offered = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, cwd=folder).stdout
    if offered != "two\nlines.png":
        wrong.append(f"bash does not offer a name with a newline; it offers {offered!r}")


def in_fish(folder):
    script = folder / "webimage.fish"
    script.write_text(describe("fish"))
    for typed, wanted, unwanted in CASES:
        program = f"source '{script}'; complete -C '{typed}'"
        done = subprocess.run(
            ["fish", "--no-config", "-c", program], capture_output=True, text=True, cwd=folder,
            env={**os.environ, "HOME": str(folder), "PATH": f"{binary.parent}:{os.environ['PATH']}"})
        if done.stderr:
            wrong.append(f"fish: {done.stderr}")
        compare("fish", typed, [re.sub(r"^--[a-z]+=", "", line.split("\t")[0].replace("\\ ", " ")) for line in done.stdout.splitlines()], wanted, unwanted)


class Terminal:
    """An interactive shell on a terminal of its own."""

    def __init__(self, command, folder):
        pid, self.descriptor = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", HOME=str(folder), PATH=f"{binary.parent}:{os.environ['PATH']}")
            os.execvp(command[0], command)

    def send(self, text):
        os.write(self.descriptor, text.encode())

    def read_until(self, mark, seconds=60):
        text, end = "", time.monotonic() + seconds
        while mark not in text and time.monotonic() < end:
            if select.select([self.descriptor], [], [], 0.2)[0]:
                text += os.read(self.descriptor, 65536).decode(errors="replace")
        return text


def in_zsh(folder):
    functions = folder / "functions"
    functions.mkdir()
    (functions / "_webimage").write_text(describe("zsh"))
    terminal = Terminal(["zsh", "-f", "-i"], folder)
    # A widget prints the offered completions: compadd is replaced by a function that also prints the matches.
    terminal.send(f"""unsetopt zle; PS1=''; fpath=('{functions}' $fpath); autoload -Uz compinit; compinit -u -D
setopt zle; zmodload zsh/zleparameter
compadd () {{ local -a found; builtin compadd -O found "$@"; (( $#found )) && print -rl -- "offer:$IPREFIX"${{^found}}; builtin compadd "$@" }}
finish () {{ zle -I; print -r -- "typed:${{BUFFER}}:end"; BUFFER='' }}
zle -N finish; bindkey '^G' finish; zstyle ':completion:*' list-prompt ''; unsetopt list_beep auto_list
echo rea''dy
""")
    if "ready" not in terminal.read_until("ready\r\n"):
        wrong.append("zsh does not start")
        return
    for typed, wanted, unwanted in CASES:
        terminal.send(typed + "\t\x07")
        said = terminal.read_until(":end")
        if ":end" not in said:
            wrong.append(f"zsh does not answer: {said[-300:]}")
            break
        offered = [re.sub(r"^--[a-z]+=", "", word.replace("\\ ", " ")) for word in re.findall(r"offer:([^\r\n]*)", said)]
        compare("zsh", typed, offered, wanted, unwanted)
    terminal.send("exit\n")


def first_walk(folder):
    """The first walkthrough without its build. `journeys first-hour` types all of them, but needs a bare machine."""
    (folder / "swift-web-image").symlink_to(ROOT)
    environment = {**os.environ, "HOME": str(folder), "PATH": f"{binary.parent}:{os.environ['PATH']}"}
    _, blocks = next(walk for walk in walks.walks(walks.PAGE.read_text()) if "shell" in walk[0])
    typed = [block for block in blocks if "swift build" not in block[1]]
    for _, commands, expected in typed:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands], cwd=folder, env=environment, text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        left = walks.missing(expected, done.stdout)
        if left or done.returncode != 0:
            wrong.append(f"FirstHour.md: {commands}lacks '{(left or ['the success of all commands'])[0]}'; it printed\n{done.stdout}")
    return len(typed)


def check(words):
    """Scripts/journeys command [BINARY]

    Checks what `webimage --describe` (of .build/debug/webimage, or the BINARY) makes of the options: manual pages by man, completions in
    the shells, and Documentation/CommandReference.md. Then types the commands of the first walkthrough of Documentation/FirstHour.md. A
    shell that is not installed is named and left out, unless CI is set.
    """
    global binary
    binary = pathlib.Path(words[0] if words else DEBUG).resolve()
    with temporary() as folder:
        for name in ("picture one.png", "--dash.png", "two\nlines.png"):
            (folder / name).write_bytes(b"")
        count = manual_pages(folder) if shutil.which("man") else print("Scripts/journeys command: man is not installed") or 0
        for shell, attempt in (("bash", in_bash), ("fish", in_fish), ("zsh", in_zsh)):
            if shutil.which(shell):
                attempt(folder)
            elif os.environ.get("CI"):
                wrong.append(f"{shell} is not installed")
            else:
                print(f"Scripts/journeys command: {shell} is not installed; its completions are not tried")
    with temporary() as folder:
        blocks = first_walk(folder)
    if describe("markdown") != REFERENCE.read_text():
        wrong.append(f"{REFERENCE.name} is old; run 'swift run webimage --describe markdown > Documentation/{REFERENCE.name}'")
    end(wrong, f"{count} manual pages without a warning; {len(CASES)} completions tried in each shell; {blocks} blocks of FirstHour.md")
