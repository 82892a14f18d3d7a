"""The commands that scripts, benchmarks and tests call, and the packages of Debian that have them."""
import os
import re
import shutil
import subprocess

from .common import ROOT, accept, end, run

# Package, mode of Scripts/setup, and its commands that are called here. "base": packages that are essential or of the priority
# "required", and what the toolchain's page for Debian names. "swift": a folder of its own, not a package of Debian. "optional": no mode
# installs it; a script looks it up before it calls it.
TABLE = """
base               base   apt-cache apt-get awk basename bash cat chmod chroot cmp cp cut date dirname dpkg dpkg-deb dpkg-query du env
base               base   false find grep gzip head id install kill ldconfig ldd ln locale localedef ls md5sum mkdir mkfifo mktemp mount nproc
base               base   paste perl printf readlink rm sed setpriv sh sha256sum shuf sleep sort stat tail tar tee test touch tr true umount
base               base   timeout uniq unshare wc xargs yes
gcc                base   cc gcc
binutils           base   nm objcopy strings strip
git                base   git
swift              base   clang docc swift swift-symbolgraph-extract swiftc
pkg-config         build  pkg-config
python3            test   python3
xvfb               test   Xvfb xvfb-run
nginx-light        test   nginx
openssl            test   openssl
zsh                test   zsh
fish               test   fish
man-db             test   lexgrog man
appstream          test   appstreamcli
desktop-file-utils test   desktop-file-validate
ffmpeg             test   ffmpeg
dpkg-dev           test   dpkg-scanpackages dpkg-shlibdeps
valgrind           test   callgrind_annotate valgrind
iproute2           test   ip
libvips-tools      bench  vips
libgdk-pixbuf2.0-bin  bench  gdk-pixbuf-thumbnailer
graphicsmagick     bench  gm
wrk                bench  wrk
linux-perf         bench  perf
squid              tiers  squid
varnish            tiers  varnishd
debootstrap        release  debootstrap
lintian            release  lintian
gnupg              release  gpg gpgconf
sudo               optional  sudo
systemd            optional  systemd-analyze systemd-socket-activate
"""
MODES = {"base": [], "build": ["base"], "test": ["base", "build"], "bench": ["base", "build", "test"],
         "release": ["base", "build", "test"], "tiers": ["base", "build", "test"]}
# The mode of files that Scripts/test does not run; all others are checked as "test".
MODE_OF = {"audit": "release", "release": "release", "package": "release", "measure": "bench", "folder.py": "bench"}
BUILTINS = set(""". : [ alias bind break builtin caller case cd command compgen complete continue coproc declare dirs disown do done echo
elif else enable esac eval exec exit export false fc fg fi for function getopts hash help history if in jobs kill let local mapfile popd
printf pushd pwd read readarray readonly return select set shift shopt source suspend test then time times trap true type typeset ulimit
umask unalias unset until wait while""".split())
PYTHON = re.compile(r'(?:subprocess\.\w+\(\s*\[|(?:command|compiler) = \[|Terminal\(\[|return \[|which\(|\brun\(|callgrind\(|lambda file: \[|validate\()'
                    r'"([A-Za-z][\w.-]*)"|for tool in \["([a-z]\w*)"')
SWIFT = re.compile(r'"/(?:usr/)?s?bin/([\w.-]+)"|(?:Self\.run|tool)\("([a-z]+)"|bin/env"\)\s+process\.arguments = \["([a-z][\w.-]*)",|\["\w+=\w+", "([a-z]\w*)"')
LOOKUP = re.compile(r"command -v (\w[\w.-]*)|which\(\"(\w[\w.-]*)\"|bin/([\w.-]+)\"")

# Words after which the next word is again a command.
PREFIXES = {"exec", "sudo", "env", "time", "if", "then", "else", "elif", "while", "until", "do", "{", "!", "xargs", "nohup", "command"}


