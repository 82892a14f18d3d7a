"""The site of guides and reference, and what a reader of it cannot find."""
import argparse
import json
import pathlib
import re
import shutil
import sys

from .common import ROOT, end, run, temporary
from .modules import public_modules, symbols

GUIDES = ROOT / "Sources/WebImage/WebImage.docc"
START = "/documentation/guides"
# What a program imports each module for.
MODULES = {
    "WebImage": "Loads, caches, decodes and encodes images. It includes Core, Loading, Views, Graphics, Codecs, HTTP and Store.",
    "WebImageGTK": "Views, buttons and lists of GTK 4 that show images.",
    "WebImageService": "Answers the requests of an image service: options, signatures, sources, results.",
    "WebImageServer": "Accepts the HTTP connections of an image service.",
    "WebImageCore": "Images, the roles of coders and transformers, animation, limits and errors.",
    "WebImageLoading": "The manager, the pipeline, requests, and the roles of caches and loaders.",
    "WebImageViews": "The loads of a view, without a toolkit.",
    "WebImageGraphics": "Pixels: scaling, colours, transformers, drawing.",
    "WebImageCodecs": "The built-in coders: JPEG, PNG, APNG, GIF, WebP, BMP and ICO.",
    "WebImageHTTP": "The downloader, its configuration and its policy.",
    "WebImageStore": "The cache on disk.",
    "WebImageValkey": "A cache tier on Valkey or Redis that several machines share.",
    "WebImageS3": "A cache tier in a bucket of an S3-compatible store.",
    "WebImageAVIF": "A coder of AVIF.",
    "WebImageHEIF": "A coder of HEIC.",
    "WebImageJXL": "A coder of JPEG XL.",
    "WebImageSVG": "A coder of SVG.",
    "WebImageTIFF": "A coder of TIFF.",
    "WebImageJPEG2000": "A coder of JPEG 2000.",
    "WebImageLottie": "A coder of Lottie animations.",
    "WebImagePDF": "A coder of PDF.",
    "WebImageVideo": "A coder of posters and previews of videos.",
    "WebImageVideoLoading": "A loader that fetches only the parts of a video on a server that its poster needs.",
    "WebImageRaw": "A coder of raw files of cameras.",
    "WebImageLinkPreview": "A loader that takes the URL of a web page and gives its picture, title and site.",
    "WebImageSandbox": "Decodes in processes that can neither open files nor use the network.",
    "WebImageTesting": "Fakes and checkers for the tests of programs that use the package.",
    "WebImageCompatibility": "Members that only ported code needs: completion blocks, options without an effect.",
    "SDWebImage": "SDWebImage's names for the declarations of WebImage.",
    "SDWebImageGTK": "SDWebImage's names for the views of WebImageGTK.",
    "SDWebImageFoundationNetworking": "SDWebImage's properties that have types of Foundation's networking library.",
    "SDWebImageWebPCoder": "SDWebImage's name of the WebP coder.",
    "SDWebImageAVIFCoder": "SDWebImage's name of the AVIF coder.",
    "SDWebImageHEIFCoder": "SDWebImage's name of the HEIC coder.",
    "SDWebImageJPEGXLCoder": "SDWebImage's name of the JPEG XL coder.",
    "SDWebImagePDFCoder": "SDWebImage's name of the PDF coder.",
    "SDWebImageLottieCoder": "SDWebImage's name of the Lottie coder.",
    "SDWebImageVideoCoder": "SDWebImage's name of the video coder.",
    "SDWebImageLinkPlugin": "SDWebImage's name of the loader of link previews.",
    "SDWebImageSVGCoder": "SDWebImage's name of the SVG coder.",
}


