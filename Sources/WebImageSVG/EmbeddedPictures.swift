import Foundation
import WebImageCore

/// Looks at pictures embedded in a document before librsvg does, which decodes them without any limit.
///
/// The text is searched, not parsed. What would hide a picture from such a search is refused: character references in
/// entities or in references, and encodings that are not a superset of ASCII.
struct EmbeddedPictures {
    let limits: DecodingLimits

    func check(_ document: Data) throws(WebImageError) {
        guard !document.contains("\0"), !declaresForeignEncoding(document) else {
            throw .badData("SVG", "the document is not in an encoding like ASCII", hint: "Save it as UTF-8.")
        }
        if document.contains("<!ENTITY") {
            // `&#60;` in an entity becomes `<` when it is declared, so that it may hold any element.
            let hidesText = entityDeclarations(document).contains { $0.contains("&#") || $0.contains("%") }
            guard !hidesText else {
                throw .badData("SVG", "an entity holds references", hint: "Save it without entities.")
            }
        }
        var pixels = 0
        for href in references(in: document) {
            guard !href.prefix(32).contains(UInt8(ascii: "&")) else {
                throw .badData("SVG", "a reference is written with entities", hint: "Save it without entities.")
            }
            guard let data = Self.data(of: href), ImageFormat(sniffing: data) != .svg else { continue }
            guard ImageCodersManager.shared.canDecode(from: data) else {
                throw .badData(
                    "SVG", "it holds a picture that no coder in use can look at", hint: "Add a coder for it.")
            }
            let info: ImageInfo
            do throws(WebImageError) {
                info = try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
            } catch {
                // What cannot be read is not drawn.
                guard error.code != .limitExceeded else { throw error }
                continue
            }
            pixels += info.storedSize.pixelCount
            guard pixels <= limits.maxPixels else {
                throw .limit(.pixels, actual: pixels, allowed: limits.maxPixels)
            }
        }
    }

    private func declaresForeignEncoding(_ document: Data) -> Bool {
        let start = document.prefix(256)
        guard let name = start.firstRange(of: "encoding"), start.starts(with: Data("<?xml".utf8)) else {
            return false
        }
        let value = String(decoding: start[name.upperBound...].prefix(24), as: UTF8.self).lowercased()
        return !["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-", "windows-125"].contains { value.contains($0) }
    }

    private func entityDeclarations(_ document: Data) -> [Data] {
        pieces(of: document, after: "<!ENTITY", upTo: ">")
    }

    /// The values of every `href`, whatever element it belongs to.
    private func references(in document: Data) -> [Data] {
        var values: [Data] = []
        var rest = document[...]
        while let name = rest.firstRange(of: "href") {
            rest = rest[name.upperBound...]
            let quoted = rest.drop { [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "=")].contains($0) }
            guard let quote = quoted.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { continue }
            let value = Self.start(of: quoted.dropFirst(), upTo: quote == UInt8(ascii: "'") ? "'" : "\"")
            values.append(Data(value))
            rest = rest[value.endIndex...]
        }
        return values
    }

    private func pieces(of document: Data, after start: StaticString, upTo end: StaticString) -> [Data] {
        var found: [Data] = []
        var rest = document[...]
        while let range = rest.firstRange(of: start) {
            rest = rest[range.upperBound...]
            let piece = Self.start(of: rest, upTo: end)
            found.append(Data(piece))
            rest = rest[piece.endIndex...]
        }
        return found
    }

    private static func start(of data: Data, upTo end: StaticString) -> Data {
        data[..<(data.firstRange(of: end)?.lowerBound ?? data.endIndex)]
    }

    private static func data(of href: Data) -> Data? {
        let text = String(decoding: href.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }, as: UTF8.self)
        guard text.prefix(5).lowercased() == "data:", let comma = text.firstIndex(of: ",") else { return nil }
        let payload = String(text[text.index(after: comma)...])
        guard text[..<comma].lowercased().hasSuffix("base64") else {
            return payload.removingPercentEncoding.map { Data($0.utf8) }
        }
        let plain = payload.contains("%") ? payload.removingPercentEncoding ?? payload : payload
        return Data(base64Encoded: plain, options: .ignoreUnknownCharacters)
    }
}