class Shell:
    """Collects the words of a shell program that stand where a command stands."""

    def __init__(self, text):
        self.text, self.place, self.commands, self.functions = text, 0, set(), set()
        while self.place < len(text):
            self.list()
        self.commands = {word for word in self.commands - self.functions - BUILTINS if re.fullmatch(r"[A-Za-z][\w.+-]*", word)}

    def list(self):
        """Reads commands up to the closing bracket of a substitution, or to the end."""
        first, in_case, documents = True, 0, []
        while self.place < len(self.text):
            if match := self.take(r"(?:[ \t]|\\\n)+|#[^\n]*"):
                continue
            if match := self.take(r"<<(-?)\s*['\"\\]?(\w+)['\"]?"):
                documents.append(match)
            elif self.take(r"\d*(?:<<<|&?[<>]+[&|]?)(?!\()[ \t]*"):
                self.word()
            elif self.take(r"\(\((?:[^)]|\)(?!\)))*\)\)"):
                continue
            elif match := self.take(r"\n|;;&?|[;&|(]"):
                if match[0] == "\n":
                    for document in documents:
                        self.take(r"(?:.*\n)*?" + ("\t*" if document[1] else "") + re.escape(document[2]) + r"(?=\n|$)")
                    documents = []
                first = True
                if match[0].startswith(";;") and in_case:
                    self.pattern()
            elif self.take(r"\)"):
                return
            else:
                word = self.word()
                if not first:
                    if word == "in" and in_case < 0:
                        in_case = 1
                        self.pattern()
                    continue
                if self.take(r"\(\)"):
                    self.functions.add(word)
                elif word == "case":
                    first, in_case = False, -1
                elif word == "esac":
                    in_case = 0
                elif word in PREFIXES:
                    self.commands.add(word)
                    self.take(r"(?:[ \t]+-[\w]+(?:[ \t]+\d+)?)*")
                elif not re.match(r"\w+(?:\[[^]]*\])?\+?=", word):
                    self.commands.add(word)
                    first = False

    def pattern(self):
        """Skips the pattern of a case, unless the case ends."""
        if not self.take(r"(?:\s|#[^\n]*)*esac\b"):
            self.take(r"(?:\s|#[^\n]*)*[^)\n]*\)")
        else:
            self.place -= 4

    def word(self):
        start = self.place
        while self.place < len(self.text):
            if self.take(r"'[^']*'|\\.|\$'(?:\\.|[^'])*'|\$\(\((?:[^)]|\)(?!\)))*\)\)"):
                continue
            if self.take(r"\$\(|[<>]\("):
                self.list()
            elif self.take(r'"'):
                self.quoted('"')
            elif self.take(r"\$\{"):
                self.quoted("}")
            elif self.take(r"(?<==)\("):
                self.array()
            elif not self.take(r"[^\s;&|()<>'\"\\$]+|\$"):
                break
        if self.place == start:
            self.place += 1
        return self.text[start:self.place]

    def quoted(self, end):
        while self.place < len(self.text) and self.text[self.place] != end:
            if self.take(r"\$\((?!\()"):
                self.list()
            elif self.take(r"\$\{"):
                self.quoted("}")
            elif end == "}" and self.take(r'"'):
                self.quoted('"')
            elif not self.take(r"\\.|\$\(\((?:[^)]|\)(?!\)))*\)\)"):
                self.place += 1
        self.place += 1

    def array(self):
        while not self.take(r"\s*\)"):
            self.take(r"(?:\s|#[^\n]*)+")
            self.word()

    def take(self, pattern):
        match = re.compile(pattern).match(self.text, self.place)
        if match and match.end() > self.place:
            self.place = match.end()
            return match
        return None


def calls():
    """For each file the commands that it calls, and those that it looks up."""
    found = {}
    paths = [ROOT / ".ci/run", *ROOT.glob("Scripts/**/*"), *ROOT.glob("Benchmarks/*"), *ROOT.glob("Benchmarks/peers/*.py")]
    for folder in ("Tests", "Sources/WebImageTesting", "Sources/webimage-demo", "Benchmarks/Sources"):
        paths += (ROOT / folder).rglob("*.swift")
    for path in sorted(paths):
        # This file contains the commands as patterns.
        if not path.is_file() or path.name == "packages.py":
            continue
        text = path.read_text(errors="replace")
        if text.startswith("#!/usr/bin/env bash"):
            used = Shell(text).commands | {"bash"}
        elif path.suffix == ".swift":
            used = {word for match in SWIFT.findall(text) for word in match if word}
            for program in re.findall(r'"/bin/sh", "-c", "((?:[^"\\]|\\.)*)"', text):
                used |= Shell(program).commands
        elif path.suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
            used = {word for match in PYTHON.findall(text) for word in match if word} | {"python3"}
        else:
            continue
        found[path.relative_to(ROOT)] = (used, {word for match in LOOKUP.findall(text) for word in match if word})
    return found


