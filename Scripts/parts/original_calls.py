"""Makes calls in Swift from the original's interface as Swift's importer prints it on Linux."""
import re

# The importer names Objective-C's types; code on Apple's systems uses these.
TYPES = {
    "NSString": "String", "NSData": "Data", "NSURL": "URL", "NSURLRequest": "URLRequest", "NSURLResponse": "URLResponse", "BOOL": "Bool",
    "NSTimeInterval": "TimeInterval", "NSError": "any Error", "NSProgress": "Progress", "NSNotificationName": "Notification.Name",
    "NSOperation": "Operation", "NSBundle": "Bundle", "NSRunLoopMode": "RunLoop.Mode", "NSFileManager": "FileManager",
    "NSIndexSet": "IndexSet", "NSDataReadingOptions": "Data.ReadingOptions", "NSDataWritingOptions": "Data.WritingOptions",
    "UIControlState": "UIControl.State", "UIImageOrientation": "UIImage.Orientation", "UIViewAnimationOptions": "UIView.AnimationOptions",
    "dispatch_queue_t": "DispatchQueue", "dispatch_queue_attr_t": "DispatchQueue.Attributes", "NSURLSession": "URLSession",
    "NSURLSessionTask": "URLSessionTask", "NSURLSessionConfiguration": "URLSessionConfiguration",
    "NSURLSessionTaskMetrics": "URLSessionTaskMetrics", "NSURLCredential": "URLCredential", "NSErrorDomain": "String",
    "NSErrorUserInfoKey": "String"}
# Names whose use needs more than the name.
OWNERS = {"SDMemoryCache": "SDMemoryCache<NSString, UIImage>", "NSNotificationName": "Notification.Name"}
BY_HAND = {"SDSetDecodeOptionsToContext": "let c = v(NSMutableDictionary.self); var o = v(SDWebImageOptions.self); "
                                          "SDSetDecodeOptionsToContext(c, &o, v([SDImageCoderOption: Any].self))"}


def swift(name):
    """The type as code on Apple's systems writes it."""
    name = re.sub(r"Unmanaged<(\w+)>", r"\1", name.replace("NSMutableDictionary<", "NSDictionary<").replace("@escaping ", ""))
    for _ in range(3):
        name = re.sub(r"NSArray<((?:[^<>]|<[^<>]*>)*)>", r"[\1]", name)
        name = re.sub(r"NSDictionary<(\w+), (\w+)>", lambda m: f"[{m[1]}: {'Any' if m[2] == 'AnyObject' else m[2]}]", name)
        name = re.sub(r"NSSet<(\w+)>", r"Set<\1>", name)
    name = re.sub(r"\b\w+\b", lambda m: TYPES.get(m[0], m[0]), name)
    return re.sub(r"!$", "?", re.sub(r"(?<!\()(any \w+(?: & \w+)?)\?", r"(\1)?", name))


def value(type):
    return f"v(({type}).self)" if re.search(r"[ &>]|->", type) or type.startswith("(") else f"v({type}.self)"


def split(text):
    """The parts between commas outside brackets."""
    parts, depth = [""], 0
    for index, letter in enumerate(text):
        depth += letter in "([<"
        depth -= letter in ")]" or (letter == ">" and text[index - 1] != "-")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def arguments(text, place=0):
    """What is between the first bracket from the place on and its counterpart, and what follows."""
    start, depth = text.index("(", place), 0
    for end in range(start, len(text)):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth == 0:
            return text[start + 1:end], text[end + 1:].strip()
    raise ValueError(text)


def parameters(text):
    """Label, type and whether there is a default, of each parameter."""
    found = []
    for part in split(text):
        match = re.match(r"(`?\w+`?)(?: `?\w+`?)?\s*: (.*?)( = .*)?$", part)
        found.append((match[1] if match[1] != "_" else "", match[2], bool(match[3])))
    return found


