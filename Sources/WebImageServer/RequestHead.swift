import Foundation
import WebImageCore
import WebImageService

/// The limits of a request's head.
struct HeadLimits: Sendable, Hashable {
    /// The maximum size of a head in bytes.
    var head = 32 << 10
    /// The maximum length of a target in bytes.
    var target = 16 << 10
    /// The maximum number of fields. The service looks fields up one after another.
    static let fields = 200
    /// The maximum length of a method, and of the version with the spaces and the line end, in bytes.
    static let method = 32, version = 11
}

/// The reason why a head is refused. The connection is closed after the answer, because the end of a malformed head is
/// not certain.
struct HeadError: Error, Hashable {
    let status: Int
    /// One sentence for the client and the log. It contains no byte of the head.
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates an error with status 400.
    init(_ message: String) { self.init(400, message) }
}

/// Finds the end of a head in bytes that arrive in parts.
///
/// It reads every byte exactly once and refuses a line that two readers could end at different places: a line feed
/// without a carriage return, a carriage return without a line feed, a control character, and a folded line (RFC 9112
/// §2.2, §5.2).
struct HeadScanner: Hashable {
    private var position = 0
    private var lineStart = 0
    private var lines = 0
    private var last: UInt8 = 0

    /// Reads the bytes that arrived since the last call.
    ///
    /// - Parameter bytes: All bytes of the head so far.
    /// - Returns: The size of the head; nil if the head is incomplete.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, _ limits: HeadLimits) throws(HeadError) -> Int? {
        while position < bytes.count {
            let byte = bytes[position]
            if last == 0x0D, byte != 0x0A { throw HeadError("a carriage return has no line feed") }
            switch byte {
            case 0x0A:
                guard last == 0x0D else { throw HeadError("a line feed has no carriage return") }
                let isEmpty = position - lineStart == 1
                if isEmpty, lines > 0 { return position + 1 }
                // An empty line before the request line is ignored (RFC 9112 §2.2).
                if !isEmpty { lines += 1 }
                lineStart = position + 1
            case 0x0D: break
            case 0x09, 0x20:
                if position == lineStart { throw HeadError("a line begins with white space") }
                if byte == 0x09, lines == 0 { throw HeadError("the request line contains a tab") }
            case 0x00...0x1F, 0x7F: throw HeadError("the head contains a control character")
            default: break
            }
            last = byte
            position += 1
            if lines == 0, position - lineStart > limits.target + HeadLimits.method + HeadLimits.version {
                throw HeadError(414, "the target is too long")
            }
            if position >= limits.head { throw HeadError(431, "the head is too large") }
            if lines > HeadLimits.fields + 1 { throw HeadError(431, "the head has too many fields") }
        }
        return nil
    }
}

/// A complete head. It is accepted only if every byte has one meaning, so that this server and a proxy in front of it
/// read the same requests (RFC 9112 §11.2).
struct RequestHead: Hashable {
    var method = ""
    /// The target in origin form.
    var target = ""
    var headers = ServiceHeaders()
    /// Whether the client keeps the connection open for a further request.
    var isPersistent = true
    /// Whether the client understands only HTTP/1.0.
    var isOld = false
    /// Whether a field `Connection` asks to close the connection.
    private var isClosing = false

    /// Parses the bytes of a head that a ``HeadScanner`` has found.
    init(_ bytes: UnsafeRawBufferPointer, _ limits: HeadLimits) throws(HeadError) {
        var rest = bytes[...]
        var line = Self.line(&rest)
        while line.isEmpty, !rest.isEmpty { line = Self.line(&rest) }
        try readRequestLine(line, limits)
        var facts = FieldFacts()
        while true {
            let line = Self.line(&rest)
            if line.isEmpty { break }
            guard headers.fields.count < HeadLimits.fields else { throw HeadError(431, "the head has too many fields") }
            try read(line, &facts)
        }
        try check(facts)
    }

    /// Removes the next line with its CRLF and returns it without the CRLF.
    private static func line(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        guard let end = rest.firstIndex(of: 0x0D) else {
            defer { rest = rest[rest.endIndex...] }
            return rest
        }
        defer { rest = rest[min(end + 2, rest.endIndex)...] }
        return rest[..<end]
    }

    // MARK: The request line

