import CWebImageSandbox
import Foundation
package import WebImageCore

/// One decoder process, seen from the host.
///
/// It serves one request at a time; the caller is a thread that may block. A worker that crashes, is too slow or answers
/// with something that is no answer is killed, and only its current request fails.
package final class SandboxWorker: @unchecked Sendable {
    // Unchecked is correct because every member runs under `gate`, which one thread holds at a time.

    /// Where and how workers run.
    package struct Configuration: Sendable {
        /// The program to execute; it must link this library. Nil: this program.
        package var executable: String?
        /// The memory that a worker may add to its own, in bytes; 0: no limit.
        package var memoryBytes = 2 << 30
        /// The longest time until a worker is ready.
        var startTime: Duration = .seconds(10)

        package init() {}
    }

    /// Why a worker cannot be used any more.
    package enum End: String, Sendable, CaseIterable {
        /// A signal of its own doing, such as SIGSEGV, ended it in a request.
        case crash
        /// It was killed because a request took too long.
        case deadline
        /// It was killed because its request was no longer wanted.
        case cancelled
        /// Its answer was malformed, or it made a forbidden system call.
        case violation
        /// It exited, or another process killed it, for example because memory ran out.
        case lost
    }

    /// How a test's attempt ended.
    package enum AttemptResult: Equatable, Sendable {
        case worked
        case refused(errno: Int)
        /// The worker has ended.
        case ended(signal: Int32)
    }

    /// Bytes of a request.
    enum Input {
        case none
        case data(Data)
    }

    package let profile: SandboxProfile
    var protections: SandboxProtections { process.protections }
    /// The animations and arriving pictures that the worker keeps.
    let sessions = WorkerSessions()
    /// How often the worker was given a file: to decode it, to open it, or to read its header.
    private(set) var files = 0
    /// The pictures, frames and partial images that were asked for.
    private(set) var pictures = 0
    /// The time of all requests that the worker did not spend on them: copies, messages and waiting for the kernel.
    private(set) var transit = Duration.zero

    private let gate = NSLock()
    private let process: SandboxProcess
    private var nextID: UInt64 = 1
    private var ended: End?

    /// Starts a worker and waits until it is locked.
    ///
    /// - Throws: `.sandboxUnavailable` with the cause if no worker can run here.
    package convenience init(
        _ profile: SandboxProfile, configuration: Configuration = Configuration()
    ) throws(WebImageError) {
        try self.init(profile, configuration: configuration, from: nil)
    }

    /// Starts a worker, or lets a template make it.
    init(
        _ profile: SandboxProfile, configuration: Configuration, from template: SandboxTemplate?
    ) throws(WebImageError) {
        process = try SandboxProcess(profile, configuration, from: template)
        self.profile = profile
    }

    /// A worker that the fuzzer plays.
    init(_ process: SandboxProcess, _ profile: SandboxProfile) { (self.process, self.profile) = (process, profile) }

    /// The process identifier, for tests.
    package var processIdentifier: Int32 { process.identifier }

    /// Why the worker has ended; nil while it can serve a further request.
    package var end: End? { gate.withLock { ended } }

    /// Whether the last file crashed the worker or took it over, so that it would do so again.
    var wasBrokenByItsFile: Bool { [.crash, .violation].contains(end) }

    /// Whether the worker can serve a further request.
    package var isUsable: Bool { end == nil }

    /// Whether its process is known to have ended.
    var hasEnded: Bool { process.child.hasEnded }

    /// Sets what is called when the process ends while nothing waits for it. It may have ended before.
    func onEnd(_ action: @escaping @Sendable () -> Void) { process.child.onEnd(action) }

    // MARK: Requests

    /// Returns a picture. Blocks the calling thread.
    ///
    /// - Throws: The error of the coder; `.limitExceeded` if the worker took longer than the options allow; `.cancelled`
    ///   if the current ``WorkBudget`` was cancelled; `.decoderFailed` if the worker crashed or violated the protocol.
    func image(
        _ request: SandboxRequest, _ input: Input = .none
    ) throws(WebImageError) -> (image: Image, frameCount: Int) {
        try exchange(request, input) { answer, call throws(WebImageError) in
            guard case .image(call.id, let picture) = answer,
                picture.answers(request.options, isMap: request.command == .gainMap),
                profile.types[request.coder].formats.contains(picture.format)
            else { throw endAfterMalformedAnswer() }
            return (try image(picture, call), picture.frameCount)
        }
    }

    /// Returns the bytes of an answer, at most `mostBytes`. Blocks the calling thread.
    func payload(
        _ request: SandboxRequest, _ input: Input = .none, mostBytes: Int
    ) throws(WebImageError) -> Data {
        try exchange(request, input) { answer, call throws(WebImageError) in
            guard case .payload(call.id, let count, let bytes) = answer, count <= mostBytes else {
                throw endAfterMalformedAnswer()
            }
            if bytes.count == count { return bytes }
            var result = Data(count: count)
            try copy(call, count: count) { range, source in
                result.withUnsafeMutableBytes {
                    UnsafeMutableRawBufferPointer(rebasing: $0[range]).copyMemory(from: source)
                }
            }
            return result
        }
    }

    /// Ends the worker because its answer cannot be true, and returns the error of the request.
    func endAfterMalformedAnswer() -> WebImageError { fail(.violation, "the answer was malformed") }

    /// Ends the process without a wait as soon as nothing refers to the worker.
    func endAlone() { gate.withLock { process.endsAlone = true } }

    /// Returns unused memory of the window and of the worker to the kernel. Does not wait for the worker.
    func rest() {
        gate.withLock {
            guard ended == nil else { return }
            // The part of the host. The worker must not do this: the next file may be there before it reads the message.
            webimage_sandbox_return_window(process.window, SandboxWindow.arenaOffset)
            process.sendAtOnce(SandboxRequest(.rest))
        }
    }

    /// Runs an attempt of the project's tests in the worker.
    package func attempt(_ number: Int, within time: Duration = .seconds(5)) -> AttemptResult {
        gate.lock()
        defer { gate.unlock() }
        var request = SandboxRequest(.attempt)
        (request.id, request.number, request.session) = (nextID, number, UInt64(getpid()))
        nextID += 1
        guard process.send(request) == 0,
            case .success((.attempted(_, let errno), _)) = process.receive(until: .now + time, nil)
        else {
            ended = .crash
            if case .signalled(let signal) = process.waitForEnd() { return .ended(signal: signal) }
            return .ended(signal: 0)
        }
        return errno == 0 ? .worked : .refused(errno: errno)
    }

    // MARK: One request

    private struct Call {
        var id: UInt64
        var deadline: ContinuousClock.Instant
        var options: DecodingOptions
        var budget: WorkBudget?
    }

    /// The time that a worker may take to stop by itself before it is killed.
    private static let grace = Duration.milliseconds(100)

    private func exchange<Value>(
        _ request: SandboxRequest, _ input: Input,
        _ body: (SandboxAnswer, Call) throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        gate.lock()
        defer { gate.unlock() }
        guard ended == nil else { throw Self.failed("the decoder process has ended") }
        let start = ContinuousClock.now
        let budget = WorkBudget.current
        try budget?.check()
        let seconds = budget?.remainingSeconds ?? .infinity
        let allowed = min(
            request.options.limits.maxDecodeTime, .seconds(315_360_000), .seconds(min(seconds, 315_360_000)))
        let call = Call(
            id: nextID, deadline: start + allowed + Self.grace, options: request.options, budget: budget)
        nextID += 1
        var request = request
        request.options.limits.maxDecodeTime = allowed
        request.id = call.id
        if [.decode, .frame, .partial].contains(request.command) { pictures += 1 }
        if [.decode, .info, .properties, .open, .page].contains(request.command) || request.isFirst { files += 1 }
        process.beginSharing()
        defer { process.endSharing() }
        try send(&request, input)
        let (answer, busy) = try receive(call)
        if case .failed(call.id, let failure) = answer {
            count(start, busy)
            throw failure.error(call.options.limits)
        }
        let value = try body(answer, call)
        count(start, busy)
        return value
    }

    private func count(_ start: ContinuousClock.Instant, _ busy: UInt64) {
        let elapsed = ContinuousClock.now - start
        var times = DecoderWorkerTimes()
        times.working = min(elapsed, .nanoseconds(Int64(clamping: busy)))
        times.transit = elapsed - times.working
        transit += times.transit
        WorkBudget.current?.add(times)
    }

    private func send(_ request: inout SandboxRequest, _ input: Input) throws(WebImageError) {
        for session in sessions.takeClosed() {
            var close = SandboxRequest(.close)
            close.session = session
            try checkSent(process.send(close))
        }
        var file: Int32 = -1
        if case .data(let data) = input {
            request.byteCount = data.count
            request.isInWindow = data.count <= SandboxWindow.inputBytes
            if request.isInWindow {
                data.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(start: process.window, count: data.count).copyMemory(from: $0)
                }
            } else {
                file = data.withUnsafeBytes { webimage_sandbox_make_sealed($0.baseAddress, $0.count) }
                guard file >= 0 else { throw .posix(errno, .outOfMemory, stage: .decode) }
            }
        }
        defer { if file >= 0 { close(file) } }
        try checkSent(process.send(request, file: file))
    }

    private func checkSent(_ errno: Int32) throws(WebImageError) {
        guard errno != EAGAIN else { throw fail(.violation, "the decoder process receives no messages") }
        guard errno == 0 else { throw endedBeforeRequest() }
    }

    private func receive(_ call: Call) throws(WebImageError) -> (SandboxAnswer, UInt64) {
        switch process.receive(until: call.deadline, call.budget) {
        case .success((.violation(let number), _)) where number == Int(webimage_sandbox_abort_call):
            // A library has found an error that it cannot handle. librsvg does so for some files.
            throw crashed(by: SIGABRT)
        case .success((.violation(let number), _)):
            throw fail(.violation, "the decoder process made the forbidden system call \(number)")
        case .success(let answer): return (answer.answer, answer.busy)
        case .failure(.late):
            _ = fail(.deadline, "")
            let seconds = Int(clamping: call.options.limits.maxDecodeTime.components.seconds)
            throw .limit(.decodeTime, actual: seconds, allowed: seconds)
        case .failure(.cancelled):
            _ = fail(.cancelled, "")
            throw .cancelled
        case .failure(.malformed): throw endAfterMalformedAnswer()
        case .failure(.ended): throw endedInRequest()
        }
    }

    /// Copies the parts of a result out of the window. The worker may write there meanwhile: bytes are copied once and
    /// interpreted, if at all, only afterwards.
    private func copy(
        _ call: Call, count: Int, _ take: (Range<Int>, UnsafeRawBufferPointer) -> Void
    ) throws(WebImageError) {
        let partCount = SandboxWindow.partCount(count)
        for part in 0..<partCount {
            if part >= 2 {
                guard case .nextPart(call.id) = try receive(call).0 else { throw endAfterMalformedAnswer() }
            }
            let range = SandboxWindow.range(ofPart: part, of: count)
            take(
                range,
                UnsafeRawBufferPointer(
                    start: process.window + SandboxWindow.offset(ofPart: part), count: range.count))
            // The slot is free for the part after the next one.
            guard part + 2 < partCount else { continue }
            let errno = process.sendCredit()
            guard errno == 0 else { throw errno == EAGAIN ? endAfterMalformedAnswer() : endedInRequest() }
        }
    }

    private func image(_ picture: SandboxPicture, _ call: Call) throws(WebImageError) -> Image {
        let pixels: PixelBuffer
        do throws(WebImageError) {
            pixels = try PixelBuffer(
                width: picture.size.width, height: picture.size.height, format: picture.pixelFormat)
        } catch {
            // The worker waits for credits of a picture that the host cannot take.
            _ = fail(.lost, "")
            throw error
        }
        let profile =
            picture.profileByteCount == 0
            ? nil : ColorProfile(iccData: Data(bytes: process.window, count: picture.profileByteCount))
        if let offset = picture.arenaOffset {
            guard pixels.byteCount <= SandboxWindow.arenaBytes - offset else { throw endAfterMalformedAnswer() }
            pixels.withUnsafeMutableBytes {
                $0.copyMemory(
                    from: UnsafeRawBufferPointer(
                        start: process.window + SandboxWindow.arenaOffset + offset, count: $0.count))
            }
        } else {
            try copy(call, count: pixels.byteCount) { range, source in
                pixels.withUnsafeMutableBytes {
                    UnsafeMutableRawBufferPointer(rebasing: $0[range]).copyMemory(from: source)
                }
            }
        }
        let image = Image(
            pixels: pixels, scale: call.options.scaleFactor, colorProfile: profile, hasAlpha: picture.hasAlpha,
            format: picture.format)
        image.imageLoopCount = picture.loopCount
        image.omitsFrames = picture.omitsFrames
        image.isIncremental = picture.isIncremental
        image.sourceRegion = call.options.thumbnailPixelSize == nil ? nil : call.options.sourceRegion
        image.decodingOptions = call.options
        return image
    }

    // MARK: Ends

    /// The worker had ended before the request was sent, so the request is not the cause.
    private func endedBeforeRequest() -> WebImageError {
        _ = process.waitForEnd()
        return fail(.lost, "the decoder process has ended")
    }

    /// The worker ended in this request.
    private func endedInRequest() -> WebImageError {
        switch process.waitForEnd() {
        case .signalled(SIGKILL): return fail(.lost, "the decoder process was killed")
        case .signalled(SIGSYS): return fail(.violation, "the decoder process made a forbidden system call")
        case .signalled(let signal): return crashed(by: signal)
        case .exited(let status): return fail(.lost, "the decoder process exited with status \(status)")
        case .unknown: return fail(.lost, "the decoder process has ended")
        }
    }

    private func crashed(by signal: Int32) -> WebImageError {
        _ = fail(.crash, "")
        return WebImageError(
            .decoderFailed, stage: .decode,
            underlying: .codec(library: "decoder process", message: "crashed (\(Self.name(of: signal)))"),
            hint: "The file makes its decoder crash.")
    }

    private func fail(_ end: End, _ text: String) -> WebImageError {
        ended = end
        process.child.kill()
        return Self.failed(text)
    }

    private static func failed(_ text: String) -> WebImageError {
        WebImageError(
            .decoderFailed, stage: .decode, underlying: .message(text), hint: "Load the picture again.")
    }

    private static func name(of signal: Int32) -> String {
        let names = [
            SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGFPE: "SIGFPE", SIGABRT: "SIGABRT",
            SIGTRAP: "SIGTRAP", SIGXCPU: "SIGXCPU",
        ]
        return names[signal] ?? "signal \(signal)"
    }
}
