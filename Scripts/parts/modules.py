"""How the modules of the last build for debugging are read."""
import functools
import json
import re
import sys

from .common import DEBUG, ROOT, SCRIPT, run

BUILD = DEBUG.parent
# The modules that the products WebImage and SDWebImage re-export.
REEXPORTED = ["WebImageCompatibility", "WebImageGraphics", "WebImageCodecs", "WebImageHTTP", "WebImageStore"]


def manifest():
    return (ROOT / "Package.swift").read_text()


def public_modules():
    """The modules that products give to users. Ends the script if one is not built: builds of one product build only some."""
    modules = sorted(set(re.findall(r'\.library\(name: "([^"]+)"', manifest())) | set(REEXPORTED))
    missing = [module for module in modules if not (BUILD / "Modules" / f"{module}.swiftmodule").exists()]
    if missing:
        sys.exit(f"{SCRIPT}: run 'swift build' first; not built: {', '.join(missing)}")
    return modules


@functools.cache
def clang_flags():
    packages = re.findall(r'\.systemLibrary\(\s*name: "\w+", pkgConfig: "([^"]+)"', manifest())
    maps = [*(ROOT / "Sources").glob("C*/module.modulemap"), *(ROOT / "Sources").glob("C*/include/module.modulemap"),
            *BUILD.glob("*.build/module.modulemap")]
    folders = [flag for flag in run("pkg-config", "--cflags", *packages).split() if flag.startswith("-I")]
    folders += [f"-I{folder}" for folder in (ROOT / "Sources").glob("C*/include")]
    return [part for flag in folders + [f"-fmodule-map-file={path}" for path in maps] for part in ("-Xcc", flag)]


@functools.cache
def triple():
    return json.loads(run("swift", "-print-target-info"))["target"]["unversionedTriple"]


def symbols(module, folder):
    """The public symbols of a module, whose symbol graphs it leaves in the folder."""
    run("swift-symbolgraph-extract", "-module-name", module, "-I", BUILD / "Modules", *clang_flags(), "-target", triple(),
        "-minimum-access-level", "public", "-skip-inherited-docs", "-output-dir", folder)
    found = [symbol for graph in sorted(folder.glob(f"{module}*.symbols.json")) if re.split("[.@]", graph.name)[0] == module
             for symbol in json.loads(graph.read_text())["symbols"]]
    # Symbols that the compiler synthesizes have no source location.
    return [symbol for symbol in found if "location" in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]]
