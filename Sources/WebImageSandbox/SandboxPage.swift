import Foundation
import WebImageCore
import WebImagePages

/// A web page on its way to a worker: the name of its character set, if the response has one, and its bytes.
struct SandboxPage {
    private static let mostNameBytes = 64
    private let charset: String?
    private let page: Data

    init(_ page: Data, charset: String?) { (self.page, self.charset) = (page, charset) }

    /// Nil for bytes that are no page of this version.
    init?(_ bytes: Data) {
        guard let count = bytes.first.map({ Int($0) }), count <= Self.mostNameBytes, bytes.count > count else {
            return nil
        }
        let name = bytes.dropFirst().prefix(count)
        charset = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
        page = Data(bytes.dropFirst(1 + count))
    }

    private var bytes: Data {
        let name = Data((charset ?? "").utf8.prefix(Self.mostNameBytes))
        return [UInt8(name.count)] + name + page
    }

    /// Reads the page in this process.
    func read() throws(WebImageError) -> PageContent { try PageReader.readHere(page, charset: charset) }

    /// Lets a worker read the page. If no worker can start and the program allows it, reads the page in this process.
    func content(_ host: SandboxHost) throws(WebImageError) -> PageContent {
        do throws(WebImageError) {
            return try content(host.pool)
        } catch {
            guard error.code == .sandboxUnavailable, host.decodesHere else { throw error }
            SandboxHost.warnOnce(error)
            return try read()
        }
    }

    /// Lets a worker read the page.
    func content(_ pool: SandboxPool) throws(WebImageError) -> PageContent {
        var request = SandboxRequest(.page)
        request.options.limits.maxDecodeTime = PageReader.mostTime
        return try pool.withWorker(pool.kind(.pages)) { worker throws(WebImageError) in
            let payload = try worker.payload(request, .data(bytes), mostBytes: Self.mostPayloadBytes)
            guard let content = PageContent(sandboxPayload: payload) else { throw worker.endAfterMalformedAnswer() }
            return content
        }
    }

    private static let mostPayloadBytes =
        PageContent.mostEntries * (PageContent.mostValueBytes + 2 * PageContent.mostNameBytes + 32) + 8
}

extension PageContent {
    /// The entries as a worker sends them.
    var sandboxPayload: Data {
        var fields = FieldWriter()
        fields.write(entries.count)
        for entry in entries {
            fields.write(entry.kind.rawValue)
            fields.write(entry.name)
            fields.write(entry.value)
            fields.write(entry.detail)
        }
        return fields.bytes
    }

    init?(sandboxPayload bytes: Data) {
        var fields = FieldReader(bytes)
        let entries = fields.list { fields -> Entry? in
            guard let kind = fields.number(in: 0...Int.max).flatMap(Kind.init(rawValue:)), let name = fields.text(),
                let value = fields.text(), let detail = fields.text()
            else { return nil }
            return Entry(kind, name: name, value: value, detail: detail)
        }
        guard let entries, fields.rest == 0 else { return nil }
        self.init(entries)
    }
}
