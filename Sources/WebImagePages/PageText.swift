import Foundation
import WebImageCore

/// Converts a page to UTF-8 without null characters. Bytes that are no character become U+FFFD.
enum PageText {
    /// - Throws: `.limitExceeded` if the deadline passes.
    static func utf8(_ bytes: Data, from set: PageCharset, _ deadline: DecodeDeadline) throws(WebImageError) -> Data {
        var text: Data
        switch set {
        case .utf8: text = Data(String(decoding: bytes, as: UTF8.self).utf8)
        case .utf16(let isBigEndian):
            let units = bytes.withUnsafeBytes { source in
                (0..<(source.count / 2)).map { index in
                    let unit = source.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
                    return isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
                }
            }
            text = Data(String(decoding: units, as: UTF16.self).utf8)
        case .other(let name): text = try PageConverters.utf8(bytes, from: name, deadline)
        }
        // A byte order mark is no text. A null would end the parser's input.
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = Data(text.dropFirst(3)) }
        for index in text.indices where text[index] == 0 { text[index] = UInt8(ascii: " ") }
        return text
    }
}

/// Opened converters of iconv(3). A process that opens no file keeps those that it has opened before.
enum PageConverters {
    /// The idle converters of each set, as numbers, because a pointer may not be shared.
    private static let idle = Locked<[String: [UInt]]>([:])
    private static let mostIdle = 4

    /// Opens a converter of each set.
    static func prepare() {
        for name in PageCharset.iconvNames {
            if let converter = take(name) { putBack(converter, name) }
        }
    }

    /// Converts text. If the system has no table of the set, every byte that is not ASCII becomes U+FFFD.
    static func utf8(
        _ bytes: Data, from name: String, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> Data {
        guard let converter = take(name) else {
            return Data(String(decoding: bytes.map { $0 < 0x80 ? $0 : 0xFF }, as: UTF8.self).utf8)
        }
        defer { putBack(converter, name) }
        // In its initial state, also after a text that was cut within an escape sequence.
        iconv(converter, nil, nil, nil, nil)
        var input = [CChar](bytes.map { CChar(bitPattern: $0) })
        var result = Data()
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        var start = 0
        while start < input.count {
            try deadline.check()
            let (read, written, failure) = step(converter, &input, from: start, to: &buffer)
            buffer.withUnsafeBytes { result.append(contentsOf: $0.prefix(written)) }
            start += read
            if failure == EINVAL { break }
            guard failure == EILSEQ else { continue }
            result.append(contentsOf: [0xEF, 0xBF, 0xBD])
            start += 1
        }
        return result
    }

    private static func step(
        _ converter: iconv_t, _ input: inout [CChar], from start: Int, to buffer: inout [CChar]
    ) -> (read: Int, written: Int, failure: Int32) {
        let (count, room) = (input.count - start, buffer.count)
        return input.withUnsafeMutableBufferPointer { input in
            buffer.withUnsafeMutableBufferPointer { buffer in
                var (from, left) = (input.baseAddress.map { $0 + start }, count)
                var (to, free) = (buffer.baseAddress, room)
                let result = iconv(converter, &from, &left, &to, &free)
                return (count - left, room - free, result == -1 ? errno : 0)
            }
        }
    }

    private static func take(_ name: String) -> iconv_t? {
        let known = idle.withLock { $0[name]?.popLast() }
        if let known { return iconv_t(bitPattern: known) }
        let opened = iconv_open("UTF-8", name)
        return UInt(bitPattern: opened) == .max ? nil : opened
    }

    private static func putBack(_ converter: iconv_t, _ name: String) {
        let isKept = idle.withLock { idle in
            guard idle[name, default: []].count < mostIdle else { return false }
            idle[name, default: []].append(UInt(bitPattern: converter))
            return true
        }
        if !isKept { iconv_close(converter) }
    }
}