# A search form on every page. DocC's own filter knows only the titles of the pages near the present one.
HEADER = """<style>
  #site-search { display: flex; justify-content: flex-end; gap: .5em; padding: .5em 1em; font: 15px sans-serif }
  #site-search input { font: inherit; width: 18em; max-width: 60vw; padding: .2em .5em }
  #site-search button { font: inherit; padding: .2em .8em; border: 1px solid; border-radius: 4px }
</style>
<form id="site-search" role="search" action="BASE/search/">
  <input name="q" type="search" placeholder="Search guides and reference" aria-label="Search guides and reference">
  <button>Search</button>
</form>
"""
# DocC breaks a name at each underscore, as in "g_application_run"; with this style, a name that fits into a line stays whole.
STYLE = "<style>code wbr { display: none } code { overflow-wrap: anywhere }</style>"
SEARCH = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Search – swift-web-image</title>
<style>
  body { font: 17px/1.5 sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: .3em .5em }
  li { margin: 1em 0 } small { opacity: .7 } mark { background: #fd6; color: #000 }
</style>
</head>
<body>
<p><a href="BASESTART/">swift-web-image: guides and reference</a></p>
<form><input name="q" type="search" aria-label="Words" autofocus></form>
<p id="count"></p>
<ol id="found"></ol>
<script>
const input = document.querySelector("input");
input.value = new URLSearchParams(location.search).get("q") || "";
let pages = [];
function part(text, at, length) { return text.slice(Math.max(at, 0), Math.max(at, 0) + length); }
function search() {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const list = document.querySelector("#found"), count = document.querySelector("#count");
  list.replaceChildren();
  count.textContent = "";
  if (!words.length) return;
  const found = [];
  for (const page of pages) {
    const title = page.title.toLowerCase(), text = page.text.toLowerCase();
    if (!words.every(word => title.includes(word) || text.includes(word))) continue;
    const inTitle = words.filter(word => title.includes(word)).length;
    found.push([inTitle * 100 + (title === words.join(" ") ? 1000 : 0) + (page.guide ? 50 : 0), page, text]);
  }
  found.sort((a, b) => b[0] - a[0]);
  count.textContent = found.length + (found.length === 1 ? " page" : " pages") + (found.length > 100 ? ", the first 100:" : "");
  for (const [, page, text] of found.slice(0, 100)) {
    const item = list.appendChild(document.createElement("li"));
    const link = item.appendChild(document.createElement("a"));
    link.href = "BASE" + page.url + "/";
    link.textContent = page.title;
    item.append(" ");
    item.appendChild(document.createElement("small")).textContent = page.guide ? "guide" : page.kind;
    const word = words.find(word => text.includes(word));
    if (word === undefined) continue;
    const at = text.indexOf(word), line = item.appendChild(document.createElement("div"));
    line.append(part(page.text, at - 60, Math.min(at, 60)));
    line.appendChild(document.createElement("mark")).textContent = part(page.text, at, word.length);
    line.append(part(page.text, at + word.length, 120));
  }
}
input.addEventListener("input", search);
fetch("BASE/search/pages.json").then(answer => answer.json()).then(all => { pages = all; search(); });
</script>
</body>
</html>
"""


def language(lines):
    """The language of a block of code that names none, so that DocC colours it."""
    text = "\n".join(lines)
    if re.search(r"^\s*(#include|module \w+ \[)", text, re.M):
        return "c"
    if re.search(r"\b(import|func|let|var|class|struct|guard|override)\b|^\s*//|^\s*\.\w+\(|[{}]", text, re.M):
        return "swift"
    return "http" if re.search(r"^(GET|POST|HTTP/)", text, re.M) else "sh"


def coloured(text):
    """The guide with a language for each block of code."""
    lines, open_block = text.split("\n"), None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if open_block is not None:
            if lines[open_block] == "```":
                lines[open_block] += language(lines[open_block + 1:number])
            open_block = None
        else:
            open_block = number
    return "\n".join(lines)


def name_pages(site):
    """Adds the style to every page, and the name of the product in place of "Documentation", which DocC calls every site."""
    for page in site.glob("documentation/**/index.html"):
        text = page.read_text().replace("<title>Documentation</title>", "<title>swift-web-image</title>")
        page.write_text(text.replace("</head>", STYLE + "</head>", 1))
    for script in site.glob("js/*.js"):
        text = script.read_text()
        named = text.replace('["meta","title"],"Documentation"', '["meta","title"],"swift-web-image"')
        named = re.sub(r'"documentation":\{"title":"[^"]*"', '"documentation":{"title":"swift-web-image"', named)
        if named != text:
            script.write_text(named)


# The title of the members that repeat others with the prefix of SDWebImage's categories.
TWINS = "SDWebImage's names with sd_"


def is_twin(title):
    """Whether a title, such as "sd_setImage(with:)" or "func sd_cancel()", is that of a member with the prefix."""
    return re.match(r"(static )?((func|var|let) )?sd_", title) is not None


def group_twins(site):
    """Lists the members with the prefix sd_ in a section of their own, on their pages and beside them."""
    for page in site.glob("data/documentation/**/*.json"):
        data = json.loads(page.read_text())
        sections = data.get("topicSections", [])
        titles = {key: value.get("title", "") for key, value in data.get("references", {}).items()}
        twins = [key for section in sections for key in section["identifiers"] if is_twin(titles.get(key, ""))]
        if not twins:
            continue
        for section in sections:
            section["identifiers"] = [key for key in section["identifiers"] if key not in twins]
        data["topicSections"] = [section for section in sections if section["identifiers"]] + [
            {"title": TWINS, "identifiers": twins, "generated": True, "anchor": "SDWebImages-names"}]
        page.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    index = site / "index/index.json"
    tree = json.loads(index.read_text())
    group_nodes(tree["interfaceLanguages"].values())
    index.write_text(json.dumps(tree, ensure_ascii=False, separators=(",", ":")))


def group_nodes(lists):
    """Moves the members with the prefix behind a title of their own, in each list of the tree that stands beside a page."""
    for nodes in lists:
        twins = [node for node in nodes if is_twin(node.get("title", ""))]
        if twins:
            rest = [node for node in nodes if node not in twins]
            # A title that no member follows.
            rest = [node for node, after in zip(rest, rest[1:] + [{"type": "groupMarker"}])
                    if node["type"] != "groupMarker" or after["type"] != "groupMarker"]
            nodes[:] = rest + [{"title": TWINS, "type": "groupMarker"}] + twins
        group_nodes(node["children"] for node in nodes if "children" in node)


def mixed_twins(site):
    """The pages that list members with the prefix sd_ among others, and what is missing if there are none at all."""
    wrong, count = [], 0
    for page in site.glob("data/documentation/**/*.json"):
        data = json.loads(page.read_text())
        titles = {key: value.get("title", "") for key, value in data.get("references", {}).items()}
        for section in data.get("topicSections", []):
            kinds = {is_twin(titles.get(key, "")) for key in section["identifiers"]}
            count += kinds == {True}
            if len(kinds) == 2:
                wrong.append(f"{page.stem}: {section['title']} lists members with the prefix sd_ among others")
    listed = [(site / "index/index.json").read_text().count(title) for title in (f'"{TWINS}"', '"title":"func sd_')]
    if count == 0 or not all(listed):
        wrong.append("no page lists the members with the prefix sd_")
    return wrong


def words(value):
    """The text of a part of a page's data."""
    if isinstance(value, list):
        return " ".join(filter(None, map(words, value)))
    if not isinstance(value, dict):
        return ""
    if isinstance(value.get("code"), list):
        return " ".join(value["code"])
    own = [value[key] for key in ("text", "code") if isinstance(value.get(key), str)]
    return " ".join(own + [words(value[key]) for key in ("inlineContent", "content", "items", "rows", "abstract") if key in value])


def write_search(site, base):
    """Writes a page that searches the text of all guides and of the whole reference."""
    found = []
    for page in sorted((site / "data").glob("documentation/**/*.json")):
        data = json.loads(page.read_text())
        kind = data.get("metadata", {}).get("roleHeading") or data.get("metadata", {}).get("role", "")
        text = words(data.get("abstract", [])) + " " + " ".join(
            words(section.get("content", [])) for section in data.get("primaryContentSections", []))
        found.append({
            "url": "/" + str(page.relative_to(site / "data").with_suffix("")), "kind": kind,
            "title": data.get("metadata", {}).get("title", page.stem), "guide": data.get("kind") == "article",
            "text": re.sub(r"\s+", " ", text).strip()})
    (site / "search").mkdir()
    (site / "search/pages.json").write_text(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
    (site / "search/index.html").write_text(SEARCH.replace("BASESTART", prefix(base) + START).replace("BASE", prefix(base)))
    return found


def prefix(base):
    return f"/{base.strip('/')}" if base.strip("/") else ""


def catalogue(folder, modules, base):
    """Copies the guides and adds the links between guides and modules, which only the whole site can have."""
    shutil.copytree(GUIDES, folder)
    (folder / "header.html").write_text(HEADER.replace("BASE", prefix(base)))
    listed = "".join(f"- ``/{module}``\n" for module in modules)
    (folder / "AllModules.md").write_text(
        "# All modules\n\nThe modules of the package, and what a program imports each for.\n\n## Overview\n\n"
        + "".join(f"- ``/{module}``: {MODULES[module]}\n" for module in modules)
        + f"\nTo begin, read the [guides](doc:/documentation/Guides).\n\n## Topics\n\n### Modules of this package\n\n{listed}")
    for module in modules:
        others = ", ".join(f"``/{other}``" for other in modules if other != module)
        (folder / f"{module}-module.md").write_text(
            f"# ``/{module}``\n\n{MODULES[module]}\n\n## Overview\n\nThe [guides](doc:/documentation/Guides) show how to use it.\n\n"
            f"Other modules: {others}; what each is for: <doc:AllModules>.\n")
    for guide in GUIDES.glob("*.md"):
        text = coloured(guide.read_text())
        if guide.stem == "Guides":
            text += "\n### The reference\n\n- <doc:AllModules>\n"
        else:
            named = [module for module in modules if re.search(rf"\b{module}\b", text)] or ["WebImage"]
            text += f"\n## The reference\n\n{', '.join(f'``/{module}``' for module in named)}; <doc:AllModules>.\n"
        (folder / guide.name).write_text(text)


def begin(site, base):
    """Makes the address of the site itself lead to the start page. DocC writes an empty page there."""
    address = prefix(base) + START + "/"
    (site / "index.html").write_text(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>swift-web-image</title>\n'
        f'<meta http-equiv="refresh" content="0; url={address}">\n</head>\n'
        f'<body><p><a href="{address}">The guides and the reference of swift-web-image</a></p></body>\n</html>\n')


def wrong_guides(said):
    """What DocC says against the guides; the doc comments of the reference have warnings of their own."""
    found = re.findall(r"^(?:warning|error): (.*)\n +--> (?:\S*/)?(\w+\.md)", said, re.M)
    return [f"{page}: {text}" for text, page in found if (GUIDES / page).exists()]


def dead_links(archive):
    """Links of converted guides that lead nowhere: DocC leaves what it does not know as it is written."""
    dead = []
    for page in archive.glob("data/documentation/**/*.json"):
        for reference in json.loads(page.read_text()).get("references", {}).values():
            url = reference.get("url", "")
            if reference.get("type") == "link" and not re.match(r"(https?|mailto):", url):
                dead.append(f"{page.stem}: a link points to {url}, which is not a page; write doc:NAME for a guide")
    return sorted(dead)


def links(site):
    """{address of a page: addresses of the pages that it links to}"""
    found = {}
    for page in (site / "data").glob("documentation/**/*.json"):
        address = "/" + str(page.relative_to(site / "data").with_suffix(""))
        references = json.loads(page.read_text()).get("references", {}).values()
        urls = {reference["url"] for reference in references if reference.get("type") in ("topic", "link") and "url" in reference}
        found[address] = {re.sub(r"#.*", "", url).rstrip("/").lower() for url in urls if url.startswith("/")} - {address}
    return found


def wrong_search(site, found):
    """What a reader cannot find: each guide by a word of its text, and the title of the site."""
    wrong = []
    titles = {page["url"]: page["text"] for page in found if page["guide"]}
    for guide in GUIDES.glob("*.md"):
        if guide.stem == "Guides":  # It has only links.
            continue
        # The longest word of a paragraph of the guide.
        paragraph = re.search(r"^## .*\n\n([A-Z][^\n`<]{30,})", guide.read_text(), re.M)
        word = max(re.findall(r"\w+", paragraph[1]), key=len) if paragraph else ""
        pages = [text for url, text in titles.items() if url.endswith("/" + guide.stem.lower())]
        if not pages or word not in pages[0]:
            wrong.append(f"{guide.stem}: the search does not know its text ({word})")
    scripts = "".join(script.read_text() for script in site.glob("js/index.*.js"))
    if '["meta","title"],"swift-web-image"' not in scripts or '"documentation":{"title":"swift-web-image"' not in scripts:
        wrong.append("the pages do not have the name of the product: DocC's script has changed")
    for page in (site / "data").glob("documentation/**/*.json"):
        if '"syntax":null' in page.read_text().replace(" ", ""):
            wrong.append(f"{page.stem}: a block of code has no colours")
    return wrong


def wrong_links(site, base, modules):
    """What a reader of the site cannot reach by clicking."""
    wrong = []
    home = (site / "index.html").read_text()
    target = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', home)
    if not target or not (site / target[1].removeprefix(prefix(base)).strip("/") / "index.html").exists():
        wrong.append("/ does not lead to a page")
    pages = links(site)
    for page, targets in pages.items():
        wrong += [f"{page} links to {link}, which is not a page" for link in sorted(targets) if link not in pages]
        if not (site / page.strip("/") / "index.html").exists():
            wrong.append(f"{page} has no index.html")
    module_pages = {f"/documentation/{module.lower()}" for module in modules}
    reached, pending = {START}, [START]
    while pending:
        for link in pages.get(pending.pop(), set()) - reached:
            reached.add(link)
            pending.append(link)
    wrong += [f"{page} cannot be reached from the start page" for page in sorted(module_pages - reached)]
    for page in sorted(module_pages):
        missing = module_pages - {page} - pages.get(page, set())
        wrong += [f"{page} has no link to {other}" for other in sorted(missing)]
        if START not in pages.get(page, set()):
            wrong.append(f"{page} has no link to the guides")
    guides = {f"/documentation/swift-web-image/{guide.stem.lower()}" for guide in GUIDES.glob("*.md") if guide.stem != "Guides"}
    wrong += [f"{page} has no link to a module" for page in sorted(guides) if not pages.get(page, set()) & module_pages]
    return wrong


def check(words):
    """Scripts/documentation site [FOLDER] [--base-path PATH] | site --check

    Writes the guides and the reference of every module as one static site into the FOLDER (.build/documentation), and checks the site's
    links; --check keeps nothing. Run it after a build for debugging. Any web server can serve the folder; PATH is where it will stand
    below the server's root. To look at it: python3 -m http.server --directory .build/documentation 8000, then http://localhost:8000/
    """
    parser = argparse.ArgumentParser(prog="Scripts/documentation site")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / ".build/documentation")
    parser.add_argument("--base-path", default="")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(words)
    if not shutil.which("docc"):
        return "Scripts/documentation: no 'docc' in PATH; it comes with the Swift toolchain"
    modules = public_modules()
    if set(modules) != set(MODULES):
        return f"Scripts/documentation: describe these modules in MODULES of parts/site.py, and only these: {', '.join(modules)}"
    modules, base = list(MODULES), options.base_path
    with temporary() as work:
        site = work / "site" if options.check else options.folder
        (work / "graphs").mkdir()
        for number, module in enumerate(modules):
            if sys.stderr.isatty():
                print(f"\r{number + 1} of {len(modules)} modules", end="", file=sys.stderr, flush=True)
            symbols(module, work / "graphs")
        print(file=sys.stderr) if sys.stderr.isatty() else print(f"{len(modules)} modules", file=sys.stderr)
        catalogue(work / "Guides.docc", modules, base)
        shutil.rmtree(site, ignore_errors=True)
        wrong = wrong_guides(run(
            "docc", "convert", work / "Guides.docc", "--additional-symbol-graph-dir", work / "graphs", "--output-dir", site,
            "--transform-for-static-hosting", "--experimental-enable-custom-templates", "--fallback-display-name", "swift-web-image",
            "--fallback-bundle-identifier", "swift-web-image", *(["--hosting-base-path", base] if base else []), with_errors=True))
        begin(site, base)
        name_pages(site)
        group_twins(site)
        found = write_search(site, base)
        wrong += dead_links(site) + wrong_links(site, base, modules) + wrong_search(site, found) + mixed_twins(site)
        pages = len(links(site))
    end(wrong, f"{pages} pages, every link leads to one" + ("" if options.check else f", in {site}"))
