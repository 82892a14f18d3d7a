import Foundation

/// A URL record of the WHATWG URL Standard (§4.1) and its parser (§4.4).
///
/// The parser works on the bytes of UTF-8, because every character outside of ASCII is escaped or part of a host. It
/// cuts the text at the first `#` and `?` before it reads the rest: in the standard's states these two characters end
/// every component, whatever the state is.
struct WebAddress: Sendable, Hashable {
    private typealias Bytes = ArraySlice<UInt8>

    private enum Path: Hashable {
        case opaque([UInt8])
        case list([[UInt8]])
    }

    private let scheme: String
    private let isSpecial: Bool
    private var user: [UInt8] = []
    private var password: [UInt8] = []
    private var host: [UInt8]?
    private var port: UInt16?
    private var path = Path.list([])
    private var query: [UInt8]?
    private var fragment: [UInt8]?

    private static let defaultPorts: [String: UInt16?] = [
        "http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "file": nil,
    ]

    /// Parses an address; nil if the standard's parser fails.
    init?(_ text: String, relativeTo base: WebAddress? = nil) {
        var input = Self.cleaned(text)
        var (fragment, query): (Bytes?, Bytes?)
        let onlyFragment = input.first == UInt8(ascii: "#")
        (input, fragment) = Self.cut(input, at: UInt8(ascii: "#"))
        if let end = Self.endOfScheme(input) {
            scheme = String(decoding: input[..<end], as: UTF8.self).lowercased()
            isSpecial = Self.defaultPorts.keys.contains(scheme)
            (input, query) = Self.cut(input[(end + 1)...], at: UInt8(ascii: "?"))
            guard parse(afterScheme: input, query, base) else { return nil }
        } else {
            guard let base else { return nil }
            if case .opaque = base.path, !onlyFragment { return nil }
            (scheme, isSpecial) = (base.scheme, base.isSpecial)
            (input, query) = Self.cut(input, at: UInt8(ascii: "?"))
            let isDone =
                onlyFragment
                ? copy(base) : scheme == "file" ? parse(file: input, query, base) : parse(relative: input, query, base)
            guard isDone else { return nil }
        }
        if let query { self.query = (isSpecial ? AddressCharacters.specialQuery : .query).escaped(query) }
        self.fragment = fragment.map { AddressCharacters.query.escaped($0) }
    }

    /// The address as text that RFC 3986 allows.
    var text: String {
        var bytes = Array(scheme.utf8) + [UInt8(ascii: ":")]
        if let host {
            bytes += "//".utf8
            bytes += user
            if !password.isEmpty { bytes += [UInt8(ascii: ":")] + password }
            if !user.isEmpty || !password.isEmpty { bytes.append(UInt8(ascii: "@")) }
            bytes += host
            if let port { bytes += ":\(port)".utf8 }
        }
        switch path {
        case .opaque(let path): bytes += path
        case .list(let parts):
            // Without this prefix, the first part would be read as a host.
            if host == nil, parts.count > 1, parts[0].isEmpty { bytes += "/.".utf8 }
            for part in parts { bytes += [UInt8(ascii: "/")] + part }
        }
        if let query { bytes += [UInt8(ascii: "?")] + query }
        if let fragment { bytes += [UInt8(ascii: "#")] + fragment }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Removes control characters and blanks at the ends, and tabs and line ends everywhere.
    private static func cleaned(_ text: String) -> Bytes {
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.first, byte <= 0x20 { bytes.removeFirst() }
        while let byte = bytes.last, byte <= 0x20 { bytes.removeLast() }
        guard bytes.contains(where: { $0 < 0x20 }) else { return bytes }
        return bytes.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }[...]
    }

    private static func cut(_ input: Bytes, at mark: UInt8) -> (Bytes, Bytes?) {
        guard let place = input.firstIndex(of: mark) else { return (input, nil) }
        return (input[..<place], input[(place + 1)...])
    }

