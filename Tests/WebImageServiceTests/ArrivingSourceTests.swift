import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits

@testable import WebImageService

/// A body that the test fills.
private final class FilledBody: Sendable {
    private let state = Locked<(data: Data, listeners: [@Sendable () -> Void])>((Data(), []))

    /// Returns at most 1,000 bytes at once.
    var growing: GrowingBody {
        GrowingBody(
            id: ObjectIdentifier(self), count: { self.state.withLock { $0.data.count } },
            piece: { offset in self.state.withLock { Data($0.data.dropFirst(offset).prefix(1000)) } },
            whenGrown: { listener in self.state.withLock { $0.listeners.append(listener) } })
    }

    func add(_ data: Data) {
        let listeners = state.withLock { state in
            state.data += data
            return state.listeners
        }
        for listener in listeners { listener() }
    }
}

@Suite(.timeLimit(minutes: 1)) struct ArrivingSourceTests {
    private let begun = Locked(0)
    private let source: ArrivingSource
    private let body = FilledBody()
    private let jpeg = Data([0xFF, 0xD8, 0xFF]) + Data(repeating: 7, count: 2997)
    private let reader = FilledBody()

    init() { source = ArrivingSource(seen: 0) { [begun] in begun.withLock { $0 += 1 } } }

    private func head() throws -> SourceHead {
        let url = try #require(URL(string: "http://example.com/a"))
        return try SourceHead(
            WebImageResponse(url: url, statusCode: 200, allHeaderFields: [:]), nil, of: url, now: 0,
            bounds: Lifetime.Bounds(), isShared: false)
    }

    private func receive(_ other: FilledBody? = nil, byteCount: Int? = nil) throws {
        source.receive((other ?? body).growing, try head(), byteCount: byteCount)
    }

    /// The bytes from `offset` on, and how the reading ended.
    private func read(_ offset: Int, to end: Int = .max, wake: @escaping @Sendable () -> Void = {}) -> (Data, String) {
        var bytes = Data()
        while true {
            switch source.piece(offset + bytes.count..<end, for: ObjectIdentifier(reader), wake: wake) {
            case .bytes(let more): bytes += more
            case .waiting: return (bytes, "waiting")
            case .ended: return (bytes, "ended")
            case .failed(let error): return (bytes, "\(error.code)")
            }
        }
    }

    private func expect(_ found: (Data, String), _ bytes: Data, _ end: String) {
        #expect(found.0 == bytes && found.1 == end, "\(found.0.count) \(found.1)")
    }

    @Test func lastByteOfAKnownSizeWaitsForTheEndOfTheFetch() throws {
        try receive(byteCount: jpeg.count)
        #expect(source.join() == nil)
        body.add(jpeg)
        #expect(source.join()?.byteCount == jpeg.count && begun.withLock { $0 } == 1)
        let wakes = Locked(0)
        expect(read(0, to: jpeg.count) { wakes.withLock { $0 += 1 } }, jpeg.dropLast(), "waiting")
        // A part without the last byte does not wait.
        expect(read(10, to: 20), jpeg[10..<20], "ended")
        source.end(.success(Source(data: jpeg, record: .local(jpeg, now: 0), lifetime: Lifetime(maxAge: 1))))
        #expect(wakes.withLock { $0 } == 1)
        expect(read(jpeg.count - 1, to: jpeg.count), jpeg.suffix(1), "ended")
        #expect(source.join() == nil)
    }

    @Test func failedFetchFailsItsReadersAtOnce() throws {
        try receive()
        body.add(jpeg)
        #expect(source.join() != nil)
        expect(read(0), jpeg, "waiting")
        source.end(.failure(.posix(EIO, stage: .download)))
        expect(read(100), Data(), "\(WebImageError.Code.fileSystem)")
    }

    /// Another attempt, or a stale source in place of a failed one, has other bytes.
    @Test func otherBytesFailReadersThatHaveBegun() throws {
        try receive()
        body.add(jpeg)
        #expect(source.join() != nil)
        try receive(FilledBody())
        expect(read(0), Data(), "\(WebImageError.Code.invalidDownloadResponse)")
        #expect(source.join() == nil)

        let second = ArrivingSource(seen: 0) {}
        second.receive(body.growing, try head(), byteCount: nil)
        #expect(second.join() != nil)
        second.end(
            .success(Source(data: Data(jpeg.reversed()), record: .local(jpeg, now: 0), lifetime: Lifetime(maxAge: 1))))
        guard case .failed = second.piece(0..<Int.max, for: ObjectIdentifier(reader), wake: {}) else {
            Issue.record("the reader takes a stale source for the new one")
            return
        }
    }

    @Test func bodyOfAFailedAttemptIsReplacedBeforeAnyReader() throws {
        try receive()
        body.add(jpeg.prefix(100))
        let next = FilledBody()
        try receive(next)
        body.add(jpeg)
        #expect(source.join() == nil)
        next.add(jpeg)
        #expect(source.join() != nil && begun.withLock { $0 } == 1)
        expect(read(0), jpeg, "waiting")
        source.end(.success(Source(data: jpeg, record: .local(jpeg, now: 0), lifetime: Lifetime(maxAge: 1))))
        expect(read(0), jpeg, "ended")
    }

    /// An answer begins when its media type cannot change any more.
    @Test func answerBeginsWhenTheFormatIsCertain() throws {
        let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        func chunk(_ name: String, _ count: Int) -> Data {
            Data([0, 0, UInt8(count >> 8), UInt8(count & 0xFF)]) + Data(name.utf8) + Data(count: count + 4)
        }
        body.add(signature + chunk("IHDR", 13) + chunk("iCCP", 500))
        try receive()
        #expect(source.join() == nil && begun.withLock { $0 } == 0)
        body.add(chunk("acTL", 8))
        #expect(source.join()?.format == .apng)
        let still = ArrivingSource(seen: 0) {}
        let second = FilledBody()
        second.add(signature + chunk("IHDR", 13) + chunk("iCCP", 500) + chunk("IDAT", 0))
        still.receive(second.growing, try head(), byteCount: nil)
        #expect(still.join()?.format == .png)
        // A part of a text can end as an SVG document does, and the whole one otherwise.
        let comment = "<p>" + String(repeating: " ", count: 500) + "</svg>"
        let drawing = ArrivingSource(seen: 0) {}
        let fourth = FilledBody()
        drawing.receive(fourth.growing, try head(), byteCount: nil)
        fourth.add(Data("<svg>\(comment)".utf8))
        #expect(drawing.join()?.format == .svg)
        for text in ["hello", comment, "<?xml version=\"1.0\"?><!-- " + String(repeating: " ", count: 2000)] {
            let unknown = ArrivingSource(seen: 0) {}
            let third = FilledBody()
            unknown.receive(third.growing, try head(), byteCount: nil)
            third.add(Data(text.utf8))
            #expect(unknown.join() == nil)
            third.add(Data(repeating: 32, count: 400_000))
            third.add(jpeg)
            #expect(unknown.join() == nil)
        }
    }

    /// A reader that leaves is woken, and not retained until the next byte.
    @Test func leavingReaderIsForgotten() throws {
        try receive()
        body.add(jpeg)
        let wakes = Locked(0)
        var object: FilledBody? = FilledBody()
        weak let released = object
        expect(read(0) { [object] in withExtendedLifetime(object) { wakes.withLock { $0 += 1 } } }, jpeg, "waiting")
        object = nil
        #expect(released != nil)
        source.leave(ObjectIdentifier(reader))
        #expect(released == nil && wakes.withLock { $0 } == 1)
        body.add(jpeg)
        #expect(wakes.withLock { $0 } == 1)
    }

    @Test(arguments: [
        ("\"abc\"", true), ("W/\"abc\"", false), ("abc", false), ("\"\"", false), ("\"a b\"", false),
        ("\"a\"b\"", false), ("\"" + String(repeating: "a", count: 255) + "\"", false), ("\"ä\"", false),
    ])
    func onlyStrongValidatorsArePassedOn(tag: String, isPassed: Bool) {
        #expect(SourceHead.entityTag(["etag": tag]) == (isPassed ? tag : nil))
    }
}
