"""The declarations of Apple's toolkits that exist only so that the compiler prints what to do instead."""
import re

from .common import ROOT, accept

TABLE, OUTPUT = ROOT / "Documentation/missing-declarations.txt", ROOT / "Sources/SDWebImageGTK/Missing.swift"
HEAD = """// swift-format-ignore-file
// Written by 'Scripts/parity missing' from Documentation/missing-declarations.txt.

public import Foundation
public import SDWebImage
public import WebImageGTK
"""


def declaration(text):
    """The declaration in Swift, with an end that never runs."""
    if text.startswith(("open class", "final class", "protocol UIApplicationDelegate")):
        return "@MainActor " + re.sub(r"^(?=final|protocol)", "public ", text)
    text = re.sub(r"^((?:@\w+ )*)(?!@|private|open|extension)", r"\1public ", re.sub("^nonisolated (?=final class)", "", text))
    if re.search(r"(?:func|init[?!]?)\b[^=]*\(", text) and not re.search(r"\b(?:let|var)\b", text.split("(")[0]):
        return text + " { fatalError() }"
    text = text.replace("{ get }", "{ fatalError() }")
    return re.sub(r"\{ get (nonmutating )?set \}", r"{ get { fatalError() } \1set {} }", text)


def swift(table):
    lines, is_open = [HEAD], False
    for row in table.splitlines():
        text, _, words = row.partition("  ## ")
        if not text or text.startswith("#"):
            continue
        if is_open and not text.startswith(" "):
            lines.append("}")
        if words:
            lines.append(f'{"    " * text.startswith(" ")}@available(*, unavailable, message: "{words}")')
        if text.startswith(" "):
            lines.append("    " + declaration(text.strip()))
        else:
            is_open = re.search(r"\b(?:class|protocol|struct|extension) ", text) is not None
            lines.append(declaration(text) + " {" * is_open)
    return "\n".join(lines + ["}"] * is_open) + "\n"


def write(words):
    """Scripts/parity missing [--check]

    Writes Sources/SDWebImageGTK/Missing.swift from the table Documentation/missing-declarations.txt, whose head describes it. --check
    fails if the file is not what it would write.
    """
    accept(words, "--check")
    text = swift(TABLE.read_text())
    if not words:
        OUTPUT.write_text(text)
    elif OUTPUT.read_text() != text:
        return f"{OUTPUT.relative_to(ROOT)} is not current: run Scripts/parity missing"