def parse(text):
    """The declarations: kind, name, what it inherits, and its members; free functions and aliases have the kind 'top'."""
    found, current = [], None
    for line in text.splitlines():
        text = line.strip()
        if not text or text.startswith(("#", "@available")):
            continue
        if line.startswith(" "):
            if current and text != "}":
                current[3].append(text)
        elif text == "}":
            current = None
        elif text.endswith("{"):
            match = re.match(r"(?:@MainActor |nonisolated )*(?:open |public )?(class|struct|enum|protocol|extension) (\w+)(?:<.*?>)?"
                             r"(?: : ([^{]*?))?(?: where .*)?\s*\{", text)
            current = (match[1], match[2], [name for name in split(match[3] or "") if "<" not in name and name != "NSObject"], [])
            found.append(current)
        else:
            found.append(("top", text, [], []))
    return found


class Calls:
    def __init__(self, text):
        self.declarations = parse(text)
        self.aliases = dict(re.match(r"public typealias (\w+) = (.*)$", name).groups()
                            for kind, name, _, _ in self.declarations if name.startswith("public typealias"))
        self.protocols = {name: (inherited, members) for kind, name, inherited, members in self.declarations if kind == "protocol"}
        self.found = []
        for kind, name, inherited, members in self.declarations:
            made = self.top(name) if kind == "top" else self.type(kind, name, inherited, members)
            section = re.match(r"public \w+ (\w+)", name)[1] if kind == "top" else name
            self.found += [(section, code) for code in made]
        self.found = list({code: (section, code) for section, code in reversed(self.found)}.values())[::-1]

    def block(self, type):
        """The number of parameters and the result of a closure; None for another type."""
        type = type.replace("@escaping ", "").replace("@Sendable ", "")
        type = re.sub(r"^\((.*)\)\?$", r"\1", type) if type.endswith(")?") else type.rstrip("?")
        type = self.aliases.get(type, type)
        match = re.match(r"\((.*)\) -> (.*)$", self.aliases.get(type, type))
        return (len(split(match[1])), match[2]) if match else None

    def call(self, function, parts, result, wait=""):
        """Calls with all arguments, without any default, without each default alone, and with a closure behind."""
        lead = f"let _: {swift(result)} = {wait}" if result and result != "Void" else wait

        def form(chosen, closure=""):
            listed = ", ".join((f"{label}: " if label else "") + value(swift(type)) for label, type, _ in chosen)
            return lead + function + (f"({listed})" if listed or not closure else "") + closure

        made = [form(parts), form([part for part in parts if not part[2]])]
        made += [form([other for other in parts if other is not part]) for part in parts if part[2]]
        block = self.block(parts[-1][1]) if parts and not wait else None
        if block:
            body = "" if block[1] in ("Void", "()") else " nil" if block[1].endswith("?") else " fatalError()"
            closure = " { " + (", ".join(["_"] * block[0]) + " in" if block[0] else "") + body + " }"
            made += [form(parts[:-1], closure), form([part for part in parts[:-1] if not part[2]], closure)]
        return made

    def top(self, text):
        match = re.match(r"public (typealias|func|let) (\w+)(?: = |: )?(.*)$", text)
        kind, name, rest = match.groups()
        if kind == "let":
            return [f"let _: {swift(rest)} = {name}"]
        if kind == "func":
            listed, end = arguments(text)
            return [BY_HAND[name]] if name in BY_HAND else self.call(name, parameters(listed), end.removeprefix("-> "))
        closure = re.match(r"\((.*)\) -> (.*)$", rest)
        if not closure:
            return [f"let _: {swift(rest)} = {value(name)}"]
        listed = ", ".join("_: " + swift(part) for part in split(closure[1]))
        return [f"let _: {name} = {{ ({listed}) -> {swift(closure[2])} in {'' if closure[2] == 'Void' else 'fatalError()'} }}"]

    def type(self, kind, name, inherited, members):
        owner = OWNERS.get(name, name)
        made = [f"let _: (any {name}).Type = (any {name}).self"] if kind == "protocol" else [f"let _: {owner}.Type = {owner}.self"]
        if kind == "extension":
            made = [f"let _: any {role} = {value(swift(owner))}" for role in inherited]
        elif kind == "protocol":
            base = "UIImage" if name == "SDAnimatedImageProtocol" else "NSObject"
            for optional in (False, True):
                stubs = "; ".join(filter(None, map(self.stub, self.requirements(name, optional))))
                made.append(f"class C: {base}, {name} {{ {stubs} }}")
        elif kind == "class":
            made.append(f"class C: {owner} {{}}")
            made += [f"let _: {'any ' if role in self.protocols else ''}{swift(role)} = {value(owner)}"
                     for role in inherited if role != "NSCopying"]
        elif kind == "enum":
            made += [f"let _: {inherited[0]} = {value(owner)}.rawValue", f"let _: {owner}? = {owner}(rawValue: v({inherited[0]}.self))"]
        elif "OptionSet" in inherited:
            made.append(f"let _: {owner} = []")
        for member in members:
            made += self.member(kind, owner, member.replace("@NSCopying ", ""))
        return made

    def requirements(self, name, optional):
        inherited, members = self.protocols[name]
        found = [text for role in inherited if role in self.protocols for text in self.requirements(role, optional)]
        return list(dict.fromkeys(found + [text for text in members if optional or "optional" not in text.split()[:2]]))

    def stub(self, text):
        """An implementation of a protocol's member, as a program writes it."""
        text = text.replace("@NSCopying ", "").replace("optional ", "")
        if match := re.match(r"var (\w+): (.*?) \{ get( set)? \}", text):
            return f"var {match[1]}: {swift(match[2])} {{ get {{ fatalError() }}{' set {}' if match[3] else ''} }}"
        listed, end = arguments(text)
        if end.startswith("async"):
            return None
        parts = []
        for part in split(listed):
            head, type = re.sub(r" = .*$", "", part).split(": ", 1)
            parts.append(f"{head}: {'CGFloat' if head == 'scale' else swift(type)}")
        start = ("required " if text.startswith("init") else "") + text[:text.index("(")]
        result = f" -> {swift(end[3:])}" if end.startswith("-> ") else ""
        return f"{start}({', '.join(parts)}){result} {{ fatalError() }}"

    def member(self, kind, owner, text):
        receiver = value(f"any {owner}" if kind == "protocol" else owner)
        optional = text.startswith("optional ")
        target = owner if re.search(r"\b(static|class) (?:var|let|func)\b", text) else receiver
        text = re.sub(r"^(?:(?:optional|open|public|weak|convenience|static|class|nonisolated|required) )*", "", text)
        if match := re.match(r"case `?(\w+)`? = (-?\d+)", text):
            return [f"let _: {owner} = .{match[1]}"]
        if match := re.match(r"init(\??)\(", text):
            return [] if kind == "protocol" else self.call(owner, parameters(arguments(text)[0]), owner + match[1])
        if match := re.match(r"(var|let) `?(\w+)`?: (.*?)( \{ get( set)? \})?$", text):
            type, name = swift(match[3]), match[2]
            result = type if not optional or type.endswith("?") else f"({type})?" if " " in type else type + "?"
            made = [f"let _: {result} = {'' if kind == 'struct' and type == owner else target}.{name}"]
            if match[1] == "var" and (not match[4] or match[5]) and not optional:
                made.append(f"{owner}.{name} = {value(type)}" if target == owner else f"var x = {receiver}; x.{name} = {value(type)}")
            return made
        listed, end = arguments(text)
        name = text[5:text.index("(")]
        if optional:
            return self.call(f"{target}.{name}?", parameters(listed), "")[:1]
        result = re.search(r"-> (.*)$", end)
        result = "" if not result else owner if result[1] == "Self" else result[1]
        return self.call(f"{target}.{name}", parameters(listed), result, "await " if end.startswith("async") else "")
