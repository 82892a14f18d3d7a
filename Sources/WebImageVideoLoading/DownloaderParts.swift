package import Foundation
package import WebImageCore
package import WebImageHTTP
package import WebImageLoading

extension WebImageDownloader: PartLoader {
    package func loadPart(
        _ range: Range<Int>, of load: ImageDataLoad, if validator: String?
    ) async throws(WebImageError) -> ImageDataResult {
        var fields = ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)", "Accept-Encoding": "identity"]
        // If the video has changed, the server sends the new one instead of a part (RFC 9110 §13.1.5).
        if let validator { fields["If-Range"] = validator }
        var part = load
        part.terms = FetchTerms(fields: fields, acceptsParts: true)
        (part.prepared, part.receivedData, part.receivedBody) = (nil, nil, nil)
        part.finishedAfterCancel = nil
        return try await loadData(for: part, progress: nil)
    }

    package func loadStart(
        of load: ImageDataLoad, startBytes: Int, progress: ImageLoaderProgressBlock?,
        isReadInParts: @escaping @Sendable (Data, Int) -> Bool
    ) async throws(WebImageError) -> ImageDataResult {
        let watch = StartWatch(load, startBytes: startBytes, isReadInParts)
        var watched = load
        watched.keepsPart = false
        watched.receivedBody = { watch.receive($0, $1) }
        if load.receivedData != nil { watched.receivedData = { watch.forward($0, $1) } }
        let download = Task { [watched] in
            do throws(WebImageError) {
                return Result<ImageDataResult, WebImageError>.success(
                    try await self.loadData(for: watched, progress: progress))
            } catch {
                return .failure(error)
            }
        }
        watch.whenEnough { download.cancel() }
        let result = await withTaskCancellationHandler {
            await download.value
        } onCancel: {
            download.cancel()
        }
        switch result {
        case .success(let whole):
            watch.forwardRest(of: whole)
            return whole
        case .failure(let error):
            guard error.code == .cancelled, !Task.isCancelled, let start = watch.start else { throw error }
            return start
        }
    }
}

/// Decides by the first bytes of a body whether it is received to its end. The listeners of the load receive nothing of a body
/// that ends early, and everything of any other.
private final class StartWatch: Sendable {
    private struct Arriving {
        let body: GrowingBody
        let head: WebImageResponse
        let total: Int
        /// Whether the body is read in parts; nil before its first bytes.
        var isReadInParts: Bool?
    }

    private enum Forwarding {
        /// The first bytes, until enough have arrived to decide.
        case undecided(Data)
        case withheld
        case forwarded
    }

    private struct State {
        /// The body that is received now. After a failed attempt another one can follow.
        var arriving: Arriving?
        var start: ImageDataResult?
        var whenEnough: (@Sendable () -> Void)?
        var forwarding = Forwarding.undecided(Data())
    }

    private let load: ImageDataLoad
    private let startBytes: Int
    private let isReadInParts: @Sendable (Data, Int) -> Bool
    private let state = Locked(State())

    init(_ load: ImageDataLoad, startBytes: Int, _ isReadInParts: @escaping @Sendable (Data, Int) -> Bool) {
        (self.load, self.startBytes, self.isReadInParts) = (load, startBytes, isReadInParts)
    }

    /// The start of a body that ended early; nil if none did.
    var start: ImageDataResult? { state.withLock { $0.start } }

    /// Calls a function when the body is to end early.
    func whenEnough(_ end: @escaping @Sendable () -> Void) {
        let isEnough = state.withLock { state in
            state.whenEnough = end
            return state.start != nil
        }
        if isEnough { end() }
    }

    // MARK: On the thread that receives all bodies

    func receive(_ body: GrowingBody, _ head: WebImageResponse) {
        guard let total = Self.total(of: head) else {
            load.receivedBody?(body, head)
            return
        }
        let isNew = state.withLock { state in
            guard state.arriving?.body.id != body.id, state.start == nil else { return false }
            state.arriving = Arriving(body: body, head: head, total: total)
            return true
        }
        guard isNew else { return }
        body.whenGrown { [weak self, id = body.id] in self?.grown(id) }
        grown(body.id)
    }

    /// The number of bytes of a body that the server can send in parts; nil for any other.
    private static func total(of head: WebImageResponse) -> Int? {
        let units = head.value(forHTTPHeaderField: "accept-ranges")?.lowercased() ?? ""
        let coding = head.value(forHTTPHeaderField: "content-encoding")?.lowercased() ?? ""
        guard head.statusCode == 200, units.contains("bytes"), ["", "identity"].contains(coding) else { return nil }
        return head.expectedContentLength
    }

    private func grown(_ id: ObjectIdentifier) {
        guard let arriving = state.withLock({ $0.arriving?.body.id == id ? $0.arriving : nil }) else { return }
        let count = arriving.body.count()
        var isReadInParts = arriving.isReadInParts
        if isReadInParts == nil {
            guard count >= min(VideoContainer.signatureLength, arriving.total) else { return }
            let decided = self.isReadInParts(
                arriving.body.piece(0).prefix(VideoContainer.signatureLength), arriving.total)
            let isFirst = state.withLock { state in
                guard state.arriving?.body.id == id, state.arriving?.isReadInParts == nil else { return false }
                state.arriving?.isReadInParts = decided
                return true
            }
            guard isFirst else { return }
            isReadInParts = decided
            if !decided { load.receivedBody?(arriving.body, arriving.head) }
        }
        guard isReadInParts == true, count >= startBytes else { return }
        // A download that continues an interrupted one can have many bytes at once. More than these are seldom needed.
        let bytes = arriving.body.piece(0).prefix(4 * startBytes)
        var start = ImageDataResult(start: Data(bytes), of: arriving.head, total: arriving.total)
        start.metadata = arriving.body.metadata()
        let end = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.start == nil else { return nil }
            (state.start, state.arriving) = (start, nil)
            return state.whenEnough
        }
        end?()
    }

    // MARK: On the queue of the download

    func forward(_ bytes: Data, _ head: WebImageResponse) {
        let ready = state.withLock { state -> Data? in
            switch state.forwarding {
            case .forwarded: return bytes
            case .withheld: return nil
            case .undecided(let earlier):
                let all = earlier + bytes
                state.forwarding = .undecided(all)
                return all.count >= VideoContainer.signatureLength ? all : nil
            }
        }
        guard let ready else { return }
        if state.withLock({ if case .undecided = $0.forwarding { true } else { false } }) {
            let isHeld = isReadInParts(
                ready.prefix(VideoContainer.signatureLength), head.expectedContentLength ?? ready.count)
            state.withLock { $0.forwarding = isHeld ? .withheld : .forwarded }
            if isHeld { return }
        }
        load.receivedData?(ready, head)
    }

    /// Passes a body on that has arrived as a whole, if its bytes were withheld.
    func forwardRest(of whole: ImageDataResult) {
        let isForwarded = state.withLock { state in
            defer { state.forwarding = .forwarded }
            return if case .forwarded = state.forwarding { true } else { false }
        }
        if !isForwarded { load.receivedData?(whole.data, whole.response) }
    }
}
