"""What packages of others do with this one."""
import os
import pathlib
import re
import shutil
import subprocess
import urllib.request

from .common import DEBUG, DISPLAY, ROOT, accept, end, temporary
from .modules import clang_flags

MODULES = ROOT / ".build/debug/Modules"
GUIDE = ROOT / "Sources/WebImage/WebImage.docc/PortingFromSDWebImage.md"
CONFLICT = "conflicting name"
wrong = []


def fail(text):
    wrong.append(text)


def attempt(*command, folder=None, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=folder, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def type_check(name, files, folder, *flags, tests=False):
    """Checks a module's types, and leaves the module in the folder for those that import it."""
    command = ["swiftc", "-swift-version", "6", "-warnings-as-errors", "-module-name", name, "-I", MODULES, "-I", folder, *clang_flags(), *flags]
    if tests:
        command.append("-typecheck")
    else:
        command += ["-emit-module", "-emit-module-path", folder / f"{name}.swiftmodule"]
        if not any(file.name == "main.swift" for file in files):
            command.append("-parse-as-library")
    code, _, errors = attempt(*command, *files)
    if code != 0:
        fail(f"{name} does not compile:\n{errors[:3000]}")


def plan(package, folder=None, **environment):
    """What SwiftPM says to the package's graph and plan, which it makes in the folder or beside the package; nothing
    when both can be made."""
    folder = folder or package.parent
    scratch = folder / (package.name + ".build")
    options = ["--package-path", package, "--scratch-path", scratch, "--cache-path", folder / "cache", "--disable-sandbox"]
    code, output, errors = attempt("swift", "package", *options, "show-dependencies", "--format", "json", **environment)
    if code == 0:
        code, _, errors = attempt("swift", "build", *options, "--print-manifest-job-graph", **environment)
    return ("" if code == 0 else errors + output), output


# Package that depends on a tag


def tagged_clone(folder):
    repository = folder / "swift-web-image"
    attempt("git", "clone", "-q", ROOT, repository)
    version = re.search(r'current = "(.*)"', (ROOT / "Sources/WebImage/PackageVersion.swift").read_text())[1]
    attempt("git", "-c", "user.name=check", "-c", "user.email=check@localhost", "tag", "-a", version, "-m", version, folder=repository)
    consumer = folder / "consumer"
    write(consumer / "Package.swift", f"""// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "consumer",
    dependencies: [.package(url: "{repository.as_uri()}", from: "{version}")],
    targets: [
        .executableTarget(
            name: "consumer",
            dependencies: [
                .product(name: "WebImage", package: "swift-web-image"),
                .product(name: "WebImageGTK", package: "swift-web-image"),
            ])
    ]
)
""")
    source = consumer / "Sources/consumer/Consumer.swift"
    write(source, """import Foundation
import WebImage
import WebImageGTK

@main struct Consumer {
    static func main() async throws {
        let image = try await WebImageManager.shared.image(for: URL(fileURLWithPath: "picture.png"))
        print(image.pixelSize)
    }
}
""")
    problem, graph = plan(consumer)
    if problem:
        fail(f"a package that depends on the tag {version} by URL is refused:\n{problem[:2000]}")
    elif f'"version": "{version}"' not in re.sub(r"\s*:\s*", ": ", graph):
        fail(f"SwiftPM does not select the tag {version}:\n{graph[:2000]}")
    type_check("consumer", [source], folder)


# Graph that also contains the original


def beside_the_original(folder):
    original = folder / "SDWebImage"
    write(original / "Package.swift", """// swift-tools-version: 5.9
import PackageDescription
let package = Package(
    name: "SDWebImage", products: [.library(name: "SDWebImage", targets: ["SDWebImage"])], targets: [.target(name: "SDWebImage")])
""")
    write(original / "Sources/SDWebImage/Stub.swift", "public enum SDImageCacheStub {}\n")
    ours = folder / "swift-web-image"
    ours.symlink_to(ROOT)

    def app(name, manifest):
        write(folder / name / "Package.swift", manifest)
        write(folder / name / "Sources/App/App.swift", "import SDWebImage\n")
        return folder / name

    guide = re.search(r"^```[a-z]*\n(// swift-tools-version.*?)^```$", GUIDE.read_text(), re.S | re.M)
    if not guide:
        return fail(f"{GUIDE.name} shows no manifest for both kinds of host")
    manifest = re.sub(r'\.package\(url: "[^"]*SDWebImage[^"]*", from: "[^"]*"\)', '.package(path: "../SDWebImage")', guide[1])
    manifest = re.sub(r'\.package\(url: "[^"]*", from: "[^"]*"\)', '.package(name: "swift-web-image", path: "../swift-web-image")', manifest)
    for host, text in [("linux", manifest), ("apple", manifest.replace("#if os(Linux)", "#if !os(Linux)"))]:
        problem, graph = plan(app("guide-" + host, text))
        if problem:
            fail(f"the guide's manifest is refused as on a host of {host}:\n{problem[:2000]}")
        other = "SDWebImage" if host == "linux" else "swift-web-image"
        if f'"name": "{other}"' in re.sub(r"\s*:\s*", ": ", graph):
            fail(f"the guide's manifest takes {other} on a host of {host}")

    # Conditions of products do not remove a package from the graph.
    both = """// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "App", dependencies: [.package(path: "../SDWebImage"), .package(name: "swift-web-image", path: "../LIBRARY")],
    targets: [
        .target(
            name: "App",
            dependencies: [
                .product(name: "SDWebImage", package: "SDWebImage", condition: .when(platforms: [.iOS, .macOS])),
                .product(name: "WebImage", package: "swift-web-image", condition: .when(platforms: [.linux])),
            ])
    ])
"""
    package = app("both", both.replace("LIBRARY", "swift-web-image"))
    problem, _ = plan(package)
    if CONFLICT not in problem:
        fail(f"two packages that declare SDWebImage should be refused; SwiftPM prints: {problem[:500] or 'nothing'}")
    problem, _ = plan(package, WEBIMAGE_WITHOUT_NAMES="1")
    if problem:
        fail(f"WEBIMAGE_WITHOUT_NAMES does not remove the names from the graph:\n{problem[:2000]}")
    # Simulates a macOS host: there the manifest omits the compatibility names, whatever else the graph contains.
    elsewhere = folder / "apple/swift-web-image"
    elsewhere.mkdir(parents=True)
    for entry in ROOT.iterdir():
        if entry.name not in ("Package.swift", ".build", ".git"):
            (elsewhere / entry.name).symlink_to(entry)
    write(elsewhere / "Package.swift", (ROOT / "Package.swift").read_text().replace("#if os(Linux)", "#if !os(Linux)"))
    problem, _ = plan(app("apple-both", both.replace("LIBRARY", "apple/swift-web-image")))
    if problem:
        fail(f"the names conflict with the original on an Apple host:\n{problem[:2000]}")


# Templates


def template(kind, folder, builds):
    name, type_name = f"new-{kind}", f"New{kind.capitalize()}"
    code, _, errors = attempt(DEBUG, "init", kind, name, "--library", ROOT, folder=folder)
    if code != 0:
        return fail(f"webimage init {kind}: {errors}")
    package = folder / name
    if shutil.which("swift") and attempt("swift", "format", "lint", "--strict", "-r", package)[0] != 0:
        fail(f"the files of init {kind} are not formatted:\n{attempt('swift', 'format', 'lint', '--strict', '-r', package)[2][:1000]}")
    for place in (package, ROOT / "Templates" / kind):
        problem, _ = plan(place, folder)
        if problem:
            fail(f"SwiftPM cannot plan {place}:\n{problem[:2000]}")
    modules = folder / (kind + "-modules")
    modules.mkdir()
    flags = []
    for map in package.glob("Sources/*/module.modulemap"):
        flags += ["-Xcc", f"-fmodule-map-file={map}"]
    type_check(type_name + "Kit", sorted(package.glob(f"Sources/{type_name}Kit/*.swift")), modules)
    type_check(type_name, sorted(package.glob(f"Sources/{name}/*.swift")), modules, *flags)
    type_check(type_name + "KitTests", sorted(package.glob("Tests/*/*.swift")), modules, tests=True)
    for file in package.glob("Data/*.metainfo.xml"):
        validate("appstreamcli", "validate", "--no-net", file)
    for file in package.glob("Data/*.desktop"):
        validate("desktop-file-validate", file)
    for file in package.glob("Data/*.service"):
        # ExecStart is replaced, because the program is not installed here.
        file.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", file.read_text(), flags=re.M))
        validate("systemd-analyze", "verify", "--man=no", file)
    if builds:
        # The examples have built the library in this folder.
        options = ["--package-path", package, "--scratch-path", ROOT / ".build/examples"]
        code, output, errors = attempt("swift", "test", *options)
        if code != 0 or "Test run with" not in output + errors:
            return fail(f"the tests of init {kind} fail:\n{(output + errors)[-3000:]}")
        code, output, errors = attempt("swift", "build", *options, "--show-bin-path")
        first_command(kind, package, pathlib.Path(output.strip()) / name)


def first_command(kind, package, program):
    """Does what the command prints as the next step after 'swift test', with a picture."""
    picture = package / "photo.png"
    shutil.copy(ROOT / "Documentation/gallery.png", picture)
    environment = {**os.environ, **DISPLAY, "XDG_CACHE_HOME": str(package / "cache")}
    if kind == "tool":
        code, output, errors = attempt(program, "320", picture.name, folder=package, **environment)
        if code != 0 or not (package / "photo-320.webp").exists():
            fail(f"{program.name} 320 photo.png: {output}{errors}")
        return
    command = [program, "127.0.0.1:0"]
    if kind == "gtk":
        command = ["xvfb-run", "-a", program, picture.name]
    else:
        shutil.copy(picture, package / "pictures/photo.png")
    # 'timeout' ends a program that prints nothing.
    running = subprocess.Popen(["timeout", "120", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=package, env=environment)
    try:
        lines = iter(running.stdout.readline, "")
        if kind == "gtk":
            if not next((line for line in lines if re.fullmatch(r"photo\.png \d+x\d+\n", line)), None):
                fail("the program of init gtk shows no picture")
            return
        address = next((match[0] for line in lines if (match := re.search(r"127\.0\.0\.1:\d+", line))), None)
        if not address:
            return fail("the program of init server does not serve")
        target = f"http://{address}/_/rs:fit:320:320/plain/local:///photo.png@webp"
        try:
            with urllib.request.urlopen(target, timeout=60) as answer:
                if answer.headers["Content-Type"] != "image/webp" or answer.read()[8:12] != b"WEBP":
                    fail(f"the service of init server answers {answer.headers}")
        except OSError as error:
            fail(f"the service of init server answers {error} to {target}")
    finally:
        running.terminate()
        running.wait()


def validate(*command):
    if not shutil.which(command[0]):
        return print(f"Scripts/journeys adoption: {command[0]} is not installed; {pathlib.Path(command[-1]).name} is not validated")
    code, output, errors = attempt(*command)
    # Newer versions of appstreamcli also fail for warnings; the homepage is the publisher's to add.
    if command[0] == "appstreamcli" and re.search(r"^W: ", output, re.M) and not re.search(r"^E: ", output, re.M):
        code = 0
    if code != 0 or (command[0] == "systemd-analyze" and pathlib.Path(command[-1]).name in errors):
        fail(f"{' '.join(map(str, command))}:\n{output}{errors}")


def check(words):
    """Scripts/journeys adoption [--build]

    Tries what packages of others do with this one: depend on a tag, stand beside the original, start from a template. Run it after a
    build for debugging. Nothing is compiled: SwiftPM resolves and plans, and the compiler checks types against the build. --build also
    compiles the templates' packages, runs their tests and their first command.
    """
    accept(words, "--build")
    if not DEBUG.exists():
        return "Scripts/journeys adoption: there is no .build/debug/webimage; build for debugging first"
    with temporary() as folder:
        for part in ("tag", "graph", "templates"):
            (folder / part).mkdir()
        tagged_clone(folder / "tag")
        beside_the_original(folder / "graph")
        for kind in ("gtk", "server", "tool"):
            template(kind, folder / "templates", bool(words))
        for file in (ROOT / "Packaging").glob("*.metainfo.xml"):
            validate("appstreamcli", "validate", "--no-net", file)
        for file in (ROOT / "Packaging").glob("*.desktop"):
            validate("desktop-file-validate", file)
    end(wrong, "a package that depends on a tag, graphs with the original, and three new packages resolve and compile")
