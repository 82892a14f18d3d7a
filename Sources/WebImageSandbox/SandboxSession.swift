import Foundation
import WebImageCore

/// Names a coder in the workers.
struct WorkerCoder: Sendable, Equatable {
    /// The profile of the workers that contain the coder.
    var profile: SandboxProfile
    /// The position in ``SandboxProfile/types``.
    var index: Int

    /// The formats that the coder may report.
    var formats: [ImageFormat] { profile.types[index].formats }

    func request(_ command: SandboxRequest.Command, _ options: DecodingOptions) -> SandboxRequest {
        var request = SandboxRequest(command)
        request.coder = index
        request.options = options
        return request
    }
}

/// An animation or an arriving picture whose decoder a worker keeps. The worker may change: another one starts from the
/// bytes again.
private final class SandboxSession: Sendable {
    let pool: SandboxPool
    let coder: WorkerCoder
    let kind: SandboxPool.Kind
    let number: UInt64
    private let worker = Locked<WeakWorker>(WeakWorker())

    private struct WeakWorker {
        weak var value: SandboxWorker?
    }

    init(_ pool: SandboxPool, _ coder: WorkerCoder, kind: SandboxPool.Kind, number: UInt64) {
        (self.pool, self.coder, self.kind, self.number) = (pool, coder, kind, number)
    }

    deinit { worker.withLock { $0.value }?.sessions.closeLater(number) }

    func isIn(_ worker: SandboxWorker) { self.worker.withLock { $0.value = worker } }

    /// Calls `body` with a worker, and says whether this worker keeps the session.
    func withWorker<Value>(
        _ body: (SandboxWorker, _ isOpen: Bool) throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        let known = worker.withLock { $0.value }
        return try pool.withWorker(kind, preferring: known) { worker throws(WebImageError) in
            let value = try body(worker, worker.sessions.keeps(number))
            worker.sessions.keep(number)
            isIn(worker)
            return value
        }
    }

    func request(_ command: SandboxRequest.Command, _ options: DecodingOptions) -> SandboxRequest {
        var request = coder.request(command, options)
        request.session = number
        return request
    }
}

/// An opened animation, whose frames a worker decodes.
final class SandboxAnimation: Sendable {
    let data: Data
    let facts: SandboxAnimationFacts
    private let session: SandboxSession
    private let options: DecodingOptions
    private let state: Locked<State>

    /// The pages of a file that declares their sizes. Empty for an animation.
    private let pages: [TIFFPageTable.Page]
    /// Whether the frames are pages whose sizes the file does not declare in a table. The limits bound each.
    private let hasPagesOfAnySize: Bool

    private struct State {
        /// The size of all frames of an animation; nil before the first one.
        var size: PixelSize?
        /// Why no further frame is asked for.
        var failure: WebImageError?

        mutating func isSize(of image: Image) -> Bool {
            size = size ?? image.pixelSize
            return size == image.pixelSize
        }
    }

