import Foundation
import WebImageCore
import WebImageLoading

/// A source while it is being fetched. Requests for the untouched source read it from its beginning, each at its own
/// pace.
///
/// All readers use the memory or the file of the download, so a slow reader needs no memory of its own.
final class ArrivingSource: Sendable {
    /// What an answer needs before its first byte.
    struct Beginning: Sendable {
        let head: SourceHead
        let format: ImageFormat
        /// The size of the source; nil if the server does not declare it or sends the body compressed.
        let byteCount: Int?
        /// Whether the disk will hold the source.
        let isStored: Bool
    }

    enum Piece: Sendable {
        case bytes(Data)
        /// The next bytes have not arrived. The reader's function is called when this may have changed.
        case waiting
        case ended
        case failed(WebImageError)
    }

    private struct State {
        var body: GrowingBody?
        var head: SourceHead?
        var byteCount: Int?
        var isStored = false
        var beginning: Beginning?
        var permit: WorkLimiter.Permit?
        var hasReaders = false
        var outcome: Result<Void, WebImageError>?
        var waiters: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    /// The newest purge that was known when the fetch began; see ``PurgeJournal``.
    let seen: Int
    private let state = Locked(State())
    private let whenBegun: @Sendable () -> Void

    /// The number of bytes without which no answer begins. Shorter sources are sent when they are complete.
    private static let leastBytes = 256
    /// The most bytes that are searched for the format.
    private static let mostSniffed = 256 << 10

    /// - Parameter whenBegun: Called once when an answer could begin, on the thread that receives bodies.
    init(seen: Int, whenBegun: @escaping @Sendable () -> Void) { (self.seen, self.whenBegun) = (seen, whenBegun) }

    // MARK: The fetch

    /// Takes the body of a response. After a failed attempt another body can follow; answers that have begun with the
    /// bytes of the first one fail.
    func receive(_ body: GrowingBody, _ head: SourceHead, byteCount: Int?, isStored: Bool = false) {
        let (isNew, waiters) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
            guard state.outcome == nil, state.body?.id != body.id else { return (false, []) }
            guard state.beginning == nil else { return (false, Self.end(&state, .failure(Self.replaced))) }
            (state.body, state.head, state.byteCount, state.isStored) = (body, head, byteCount, isStored)
            return (true, [])
        }
        for wake in waiters { wake() }
        guard isNew else { return }
        body.whenGrown { [weak self, id = body.id] in self?.grown(id) }
        grown(body.id)
    }

    private func grown(_ id: ObjectIdentifier) {
        let (body, head, byteCount) = state.withLock { state in
            let isOpen = state.body?.id == id && state.beginning == nil && state.outcome == nil
            return (state.body, isOpen ? state.head : nil, state.byteCount)
        }
        if let body, let head, body.count() >= Self.leastBytes { begin(body, head: head, byteCount: byteCount) }
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for wake in waiters { wake() }
    }

    private func begin(_ body: GrowingBody, head: SourceHead, byteCount: Int?) {
        let bytes = body.piece(0).prefix(Self.mostSniffed)
        let format = ImageFormat(beginning: bytes)
        let isFirst = state.withLock { state in
            guard state.body?.id == body.id, state.beginning == nil, state.outcome == nil else { return false }
            if let format {
                state.beginning = Beginning(
                    head: head, format: format, byteCount: byteCount, isStored: state.isStored)
            } else if bytes.count == Self.mostSniffed {
                // The format is only known at the end.
                state.head = nil
            }
            return format != nil
        }
        if isFirst { whenBegun() }
    }

    /// Ends the fetch. Answers end with its last byte only if the source was accepted and is what they have received.
    func end(_ outcome: Result<Source, WebImageError>) {
        let body = state.withLock { $0.hasReaders ? $0.body : nil }
        var result = outcome.map { _ in () }
        if case .success(let source) = outcome, let body, !Self.isSame(source.data, body) {
            // A stale source can replace one whose transfer has failed.
            result = .failure(Self.replaced)
        }
        let (waiters, permit) = state.withLock { (Self.end(&$0, result), $0.permit.take()) }
        for wake in waiters { wake() }
        withExtendedLifetime(permit) {}
    }

    private static func end(_ state: inout State, _ outcome: Result<Void, WebImageError>) -> [@Sendable () -> Void] {
        defer { state.waiters = [:] }
        if state.outcome == nil { state.outcome = outcome }
        return Array(state.waiters.values)
    }

