import CWebImageSandbox
package import Foundation
package import WebImageCore

/// One decoder process, seen from the host.
///
/// Decodes one picture at a time; the caller is a thread that may block. A worker that crashes, is too slow or answers
/// with something that is no answer is killed, and only its current picture fails.
package final class SandboxWorker: @unchecked Sendable {
    // Unchecked is correct because every member runs under `gate`, which one thread holds at a time.

    /// Where and how workers run.
    package struct Configuration: Sendable {
        /// The program to execute; it must link this library. Nil: this program.
        package var executable: String?
        /// The memory that a worker may add to its own, in bytes; 0: no limit.
        package var memoryBytes = 2 << 30
        /// The longest time until a worker is ready.
        package var startTime: Duration = .seconds(10)

        package init() {}
    }

    /// How a test's attempt ended.
    package enum AttemptResult: Equatable, Sendable {
        case worked
        case refused(errno: Int)
        /// The worker has ended.
        case ended(signal: Int32)
    }

    package let profile: SandboxProfile
    let protections: SandboxProtections

    private let gate = NSLock()
    private var child: webimage_sandbox_child
    private let window: UnsafeMutableRawPointer
    private var nextID: UInt64 = 1
    private var hasEnded = false

    /// Starts a worker and waits until it is locked.
    ///
    /// - Throws: `.fileSystem` with the cause if no worker can run here.
    package init(_ profile: SandboxProfile, configuration: Configuration = Configuration()) throws(WebImageError) {
        guard configuration.executable != nil || webimage_sandbox_is_in_executable() else {
            throw Self.unavailable("this program does not contain the worker", "Name a worker executable.")
        }
        let file = webimage_sandbox_make_window(SandboxWindow.byteCount)
        guard file >= 0 else { throw .posix(errno, stage: .decode) }
        defer { close(file) }
        guard let memory = mmap(nil, SandboxWindow.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            memory != MAP_FAILED
        else { throw .posix(errno, stage: .decode) }
        var child = webimage_sandbox_child()
        let error = Self.withEnvironment(profile, configuration) {
            webimage_sandbox_spawn(configuration.executable ?? "/proc/self/exe", file, $0, &child)
        }
        guard error == 0 else {
            munmap(memory, SandboxWindow.byteCount)
            throw .posix(error, stage: .decode, hint: "Name a worker executable, or decode in this process.")
        }
        HandleLedger.opened("decoder process")
        let answer = Self.receive(child, within: configuration.startTime)
        guard case .success(.ready(let protections)) = answer, protections.hasFilter else {
            Self.end(child, window: memory)
            throw Self.unavailable("the decoder process does not start: \(answer)", "Decode in this process.")
        }
        self.profile = profile
        self.protections = protections
        self.child = child
        window = memory
    }

    deinit { Self.end(child, window: window) }

    /// The process identifier, for tests.
    package var processIdentifier: Int32 { child.pid }

    /// Whether the worker can decode a further picture.
    package var isUsable: Bool { gate.withLock { !hasEnded } }

    /// Decodes a picture in the worker. Blocks the calling thread.
    ///
    /// - Throws: The error of the coder; `.limitExceeded` if the worker took longer than the options allow;
    ///   `.badImageData` if the worker crashed or violated the protocol.
    package func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        gate.lock()
        defer { gate.unlock() }
        let id = try send(data, options)
        let deadline = ContinuousClock.now + min(options.limits.maxDecodeTime, .seconds(86_400))
        switch try answer(until: deadline, options) {
        case .image(id, let picture) where picture.answers(options):
            return try image(picture, id: id, until: deadline, options)
        case .failed(id, let failure): throw failure.error
        case .violation(let call): throw crash("the system call \(call) was refused")
        default: throw crash("the answer was malformed")
        }
    }

    /// Runs an attempt of the project's tests in the worker.
    package func attempt(_ number: Int, within time: Duration = .seconds(5)) -> AttemptResult {
        gate.lock()
        defer { gate.unlock() }
        let request = SandboxRequest.attempt(id: nextID, number: number, host: getpid())
        nextID += 1
        guard Self.send(request, to: child, file: -1) == 0,
            case .success(.attempted(_, let errno)) = Self.receive(child, within: time)
        else {
            hasEnded = true
            var signal: Int32 = 0
            if webimage_sandbox_wait(&child, 1000, &signal) == webimage_sandbox_runs { webimage_sandbox_kill(&child) }
            return .ended(signal: signal)
        }
        return errno == 0 ? .worked : .refused(errno: errno)
    }

    // MARK: One picture

    private func send(_ data: Data, _ options: DecodingOptions) throws(WebImageError) -> UInt64 {
        guard !hasEnded else { throw Self.crashed("the decoder process has ended") }
        try options.limits.checkEncodedBytes(data.count)
        let id = nextID
        nextID += 1
        let isInWindow = data.count <= SandboxWindow.inputBytes
        var file: Int32 = -1
        if isInWindow {
            data.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: window, count: data.count).copyMemory(from: $0)
            }
        } else {
            file = data.withUnsafeBytes { webimage_sandbox_make_sealed($0.baseAddress, $0.count) }
            guard file >= 0 else { throw .posix(errno, stage: .decode) }
        }
        defer { if file >= 0 { close(file) } }
        let request = SandboxRequest.decode(id: id, byteCount: data.count, isInWindow: isInWindow, options)
        guard Self.send(request, to: child, file: file) == 0 else { throw crash("the decoder process has ended") }
        return id
    }

    private func answer(until deadline: ContinuousClock.Instant, _ options: DecodingOptions) throws(WebImageError)
        -> SandboxAnswer
    {
        switch Self.receive(child, within: deadline - .now) {
        case .success(let answer): return answer
        case .failure(.late):
            kill()
            let seconds = Int(clamping: options.limits.maxDecodeTime.components.seconds)
            throw .limit(.decodeTime, actual: seconds, allowed: seconds)
        case .failure(.ended): throw crash("the decoder process has ended")
        case .failure(.malformed): throw crash("the answer was malformed")
        }
    }

    /// Copies the pixels out of the window. The worker may write there meanwhile: pixels are copied once and never
    /// interpreted.
    private func image(
        _ picture: SandboxPicture, id: UInt64, until deadline: ContinuousClock.Instant, _ options: DecodingOptions
    ) throws(WebImageError) -> Image {
        let pixels = try PixelBuffer(
            width: picture.size.width, height: picture.size.height, format: picture.pixelFormat)
        let profile =
            picture.profileByteCount == 0
            ? nil : ColorProfile(iccData: Data(bytes: window, count: picture.profileByteCount))
        let partCount = SandboxWindow.partCount(pixels.byteCount)
        for part in 0..<partCount {
            if part >= 2 {
                guard case .nextPart(id) = try answer(until: deadline, options) else {
                    throw crash("the answer was malformed")
                }
            }
            let range = SandboxWindow.range(ofPart: part, of: pixels.byteCount)
            let source = UnsafeRawBufferPointer(
                start: window + SandboxWindow.offset(ofPart: part), count: range.count)
            pixels.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[range]).copyMemory(from: source)
            }
            // The slot is free for the part after the next one.
            if part + 2 < partCount, webimage_sandbox_send(child.socket, "+", 1, -1) != 0 {
                throw crash("the decoder process has ended")
            }
        }
        let image = Image(
            pixels: pixels, scale: options.scaleFactor, colorProfile: profile, hasAlpha: picture.hasAlpha,
            format: picture.format)
        image.imageLoopCount = picture.loopCount
        image.omitsFrames = picture.omitsFrames
        image.decodingOptions = options
        return image
    }

    private func crash(_ text: String) -> WebImageError {
        kill()
        return Self.crashed(text)
    }

    private func kill() {
        hasEnded = true
        webimage_sandbox_kill(&child)
    }

    // MARK: The process

    private enum Failure: Error { case late, ended, malformed }

    private static func crashed(_ text: String) -> WebImageError {
        WebImageError(
            .badImageData, stage: .decode, underlying: .codec(library: "decoder process", message: text),
            hint: "The file makes its decoder crash.")
    }

    private static func unavailable(_ text: String, _ hint: String) -> WebImageError {
        WebImageError(.fileSystem, stage: .decode, underlying: .message(text), hint: hint)
    }

    private static func end(_ child: webimage_sandbox_child, window: UnsafeMutableRawPointer) {
        var child = child
        webimage_sandbox_kill(&child)
        var value: Int32 = 0
        _ = webimage_sandbox_wait(&child, 5000, &value)
        for descriptor in [child.socket, child.lifetime, child.pidfd] { close(descriptor) }
        munmap(window, SandboxWindow.byteCount)
        HandleLedger.closed("decoder process")
    }

    private static func send(_ request: SandboxRequest, to child: webimage_sandbox_child, file: Int32) -> Int32 {
        request.encoded.withUnsafeBytes { webimage_sandbox_send(child.socket, $0.baseAddress, $0.count, file) }
    }

    private static func receive(_ child: webimage_sandbox_child, within time: Duration) -> Result<
        SandboxAnswer, Failure
    > {
        var bytes = Data(count: SandboxAnswer.mostBytes)
        var descriptor: Int32 = -1
        let milliseconds = Int32(min(max((time / .milliseconds(1)).rounded(.up), 0), 1e8))
        let count = bytes.withUnsafeMutableBytes {
            webimage_sandbox_receive(child.socket, $0.baseAddress, $0.count, &descriptor, milliseconds)
        }
        // A worker sends no descriptors.
        if descriptor >= 0 { close(descriptor) }
        if count == -Int(ETIMEDOUT) { return .failure(.late) }
        guard count > 0, descriptor < 0 else { return .failure(count <= 0 ? .ended : .malformed) }
        return SandboxAnswer(bytes.prefix(count)).map { .success($0) } ?? .failure(.malformed)
    }

    /// The whole environment of a worker: nothing of the host's but what libraries need to start.
    private static func withEnvironment<Value>(
        _ profile: SandboxProfile, _ configuration: Configuration,
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        var lines = [
            "WEBIMAGE_SANDBOX_WORKER=\(profile.rawValue)", "WEBIMAGE_SANDBOX_BYTES=\(configuration.memoryBytes)",
            // lcms2 asks for the time, and would open the time zone's file.
            "TZ=UTC0",
            // Swift's crash handler would turn every crash into a refused system call.
            "SWIFT_BACKTRACE=enable=no",
        ]
        let kept = [
            "LD_LIBRARY_PATH", "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
            "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
        ]
        let own = ProcessInfo.processInfo.environment
        for name in kept { if let value = own[name] { lines.append("\(name)=\(value)") } }
        var pointers: [UnsafeMutablePointer<CChar>?] = lines.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { body(UnsafePointer($0.baseAddress!)) }
    }
}