    /// Opens an animation in a worker.
    init(
        _ data: Data, pool: SandboxPool, coder: WorkerCoder, options: DecodingOptions
    ) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        let session = SandboxSession(
            pool, coder, kind: pool.kind(coder.profile), number: pool.makeNumber())
        pages =
            coder.formats.contains(.tiff)
            ? data.withUnsafeBytes { TIFFPageTable($0, maxPages: options.limits.maxFrameCount).pages } : []
        hasPagesOfAnySize = coder.formats.contains(.pdf)
        facts = try session.withWorker { worker, _ throws(WebImageError) in
            try Self.open(data, for: session, options: options, in: worker)
        }
        (self.data, self.session, self.options, state) = (data, session, options, Locked(State()))
    }

    private init(
        _ data: Data, facts: SandboxAnimationFacts, session: SandboxSession, options: DecodingOptions, size: PixelSize,
        coder: WorkerCoder
    ) {
        (self.data, self.facts, self.session, self.options, pages) = (data, facts, session, options, [])
        hasPagesOfAnySize = coder.formats.contains(.pdf)
        state = Locked(State(size: size))
    }

    /// Decodes a picture. If it is an animation whose frames are wanted, also returns the opened animation.
    static func decode(
        _ data: Data, pool: SandboxPool, coder: WorkerCoder, options: DecodingOptions
    ) throws(WebImageError) -> (image: Image, animation: SandboxAnimation?) {
        try options.limits.checkEncodedBytes(data.count)
        let kind = pool.kind(coder.profile)
        let session = SandboxSession(pool, coder, kind: kind, number: pool.makeNumber())
        return try pool.withWorker(kind) { worker throws(WebImageError) in
            let (image, frameCount) = try worker.image(session.request(.decode, options), .data(data))
            guard frameCount > 1 else { return (image, nil) }
            worker.sessions.keep(session.number)
            session.isIn(worker)
            let facts = try describe(
                session.request(.describe, options), of: .none, byteCount: data.count, frameCount: frameCount,
                in: worker)
            return (
                image,
                SandboxAnimation(
                    data, facts: facts, session: session, options: options, size: image.pixelSize, coder: coder)
            )
        }
    }

    /// Returns a complete frame in the size of the canvas.
    func frame(at index: Int) throws(WebImageError) -> Image {
        guard index >= 0, index < facts.frameCount else {
            throw .badData("frames", "there is no frame \(index)", hint: "The number of frames is \(facts.frameCount).")
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return try session.withWorker { worker, isOpen throws(WebImageError) in
            do throws(WebImageError) {
                if !isOpen { _ = try Self.open(data, for: session, options: options, in: worker) }
                var request = session.request(.frame, options)
                request.number = index
                let image = try worker.image(request).image
                guard isSize(of: image, at: index) else { throw worker.endAfterMalformedAnswer() }
                return image
            } catch {
                // A view asks for the frame again and again, and each time would cost a worker.
                if worker.wasBrokenByItsFile { state.withLock { $0.failure = error } }
                throw error
            }
        }
    }

    /// Whether a frame has its size: a page of TIFF the one that its directory declares, a frame of an animation that of the
    /// first frame, because views and caches plan their memory by the first frame.
    private func isSize(of image: Image, at index: Int) -> Bool {
        if hasPagesOfAnySize { return true }
        guard !pages.isEmpty else { return state.withLock { $0.isSize(of: image) } }
        return pages.indices.contains(index) && image.pixelSize == options.targetSize(for: pages[index].size)
    }

    private static func open(
        _ data: Data, for session: SandboxSession, options: DecodingOptions, in worker: SandboxWorker
    ) throws(WebImageError) -> SandboxAnimationFacts {
        try describe(session.request(.open, options), of: .data(data), byteCount: data.count, in: worker)
    }

    private static func describe(
        _ request: SandboxRequest, of input: SandboxWorker.Input, byteCount: Int, frameCount: Int? = nil,
        in worker: SandboxWorker
    ) throws(WebImageError) -> SandboxAnimationFacts {
        let limits = request.options.limits
        let payload = try worker.payload(request, input, mostBytes: SandboxPayload.mostBytes(byteCount, limits))
        guard let facts = SandboxAnimationFacts(payload: payload, limits, frameCount: frameCount) else {
            throw worker.endAfterMalformedAnswer()
        }
        return facts
    }
}

/// A picture that arrives in pieces and whose decoder a worker keeps. Only one thread at a time uses it; a second one
/// waits.
final class SandboxStream: Sendable {
    private struct State {
        var session: SandboxSession?
        /// All bytes so far: another worker starts from them.
        var received = Data()
        var isFinished = false
        var failure: WebImageError?
        /// Whether the picture has crashed a worker, so that no image of it is made any more.
        var isBroken = false
        var facts = SandboxStreamFacts()
        var shown: (revision: Int, scale: Double, image: Image)?
        /// Whether ``update(_:finished:)`` brings the bytes, so that the frames that have arrived may be opened.
        var isUpdated = false
        var animation: SandboxAnimation?
        var nextOpening = 0
    }

    private let options: DecodingOptions
    private let coder: WorkerCoder
    private let pool: @Sendable () throws(WebImageError) -> SandboxPool
    private let state = Locked(State())

