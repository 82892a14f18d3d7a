import CWebImageXML
package import Foundation
package import WebImageCore

/// Reads web pages with libxml2's HTML parser, here or in a decoder process.
package enum PageReader {
    /// The most bytes of a page that are read.
    package static let mostBytes = 512 << 10
    /// The longest time for a page. A page of this size takes some 15 ms.
    package static let mostTime = Duration.seconds(5)

    /// Reads a page in another process.
    package typealias Isolated = @Sendable (_ page: Data, _ charset: String?) throws(WebImageError) -> PageContent

    private static let isolated = Locked<LockedFunction<Isolated>?>(nil)

    /// Reads pages by another function from now on.
    package static func isolate(_ reader: @escaping Isolated) { isolated.withLock { $0 = LockedFunction(reader) } }

    /// Reads a page: in a decoder process if they are enabled, otherwise here. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - page: The page, of which the first ``mostBytes`` bytes are read.
    ///   - charset: The `charset` of the response's media type.
    /// - Throws: `.unsupportedFormat` if libxml2 is missing. `.limitExceeded` if the page takes too long. The errors of
    ///   decoder processes.
    package static func read(_ page: Data, charset: String?) throws(WebImageError) -> PageContent {
        let page = page.prefix(mostBytes)
        if let isolated = isolated.withLock({ $0 }) { return try isolated.call(page, charset) }
        return try readHere(page, charset: charset)
    }

    /// Loads all that reading needs, for a process that opens no file later.
    package static func prepare() {
        PageConverters.prepare()
        _ = try? readHere(Data("<title>a</title><meta name='og:title' content='&eacute;'>".utf8), charset: nil)
        let data = #"<script type="application/ld+json">{"image":["a"],"name":1.5}</script>"#
        for charset in ["utf-8", "shift_jis", "iso-2022-jp"] { _ = try? readHere(Data(data.utf8), charset: charset) }
    }

    /// Reads a page in this process.
    package static func readHere(
        _ page: Data, charset: String?, within time: Duration = mostTime
    ) throws(WebImageError) -> PageContent {
        let xml = try XMLLibrary.functions()
        var limits = DecodingLimits.default
        limits.maxDecodeTime = time
        let deadline = DecodeDeadline(limits)
        let page = page.prefix(mostBytes)
        let set = PageCharset(of: page, declared: charset)
        var text = try PageText.utf8(page, from: set, deadline)
        PageMarkup.tame(&text)
        // The parser reads a tag when it has seen some bytes behind it. It never learns that the page ends, so that a tag
        // which the limit has cut, with half of an address, is not read.
        text.append(contentsOf: "\n\n\n\n".utf8)
        let collector = PageCollector(deadline)
        try withExtendedLifetime(collector) { () throws(WebImageError) in
            try parse(text, to: collector, by: xml, deadline)
        }
        return collector.content
    }

    private static func parse(
        _ text: Data, to collector: PageCollector, by xml: XMLFunctions, _ deadline: DecodeDeadline
    ) throws(WebImageError) {
        var handlers = webimage_page_handlers()
        handlers.start_element = startElement
        handlers.end_element = endElement
        handlers.characters = characters
        handlers.cdata = characters
        let parser = withUnsafeMutablePointer(to: &handlers) {
            // The parser copies the handlers.
            xml.htmlCreatePushParserCtxt(
                OpaquePointer($0), Unmanaged.passUnretained(collector).toOpaque(), nil, 0, nil, WEBIMAGE_XML_UTF8)
        }
        guard let parser else { throw WebImageError(.outOfMemory, stage: .decode) }
        HandleLedger.opened("libxml2")
        defer {
            xml.htmlFreeParserCtxt(parser)
            HandleLedger.closed("libxml2")
        }
        _ = xml.htmlCtxtUseOptions(parser, WEBIMAGE_XML_OPTIONS)
        collector.whenEnough { xml.xmlStopParser(parser) }
        // In one piece: if a quoted value is cut between two pieces, libxml2 2.9.14 holds all that follows back until the end.
        text.withUnsafeBytes { bytes in
            _ = bytes.withMemoryRebound(to: CChar.self) {
                xml.htmlParseChunk(parser, $0.baseAddress, Int32($0.count), 0)
            }
        }
        try deadline.check()
    }

    private static func collector(_ data: UnsafeMutableRawPointer?) -> PageCollector? {
        data.map { Unmanaged<PageCollector>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func text(_ bytes: UnsafePointer<UInt8>) -> String { String(cString: bytes) }

    private static let startElement:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<UInt8>, UnsafeMutablePointer<UnsafePointer<UInt8>?>?
        ) -> Void = { data, name, attributes in
            guard let collector = collector(data), !collector.hasEnough else { return }
            var all: [(String, String)] = []
            var next = attributes
            while let pair = next, let key = pair[0], all.count < 64 {
                all.append((text(key).lowercased(), pair[1].map(text) ?? ""))
                next = pair + 2
            }
            collector.start(text(name).lowercased(), all)
        }

    private static let endElement: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>) -> Void = {
        collector($0)?.end(text($1).lowercased())
    }

    private static let characters: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>, Int32) -> Void = {
        collector($0)?.characters(UnsafeBufferPointer(start: $1, count: Int($2)))
    }
}

/// The functions of libxml2. The library is loaded when they are needed for the first time.
enum XMLLibrary {
    private static let loaded = Result { () throws(WebImageError) -> XMLFunctions in
        let functions = try SharedLibrary.functions(of: XML_LIBRARY, package: "libxml2") { XMLFunctions_bind($0, $1) }
        functions.xmlInitParser()
        return functions
    }

    static func functions() throws(WebImageError) -> XMLFunctions { try loaded.get() }
}