def mode_of(path):
    return "bench" if path.parts[0] == "Benchmarks" else MODE_OF.get(path.name, "test") if path.parts[0] == "Scripts" else "test"


def named():
    """The packages that each mode of Scripts/setup installs itself."""
    text = (ROOT / "Scripts/setup").read_text()
    return {mode: set(re.search(rf'^{mode}="([^"]*)"', text, re.M)[1].split()) for mode in ("build", "test", "bench", "release")}


def dependencies(packages):
    """The installed packages among these and those on which they depend."""
    fields = "\t".join("${%s}" % name for name in ("Package", "Provides", "Depends", "Pre-Depends", "Essential", "Priority"))
    lines = run("dpkg-query", "-W", "-f", fields + "\n").splitlines()
    needs, provided, wanted = {}, {}, list(packages)
    for name, provides, depends, before, essential, priority in (line.split("\t") for line in lines):
        needs[name] = re.findall(r"(?:^|[,|] )([a-z0-9][a-z0-9.+-]+)", depends) + re.findall(r"(?:^|[,|] )([a-z0-9][a-z0-9.+-]+)", before)
        for other in re.findall(r"(?:^|, )([a-z0-9][a-z0-9.+-]+)", provides):
            provided.setdefault(other, []).append(name)
        if "base" in packages and (essential == "yes" or priority == "required"):
            wanted.append(name)
    reached = set()
    while wanted:
        name = wanted.pop()
        if name in reached:
            continue
        if name in needs:
            reached.add(name)
            wanted += needs[name]
        else:
            wanted += provided.get(name, [])
    return reached


def owners(commands):
    """The installed packages that have a command's file, for each command that is installed."""
    places = {}
    for command in commands:
        there = [place for folder in ("/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/") if os.path.exists(place := folder + command)]
        places[command] = {form for place in there for real in (place, os.path.realpath(place)) for form in (real, real.removeprefix("/usr"))}
    output = subprocess.run(["dpkg-query", "-S", *set().union(*places.values())], capture_output=True, text=True).stdout
    owner = {}
    for line in output.splitlines():
        if not line.startswith("diversion"):
            packages, file = line.split(": ", 1)
            owner.setdefault(file, set()).update(re.sub(r":\w+$", "", name) for name in packages.split(", "))
    return {command: set().union(*(owner.get(file, set()) for file in files)) for command, files in places.items() if files}


def check(words):
    """Scripts/structure packages

    Fails if a script, a benchmark or a test calls a command of a package that the matching Scripts/setup mode does not name: checks the
    calls against the table of Scripts/parts/packages.py, and the table against Scripts/setup; on Debian also that each command is a file
    of its package. A command that a file looks up before it calls it ('command -v', 'shutil.which') may be of any mode.
    """
    accept(words)
    known = {command: (package, mode) for package, mode, *listed in map(str.split, TABLE.strip().split("\n")) for command in listed}
    wrong, used_commands, found, names = [], set(), calls(), named()
    for path, (used, lookups) in found.items():
        allowed = {mode_of(path), *MODES[mode_of(path)], "optional"}
        for command in sorted(used | (lookups & set(known))):
            used_commands.add(command)
            if command not in known:
                wrong.append(f"{path} calls {command}: add it to the table of Scripts/parts/packages.py, and its package to Scripts/setup")
            elif known[command][1] not in allowed and command not in lookups:
                wrong.append(f"{path} calls {command} of {known[command][0]}, which Scripts/setup {mode_of(path)} does not install")
    wrong += [f"no file calls {command}: remove it from the table of Scripts/parts/packages.py" for command in sorted(set(known) - used_commands - BUILTINS)]
    wrong += [f"Scripts/setup {mode} does not name {package}" for package, mode in sorted(set(known.values()))
              if mode in names and package not in names[mode]]
    if shutil.which("dpkg-query"):
        groups = {group: dependencies([group]) for group, _ in known.values()}
        for command, files in owners(set(known) - BUILTINS).items():
            package, mode = known[command]
            if package != "swift" and mode != "optional" and not files & groups[package]:
                wrong.append(f"{command} is a file of {', '.join(sorted(files)) or 'no package'}, not of {package}")
    end(wrong, f"{len(used_commands)} commands in {len(found)} files: each belongs to a package that the matching mode of Scripts/setup names")