    init(
        _ coder: WorkerCoder, options: DecodingOptions,
        pool: @escaping @Sendable () throws(WebImageError) -> SandboxPool
    ) {
        (self.coder, self.options, self.pool) = (coder, options, pool)
    }

    var info: ImageInfo? { state.withLock { $0.facts.info } }
    var revision: Int { state.withLock { $0.facts.revision } }

    func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try state.withLock { state throws(WebImageError) in
            try append(bytes, finished: finished, to: &state)
        }
    }

    func update(_ data: Data, finished: Bool) throws(WebImageError) {
        try state.withLock { state throws(WebImageError) in
            state.isUpdated = true
            try append(data.dropFirst(state.received.count), finished: finished, to: &state)
        }
    }

    private func append(_ bytes: Data, finished: Bool, to state: inout State) throws(WebImageError) {
        if let failure = state.failure { throw failure }
        guard !state.isFinished else { return }
        do throws(WebImageError) {
            try options.limits.checkEncodedBytes(state.received.count + bytes.count)
            state.received.append(bytes)
            state.isFinished = finished
            if finished { state.shown = nil }
            let pool = try pool()
            let session =
                state.session
                ?? SandboxSession(pool, coder, kind: pool.kind(coder.profile), number: pool.makeNumber())
            state.session = session
            let all = state.received
            state.facts = try session.withWorker { worker, isOpen throws(WebImageError) in
                try send(isOpen ? bytes : all, isFirst: !isOpen, isLast: finished, of: session, in: worker)
            }
        } catch {
            state.failure = error
            throw error
        }
    }

    private func send(
        _ bytes: Data, isFirst: Bool, isLast: Bool, of session: SandboxSession, in worker: SandboxWorker
    ) throws(WebImageError) -> SandboxStreamFacts {
        var request = session.request(.append, options)
        (request.isFirst, request.isLast) = (isFirst, isLast)
        let payload = try worker.payload(
            request, .data(bytes), mostBytes: SandboxPayload.mostBytes(bytes.count, options.limits))
        guard let facts = SandboxStreamFacts(payload: payload, formats: coder.formats) else {
            throw worker.endAfterMalformedAnswer()
        }
        return facts
    }

    /// Returns the image of the part that has arrived. Makes one image per revision and scale.
    func image(scale: Double?) -> Image? {
        state.withLock { state in
            guard let session = state.session, state.facts.revision > 0, !state.isBroken else { return nil }
            var options = options
            options.scaleFactor = max(scale ?? options.scaleFactor, 1)
            let revision = state.facts.revision
            if let shown = state.shown, shown.revision == revision, shown.scale == options.scaleFactor {
                return shown.image
            }
            state.shown = nil
            let (all, isLast) = (state.received, state.isFinished)
            var failure: WebImageError?
            let image = try? session.withWorker { worker, isOpen throws(WebImageError) in
                do throws(WebImageError) {
                    if !isOpen { _ = try send(all, isFirst: true, isLast: isLast, of: session, in: worker) }
                    return try worker.image(session.request(.partial, options)).image
                } catch {
                    // Each further piece would cost a worker.
                    if worker.wasBrokenByItsFile { failure = error }
                    throw error
                }
            }
            if let failure { (state.failure, state.isBroken) = (failure, true) }
            guard let image else { return nil }
            state.shown = (revision, options.scaleFactor, image)
            return image
        }
    }

    /// The frames that have arrived through ``update(_:finished:)``. Opened again only when the bytes have grown by an
    /// eighth, and once when the file is complete.
    func animation() -> SandboxAnimation? {
        state.withLock { state in
            guard state.isUpdated, let format = state.facts.info?.format, [.gif, .apng].contains(format) else {
                return nil
            }
            let count = state.received.count
            guard count >= state.nextOpening || state.isFinished && state.nextOpening != .max else {
                return state.animation
            }
            state.nextOpening = state.isFinished ? .max : count + count / 8
            if let pool = try? pool(),
                let opened = try? SandboxAnimation(state.received, pool: pool, coder: coder, options: options),
                opened.facts.frameCount > 1 || state.isFinished
            {
                state.animation = opened
            }
            return state.animation
        }
    }
}