    private mutating func readRequestLine(
        _ line: Slice<UnsafeRawBufferPointer>, _ limits: HeadLimits
    ) throws(HeadError) {
        guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last else {
            throw HeadError("the request line is not METHOD TARGET VERSION")
        }
        let (name, place, version) = (line[..<first], line[(first + 1)..<last], line[(last + 1)...])
        // Methods with other characters exist in RFC 9110, but nginx refuses them.
        guard (1...HeadLimits.method).contains(name.count),
            name.allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x2D || $0 == 0x5F })
        else { throw HeadError("the method is malformed") }
        guard version.count == 8, version.starts(with: "HTTP/".utf8), version[last + 6].isASCIIDigit,
            version[last + 7] == 0x2E, version[last + 8].isASCIIDigit
        else { throw HeadError("the version of the request line is malformed, or the target contains a space") }
        // A higher minor version is read as the highest known one (RFC 9110 §2.5).
        guard version[last + 6] == 0x31 else {
            throw HeadError(505, "the version is not HTTP/1.0 or HTTP/1.1")
        }
        guard !place.isEmpty, !place.contains(0x20) else { throw HeadError("the target is empty or contains a space") }
        guard place.count <= limits.target else { throw HeadError(414, "the target is too long") }
        method = String(decoding: name, as: UTF8.self)
        isOld = version[last + 8] == 0x30
        isPersistent = !isOld
        // CONNECT is a request to a proxy, and TRACE sends the head back with its secrets. nginx refuses both and closes
        // the connection.
        guard method != "CONNECT", method != "TRACE" else { throw HeadError(405, "the method is not supported") }
        let path = try Self.originForm(place)
        guard TargetPath.isUnambiguous(path) else { throw HeadError("the path of the target is malformed") }
        target = String(decoding: path, as: UTF8.self)
    }

    /// Removes scheme and authority from a target in absolute form (RFC 9112 §3.2.2). The forms for CONNECT (an
    /// authority) and for the whole server (`*`) have no meaning here.
    private static func originForm(_ target: Slice<UnsafeRawBufferPointer>) throws(HeadError) -> [UInt8] {
        if target.first == 0x2F { return Array(target) }
        for scheme in ["http://", "https://"] where target.count > scheme.utf8.count {
            let prefix = target.prefix(scheme.utf8.count)
            guard prefix.map({ TokenBytes.lowercased($0) }) == Array(scheme.utf8) else { continue }
            let rest = target.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
            guard HostName.isValid(rest[..<end]) else { throw HeadError("the host of the target is malformed") }
            return rest[end...].first == 0x2F ? Array(rest[end...]) : [0x2F] + Array(rest[end...])
        }
        throw HeadError("the target is neither a path nor an http URL")
    }

    // MARK: Fields

    /// The fields that decide where a request ends.
    private struct FieldFacts {
        var hosts = 0, lengths = 0, codings = 0
        var hasBody = false
        var seen: Set<String> = []
    }

    /// Fields that nginx accepts only once. A request with two of them would otherwise have two meanings. nginx also refuses
    /// two lines of `If-Match` and `If-None-Match`, but they are one list (RFC 9110 §5.3).
    private static let single: Set<String> = [
        "host", "content-length", "transfer-encoding", "if-modified-since", "if-unmodified-since", "if-range", "expect",
        "authorization", "user-agent", "referer", "range", "content-type",
        "upgrade",
    ]
    private static let lengthsOfSingle = Set(single.map(\.utf8.count))

    private mutating func read(_ line: Slice<UnsafeRawBufferPointer>, _ facts: inout FieldFacts) throws(HeadError) {
        guard let colon = line.firstIndex(of: 0x3A) else { throw HeadError("a field has no colon") }
        let name = line[..<colon]
        guard !name.isEmpty else { throw HeadError("a field has no name") }
        guard name.allSatisfy(TokenBytes.contains) else { throw HeadError("the name of a field is malformed") }
        var value = line[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        headers.append(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        if name.count == 10 { readConnection(name, value) }
        guard Self.lengthsOfSingle.contains(name.count) else { return }
        let key = String(decoding: name.map(TokenBytes.lowercased), as: UTF8.self)
        guard Self.single.contains(key) else { return }
        guard facts.seen.insert(key).inserted else { throw HeadError("a field occurs twice that may occur once") }
        switch key {
        case "host":
            facts.hosts += 1
            guard HostName.isValid(value) else { throw HeadError("the host is malformed") }
        case "content-length":
            facts.lengths += 1
            guard (1...18).contains(value.count), value.allSatisfy({ $0.isASCIIDigit }) else {
                throw HeadError("the length of the body is malformed")
            }
            facts.hasBody = value.contains { $0 != 0x30 }
        case "transfer-encoding": facts.codings += 1
        default: break
        }
    }

    private mutating func readConnection(_ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>)
    {
        guard name.map(TokenBytes.lowercased) == Array("connection".utf8) else { return }
        // Search for the words anywhere in the value, as nginx does. A server that reads `closed` in another way would
        // see a further request where nginx sees none.
        let text = String(decoding: value.map(TokenBytes.lowercased), as: UTF8.self)
        if text.contains("close") {
            isClosing = true
        } else if isOld, text.contains("keep-alive") {
            isPersistent = true
        }
    }

    private mutating func check(_ facts: FieldFacts) throws(HeadError) {
        if isClosing { isPersistent = false }
        if facts.hosts == 0, !isOld { throw HeadError("the field Host is missing") }
        if facts.codings > 0, facts.lengths > 0 || isOld { throw HeadError("the length of the body is ambiguous") }
        if facts.codings > 0 || facts.hasBody { throw HeadError(413, "a request has no body here") }
    }
}

/// The characters of methods and field names (RFC 9110 §5.6.2).
private enum TokenBytes {
    static func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        // ! # $ % & ' * + - . ^ _ ` | ~
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

/// The syntax of a host with an optional port (RFC 3986 §3.2.2).
private enum HostName {
    static func isValid(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        var host = text
        if text.first == 0x5B {
            guard let end = text.firstIndex(of: 0x5D), end > text.startIndex + 1 else { return false }
            let address = text[(text.startIndex + 1)..<end]
            let isHexadecimal = address.allSatisfy { isHexDigit($0) || $0 == 0x3A || $0 == 0x2E }
            return isHexadecimal && isPort(text[(end + 1)...])
        }
        if let colon = text.firstIndex(of: 0x3A) {
            guard isPort(text[colon...]) else { return false }
            host = text[..<colon]
        }
        guard !host.isEmpty, host.count <= 255 else { return false }
        var last: UInt8 = 0
        for byte in host {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x7E: break
            // Two dots stand for an empty label. nginx refuses such a host.
            case 0x2E: if last == 0x2E { return false }
            // ! $ & ' ( ) * + , ; =
            case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: break
            default: return false
            }
            last = byte
        }
        return true
    }

    private static func isPort(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = text.first else { return true }
        let digits = text.dropFirst()
        return first == 0x3A && digits.count <= 5 && digits.allSatisfy { $0.isASCIIDigit }
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}

/// The rules for the path of a target.
private enum TargetPath {
    /// Whether the percent escapes of the path are complete, none is a zero byte, and no `..` leads above the root. A
    /// proxy refuses such a path or changes it.
    static func isUnambiguous(_ target: [UInt8]) -> Bool {
        var depth = 0, part: [UInt8] = [], index = 0
        // Empty parts and `.` do not change the depth.
        func close() -> Bool {
            if part == [0x2E, 0x2E] { depth -= 1 } else if !part.isEmpty, part != [0x2E] { depth += 1 }
            part.removeAll(keepingCapacity: true)
            return depth >= 0
        }
        loop: while index < target.count {
            var byte = target[index]
            index += 1
            switch byte {
            case 0x3F, 0x23: break loop
            case 0x25:
                guard index + 1 < target.count, HostName.isHexDigit(target[index]),
                    HostName.isHexDigit(target[index + 1])
                else { return false }
                byte = value(target[index]) << 4 | value(target[index + 1])
                index += 2
                if byte == 0 { return false }
            default: break
            }
            if byte == 0x2F {
                guard close() else { return false }
            } else if part.count < 3 {
                part.append(byte)
            }
        }
        return close()
    }

    private static func value(_ digit: UInt8) -> UInt8 { digit <= 0x39 ? digit - 0x30 : (digit | 0x20) - 0x61 + 10 }
}
