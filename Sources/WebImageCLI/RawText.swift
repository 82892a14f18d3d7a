import Foundation
import WebImage

/// Converts between strings and the bytes of words that need not be UTF-8, such as file names.
///
/// A Swift string cannot contain bytes that are not UTF-8. This command stores each such byte as one scalar,
/// U+10FF00 plus the byte. The bytes of a scalar that a word already contains in this range are stored in the same way,
/// so that every word has exactly one string and every string exactly one word.
enum RawText {
    private static let scalars: ClosedRange<UInt32> = 0x10_FF00...0x10_FFFF

    /// Returns the string for the bytes of a word.
    static func string(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !isRaw(text) { return text }
        let bytes = Array(bytes)
        var text = String.UnicodeScalarView()
        var index = 0
        while index < bytes.count {
            let length =
                switch bytes[index] {
                case 0xF0...: 4
                case 0xE0...: 3
                case 0xC0...: 2
                default: 1
                }
            let piece = bytes[index..<min(index + length, bytes.count)]
            if let scalar = String(validating: piece, as: UTF8.self)?.unicodeScalars.first,
                !scalars.contains(scalar.value)
            {
                text.append(scalar)
                index += length
            } else {
                text.append(Unicode.Scalar(scalars.lowerBound + UInt32(bytes[index]))!)
                index += 1
            }
        }
        return String(text)
    }

    /// Returns the bytes of a word from its string.
    static func bytes(of text: String) -> [UInt8] {
        guard isRaw(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar -> [UInt8] in
            scalars.contains(scalar.value)
                ? [UInt8(scalar.value - scalars.lowerBound)] : Array(String(Character(scalar)).utf8)
        }
    }

    /// Returns the word as a string of C, for calls of the system.
    static func cString(_ text: String) -> [CChar] { bytes(of: text).map { CChar(bitPattern: $0) } + [0] }

    /// Whether the string contains a stored byte. The library cannot open a file with such a path.
    static func isRaw(_ text: String) -> Bool { text.unicodeScalars.contains { scalars.contains($0.value) } }

    /// The strings of the words with which this process was started.
    static var arguments: [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            CommandLine.unsafeArgv[index].map { word in
                string(UnsafeRawBufferPointer(start: word, count: strlen(word)))
            }
        }
    }

    /// Returns a word as it is printed in a line for a person. A word with a quote, a backslash, a control character, a
    /// character that changes the direction of text, or a byte that is not UTF-8 is printed as `$'…'`, in the syntax of
    /// the shells. Otherwise such a word could imitate another line or control the terminal.
    static func shown(_ text: String) -> String {
        let special = text.unicodeScalars.contains { isHidden($0) || "'\"\\".unicodeScalars.contains($0) }
        guard special || text.hasPrefix("$'") else { return text }
        return "$'"
            + text.unicodeScalars.map { scalar in
                switch scalar {
                case "'", "\\": "\\\(scalar)"
                case _ where isHidden(scalar): escaped(scalar)
                default: String(scalar)
                }
            }.joined() + "'"
    }

    /// Returns a message with its control characters escaped. The words of ``shown(_:)`` are not changed.
    static func withoutControls(_ message: String) -> String {
        guard message.unicodeScalars.contains(where: isHidden) else { return message }
        return message.unicodeScalars.map { isHidden($0) ? escaped($0) : String($0) }.joined()
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: scalars.contains(scalar.value)
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        default:
            bytes(of: String(scalar)).map { String(plainFormat: "\\x%02x", Int($0)) }.joined()
        }
    }
}

/// Calls of the system with the path of a ``RawText`` string.
enum PathCalls {
    static func exists(_ path: String) -> Bool { access(RawText.cString(path), F_OK) == 0 }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(RawText.cString(path), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates a folder and the folders above it if they are missing.
    ///
    /// - Returns: 0, or the `errno` of the failure.
    static func makeFolder(_ path: String, mode: mode_t) -> Int32 {
        if isFolder(path) { return 0 }
        let above = PathText.folder(of: path)
        if !above.isEmpty, above != path {
            let failure = makeFolder(above, mode: mode)
            guard failure == 0 else { return failure }
        }
        // Another thread or process can create the folder at the same time.
        if mkdir(RawText.cString(path), mode) == 0 { return 0 }
        let number = errno
        if isFolder(path) { return 0 }
        return number == EEXIST ? ENOTDIR : number
    }

    /// One entry of a folder.
    struct Entry: Sendable {
        enum Kind: Sendable { case file, folder, other }

        let name: String
        let kind: Kind
    }

    /// Returns the entries of a folder without `.` and `..`, in no particular order. Links are not followed. Returns
    /// nil if the folder cannot be read.
    static func entries(of folder: String) -> [Entry]? {
        guard let stream = opendir(RawText.cString(folder)) else { return nil }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { RawText.string($0.prefix { $0 != 0 }) }
            guard name != ".", name != ".." else { continue }
            var status = stat()
            guard lstat(RawText.cString(folder + "/" + name), &status) == 0 else { continue }
            let kind: Entry.Kind =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                default: .other
                }
            entries.append(Entry(name: name, kind: kind))
        }
        return entries
    }
}