    private static var replaced: WebImageError {
        WebImageError(
            .invalidDownloadResponse, stage: .download,
            underlying: .message("another body took the place of the one that was being sent"))
    }

    private static func isSame(_ data: Data, _ body: GrowingBody) -> Bool {
        guard data.count == body.count() else { return false }
        var offset = 0
        while offset < data.count {
            let piece = body.piece(offset)
            guard !piece.isEmpty, piece == data.dropFirst(offset).prefix(piece.count) else { return false }
            offset += piece.count
        }
        return true
    }

    // MARK: Readers

    /// Keeps a permit until the fetch ends. One permit is enough for all readers, so further ones are released.
    func keep(_ permit: WorkLimiter.Permit?) {
        state.withLock { if $0.outcome == nil, $0.permit == nil { $0.permit = permit } }
    }

    var hasPermit: Bool { state.withLock { $0.permit != nil } }

    /// Returns what an answer needs to begin; nil if the source is complete, has failed, or has not begun.
    func join() -> Beginning? {
        state.withLock { state in
            guard state.outcome == nil, let beginning = state.beginning else { return nil }
            state.hasReaders = true
            return beginning
        }
    }

    /// Returns the bytes from `range.lowerBound` on that have arrived.
    ///
    /// The last byte of a source of known size is withheld until the source is accepted, so that no client takes a source
    /// that fails in the end for a whole one.
    /// - Parameters:
    ///   - range: The wanted bytes; its end is `Int.max` for a source of unknown size.
    ///   - wake: Called once, on any thread, after `.waiting`. It must return quickly.
    func piece(
        _ range: Range<Int>, for reader: ObjectIdentifier, wake: @escaping @Sendable () -> Void
    ) -> Piece {
        while true {
            let (body, byteCount, outcome) = state.withLock { ($0.body, $0.byteCount, $0.outcome) }
            if case .failure(let error) = outcome { return .failed(error) }
            guard let body else { return .failed(Self.replaced) }
            let count = body.count()
            if range.isEmpty || outcome != nil && range.lowerBound >= count { return .ended }
            var end = min(range.upperBound, count)
            if outcome == nil, let byteCount { end = min(end, byteCount - 1) }
            if range.lowerBound < end {
                let bytes = body.piece(range.lowerBound).prefix(end - range.lowerBound)
                return bytes.isEmpty ? .failed(.posix(EIO, stage: .download)) : .bytes(bytes)
            }
            let waits = state.withLock { state in
                guard state.outcome == nil, body.count() == count else { return false }
                state.waiters[reader] = wake
                return true
            }
            if waits { return .waiting }
        }
    }

    /// Wakes a reader that waits, for the last time.
    func leave(_ reader: ObjectIdentifier) {
        let wake = state.withLock { $0.waiters.removeValue(forKey: reader) }
        wake?()
    }
}

/// A request that can read a source while it arrives.
final class SourceReader: Sendable {
    private let permit: Locked<WorkLimiter.Permit?>
    private let begun: @Sendable (ArrivingSource) -> Void

    /// - Parameters:
    ///   - permit: Nil if the running fetch has one.
    ///   - begun: Receives the source when its beginning has arrived and its end has not. Called at most once, on any thread;
    ///     it must return quickly.
    init(_ permit: WorkLimiter.Permit?, begun: @escaping @Sendable (ArrivingSource) -> Void) {
        (self.permit, self.begun) = (Locked(permit), begun)
    }

    func begin(_ source: ArrivingSource) {
        passPermit(to: source)
        begun(source)
    }

    /// Leaves the permit of this request to the fetch that it has started or joined.
    func passPermit(to source: ArrivingSource) { source.keep(permit.withLock { $0.take() }) }

    /// Releases a permit that no fetch has taken.
    func releasePermit() {
        let permit = permit.withLock { $0.take() }
        withExtendedLifetime(permit) {}
    }
}

extension ImageFormat {
    /// The format of a file with this beginning; nil if further bytes can change it. Needs 256 bytes.
    fileprivate init?(beginning bytes: Data) {
        let format = ImageFormat(sniffing: bytes)
        guard format != .undefined, format != .png || Self.hasPixels(png: bytes) else { return nil }
        self = format
    }

    /// Whether the first pixels of a PNG file follow without the chunk of an animation before them.
    private static func hasPixels(png bytes: Data) -> Bool {
        var offset = 8
        while bytes.count >= offset + 8 {
            let head = bytes.dropFirst(offset).prefix(8)
            if head.suffix(4).elementsEqual("IDAT".utf8) { return true }
            offset += 12 + head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        return false
    }
}