    /// The position of the colon after a scheme; nil if the text begins with no scheme.
    private static func endOfScheme(_ input: Bytes) -> Int? {
        guard let first = input.first, first.isASCIILetter else { return nil }
        let end = input.firstIndex { !($0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0)) }
        return end.flatMap { input[$0] == UInt8(ascii: ":") ? $0 : nil }
    }

    private func isSlash(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: "/") || isSpecial && byte == UInt8(ascii: "\\")
    }

    // MARK: Beginnings (the states from "scheme" to "relative slash")

    private mutating func parse(afterScheme input: Bytes, _ query: Bytes?, _ base: WebAddress?) -> Bool {
        if scheme == "file" { return parse(file: input, query, base?.scheme == "file" ? base : nil) }
        let hasTwoSlashes = input.starts(with: "//".utf8)
        if isSpecial {
            if let base, base.scheme == scheme, !hasTwoSlashes { return parse(relative: input, query, base) }
            return parse(authority: input.drop { isSlash($0) })
        }
        if hasTwoSlashes { return parse(authority: input.dropFirst(2)) }
        if input.first == UInt8(ascii: "/") {
            append(path: input.dropFirst())
        } else {
            path = .opaque(AddressCharacters.opaquePath.escaped(input))
        }
        return true
    }

    private mutating func parse(relative input: Bytes, _ query: Bytes?, _ base: WebAddress) -> Bool {
        let rest = input.dropFirst()
        if isSlash(input.first) {
            if isSlash(rest.first) {
                return parse(authority: isSpecial ? rest.drop { isSlash($0) } : rest.dropFirst())
            }
            copyAuthority(base)
            append(path: rest)
            return true
        }
        copy(base)
        if !input.isEmpty || query != nil { self.query = nil }
        guard !input.isEmpty else { return true }
        shorten()
        append(path: input)
        return true
    }

    private mutating func copyAuthority(_ base: WebAddress) {
        (user, password, host, port) = (base.user, base.password, base.host, base.port)
    }

    @discardableResult
    private mutating func copy(_ base: WebAddress) -> Bool {
        copyAuthority(base)
        (path, query) = (base.path, base.query)
        return true
    }

    // MARK: Authority

    private mutating func parse(authority input: Bytes) -> Bool {
        let end = input.firstIndex { isSlash($0) } ?? input.endIndex
        var name = input[..<end]
        if let mark = name.lastIndex(of: UInt8(ascii: "@")) {
            let (user, password) = Self.cut(name[..<mark], at: UInt8(ascii: ":"))
            self.user = AddressCharacters.user.escaped(user)
            self.password = password.map { AddressCharacters.user.escaped($0) } ?? []
            name = name[(mark + 1)...]
            guard !name.isEmpty else { return false }
        }
        let afterBrackets = name.lastIndex(of: UInt8(ascii: "]")) ?? name.startIndex
        if let colon = name[afterBrackets...].firstIndex(of: UInt8(ascii: ":")) {
            guard colon > name.startIndex, setPort(name[(colon + 1)...]) else { return false }
            name = name[..<colon]
        }
        guard !(isSpecial && name.isEmpty), let host = AddressHost(name, isSpecial: isSpecial) else { return false }
        self.host = host.text
        start(path: input[end...])
        return true
    }

    private mutating func setPort(_ digits: Bytes) -> Bool {
        guard digits.allSatisfy(\.isASCIIDigit) else { return false }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        guard significant.count <= 5 else { return false }
        let value = significant.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard value <= 65_535 else { return false }
        let number = UInt16(value)
        port = digits.isEmpty || Self.defaultPorts[scheme] == .some(number) ? nil : number
        return true
    }

    // MARK: Files

    private mutating func parse(file input: Bytes, _ query: Bytes?, _ base: WebAddress?) -> Bool {
        host = []
        let rest = input.dropFirst()
        guard isSlash(input.first) else {
            guard let base else {
                append(path: input)
                return true
            }
            copy(base)
            if !input.isEmpty || query != nil { self.query = nil }
            guard !input.isEmpty else { return true }
            if Self.beginsWithDrive(input) { path = .list([]) } else { shorten() }
            append(path: input)
            return true
        }
        guard isSlash(rest.first) else {
            if let base {
                host = base.host
                if !Self.beginsWithDrive(rest), case .list(let parts) = base.path, let first = parts.first,
                    Self.isDrive(first[...], normalized: true)
                {
                    path = .list([first])
                }
            }
            append(path: rest)
            return true
        }
        let afterSlashes = rest.dropFirst()
        let end = afterSlashes.firstIndex { isSlash($0) } ?? afterSlashes.endIndex
        let name = afterSlashes[..<end]
        if Self.isDrive(name, normalized: false) {
            append(path: afterSlashes)
            return true
        }
        if !name.isEmpty {
            guard let host = AddressHost(name, isSpecial: true) else { return false }
            self.host = host.text == Array("localhost".utf8) ? [] : host.text
        }
        start(path: afterSlashes[end...])
        return true
    }

    /// Whether a part is a drive letter of Windows. `normalized` accepts only a colon after the letter.
    private static func isDrive(_ part: Bytes, normalized: Bool) -> Bool {
        guard part.count == 2, let first = part.first, let last = part.last, first.isASCIILetter else { return false }
        return last == UInt8(ascii: ":") || !normalized && last == UInt8(ascii: "|")
    }

    private static func beginsWithDrive(_ input: Bytes) -> Bool {
        guard isDrive(input.prefix(2), normalized: false) else { return false }
        return input.count == 2 || "/\\".utf8.contains(input[input.startIndex + 2])
    }

    // MARK: Path

    /// Reads the path after a host. A web address without a path has the path `/`.
    private mutating func start(path input: Bytes) {
        if isSpecial || !input.isEmpty { append(path: isSlash(input.first) ? input.dropFirst() : input) }
    }

    private mutating func append(path input: Bytes) {
        var parts = listed
        var start = input.startIndex
        while true {
            let end = input[start...].firstIndex { isSlash($0) }
            let part = input[start..<(end ?? input.endIndex)]
            switch Self.dots(part) {
            case 2:
                shorten(&parts)
                if end == nil { parts.append([]) }
            case 1:
                if end == nil { parts.append([]) }
            default:
                if scheme == "file", parts.isEmpty, let letter = part.first, Self.isDrive(part, normalized: false) {
                    parts.append([letter, UInt8(ascii: ":")])
                } else {
                    parts.append(AddressCharacters.segment.escaped(part))
                }
            }
            guard let end else { break }
            start = end + 1
        }
        path = .list(parts)
    }

    private var listed: [[UInt8]] {
        if case .list(let parts) = path { parts } else { [] }
    }

    /// The number of dots of a part that consists of one or two dots, each also as `%2e`; 0 for another part.
    private static func dots(_ part: Bytes) -> Int {
        guard part.count <= 6 else { return 0 }
        let decoded = PercentEncoding.decoded(part)
        guard part.count == decoded.count + 2 * part.count(where: { $0 == UInt8(ascii: "%") }) else { return 0 }
        return decoded == [0x2E] ? 1 : decoded == [0x2E, 0x2E] ? 2 : 0
    }

    private mutating func shorten() {
        var parts = listed
        shorten(&parts)
        path = .list(parts)
    }

    /// Removes the last part. The drive letter of a file stays.
    private func shorten(_ parts: inout [[UInt8]]) {
        if scheme == "file", parts.count == 1, Self.isDrive(parts[0][...], normalized: true) { return }
        _ = parts.popLast()
    }
}
