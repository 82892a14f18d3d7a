import CWebImageSandbox
import Foundation
import WebImageCore

/// The process of a worker, its socket and its window.
final class SandboxProcess {
    enum Failure: Error { case late, ended, malformed, cancelled }

    private(set) var protections = SandboxProtections()
    let window: UnsafeMutableRawPointer
    let child: SandboxChild
    /// How long the kernel waits for an answer before the host looks whether the answer is still wanted, in milliseconds.
    private static let slice: Int32 = 20
    /// How long the kernel waits if only the deadline matters.
    private static let longSlice: Int32 = 1000
    /// How long a message may wait for room, in milliseconds. A worker that receives nothing but answers by guessing would
    /// otherwise block its host for ever: it needs some hundred requests for that, an honest one never lets ten wait.
    private static let longestSend: Int32 = 1000
    /// The time for which the kernel waits now; 0: without a limit.
    private var wait: Int32 = 0
    /// The longest time for which host and worker share a processor: afterwards the scheduler may use an idle one.
    private static let sharingTime = Duration.milliseconds(40)
    private var share: (place: webimage_sandbox_share, end: ContinuousClock.Instant)?
    private var lastShare: webimage_sandbox_share?
    /// The processor that the worker does not leave; -1: it runs on all.
    private var processor: Int32 = -1
    private var turns: UInt = 0
    /// Each request of this number leaves the choice to the scheduler, which could otherwise never part two programs that
    /// share a processor in this way.
    private static let freeTurn: UInt = 32

    /// What a process is for.
    enum Role {
        /// Decodes, and is locked.
        case worker
        /// Makes workers.
        case template
    }

    /// Starts a worker and waits until it is locked, or a template and waits until its libraries are loaded.
    ///
    /// - Parameter template: makes the worker; nil starts a program.
    /// - Throws: `.sandboxUnavailable` with the cause if no worker can run here.
    init(
        _ profile: SandboxProfile, _ configuration: SandboxWorker.Configuration, as role: Role = .worker,
        from template: SandboxTemplate? = nil
    ) throws(WebImageError) {
        guard configuration.executable != nil || webimage_sandbox_is_in_executable() else {
            throw .noWorker("this program does not contain the worker")
        }
        let file = webimage_sandbox_make_window(SandboxWindow.byteCount)
        guard file >= 0 else { throw .noWorker("memfd_create: \(String(cString: strerror(errno)))") }
        defer { close(file) }
        guard let memory = mmap(nil, SandboxWindow.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            memory != MAP_FAILED
        else { throw .noWorker("mmap: \(String(cString: strerror(errno)))") }
        let child: webimage_sandbox_child
        do throws(WebImageError) {
            if let forked = template?.fork(window: file) {
                child = forked
            } else {
                child = try Self.spawn(profile, configuration, role, window: file)
            }
        } catch {
            munmap(memory, SandboxWindow.byteCount)
            throw error
        }
        HandleLedger.opened("decoder process")
        (self.child, window) = (SandboxChild(child), memory)
        webimage_sandbox_limit_send(socket, Self.longestSend)
        let answer = receive(until: .now + configuration.startTime, nil).map(\.answer)
        guard case .success(.ready(let protections)) = answer, protections.hasFilter == (role == .worker) else {
            // A process that has closed its socket ends at once.
            if case .failure(.ended) = answer { _ = self.child.end(within: 1000) }
            throw .noWorker(Self.text(answer, self.child.finish()))
        }
        self.protections = protections
    }

    private static func spawn(
        _ profile: SandboxProfile, _ configuration: SandboxWorker.Configuration, _ role: Role, window: Int32
    ) throws(WebImageError) -> webimage_sandbox_child {
        var child = webimage_sandbox_child()
        let executable = configuration.executable ?? "/proc/self/exe"
        let error = withEnvironment(profile, configuration, role) {
            webimage_sandbox_spawn(executable, window, $0, &child)
        }
        guard error == 0 else { throw .noWorker("\(executable): \(String(cString: strerror(error)))") }
        return child
    }

    /// A process that the fuzzer plays on the other end of a socket. A file that is always readable takes the place of its process.
    init?(playing socket: Int32) {
        let memory = mmap(
            nil, SandboxWindow.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        var child = webimage_sandbox_child()
        child.socket = socket
        child.pidfd = open("/dev/null", O_RDONLY)
        child.lifetime = dup(socket)
        HandleLedger.opened("decoder process")
        (self.child, window) = (SandboxChild(child, isWatched: false), memory)
        webimage_sandbox_limit_send(socket, Self.longestSend)
    }

    /// Whether nothing waits for the end of the process.
    var endsAlone = false

    deinit {
        if child.isOfThisProcess {
            if endsAlone { child.finishLater() } else { _ = child.finish() }
            for descriptor in [socket, child.child.lifetime] { webimage_sandbox_release(descriptor) }
        }
        munmap(window, SandboxWindow.byteCount)
        HandleLedger.closed("decoder process")
    }

    var identifier: Int32 { child.child.pid }
    private var socket: Int32 { child.child.socket }

    /// Waits for the end of a process that has closed its socket. Kills it if it does not end.
    func waitForEnd() -> SandboxChild.End {
        if let end = child.end(within: 1000) { return end }
        child.kill()
        return .unknown
    }

    /// Lets the calling thread and the worker run by turns on one processor, until ``endSharing(isLate:)`` or for a short
    /// time.
    func beginSharing() {
        var place = webimage_sandbox_share()
        turns &+= 1
        if turns % Self.freeTurn != 0, webimage_sandbox_share_processor(&place) {
            share = (place, .now + Self.sharingTime)
            guard place.processor != processor else { return }
            let hasJoined = child.withIdentifier { webimage_sandbox_join(&place, $0) }
            processor = hasJoined == true ? place.processor : -1
        } else if processor >= 0, let share = lastShare {
            part(share)
        }
    }

    /// - Parameter isLate: whether the worker works on and may use another processor.
    func endSharing(isLate: Bool = false) {
        guard var place = share?.place else { return }
        share = nil
        // The next picture probably comes from the same processor, so the worker need not leave it.
        if isLate { part(place) }
        webimage_sandbox_end_sharing(&place)
        lastShare = place
    }

    private func part(_ place: webimage_sandbox_share) {
        processor = -1
        var place = place
        _ = child.withIdentifier { webimage_sandbox_part(&place, $0) }
    }

    /// Returns 0, or the `errno` of a message that was not sent: `EAGAIN` if the worker receives none.
    func send(_ request: SandboxRequest, file: Int32 = -1) -> Int32 {
        request.encoded.withUnsafeBytes { webimage_sandbox_send(socket, $0.baseAddress, $0.count, file) }
    }

    /// Sends a message without an answer, unless it would have to wait.
    func sendAtOnce(_ request: SandboxRequest) {
        request.encoded.withUnsafeBytes { _ = webimage_sandbox_send_at_once(socket, $0.baseAddress, $0.count) }
    }

    /// Tells the worker that a slot of the window is free. Returns what ``send(_:file:)`` returns.
    func sendCredit() -> Int32 { webimage_sandbox_send(socket, "+", 1, -1) }

    /// Waits for an answer until a time, or until the budget is cancelled.
    func receive(
        until deadline: ContinuousClock.Instant, _ budget: WorkBudget?
    ) -> Result<(answer: SandboxAnswer, busy: UInt64), Failure> {
        while true {
            let left = ((deadline - .now) / .milliseconds(1)).rounded(.up)
            let isShort = budget != nil || share != nil
            limitWait(min(isShort ? Self.slice : Self.longSlice, Int32(min(max(left, 1), 1e6))))
            let (count, bytes) = withUnsafeTemporaryAllocation(byteCount: SandboxAnswer.mostBytes, alignment: 8) {
                // A worker sends no descriptors.
                let count = webimage_sandbox_receive(socket, $0.baseAddress, $0.count, nil)
                return (count, count > 0 ? Data(bytes: $0.baseAddress!, count: count) : Data())
            }
            if count == -Int(ETIMEDOUT) {
                if budget?.isCancelled == true { return .failure(.cancelled) }
                if deadline <= .now { return .failure(.late) }
                if let share, share.end <= .now { endSharing(isLate: true) }
                continue
            }
            guard count > 0 else { return .failure(count == -Int(EMSGSIZE) ? .malformed : .ended) }
            guard let answer = SandboxAnswer(bytes) else { return .failure(.malformed) }
            return .success((answer, SandboxAnswer.busyNanoseconds(bytes)))
        }
    }

    /// Sets the time for which the kernel waits. It seldom changes, so an answer needs no further system call.
    private func limitWait(_ milliseconds: Int32) {
        guard milliseconds != wait, webimage_sandbox_limit_wait(socket, milliseconds) == 0 else { return }
        wait = milliseconds
    }

    private static func text(_ answer: Result<SandboxAnswer, Failure>, _ end: SandboxChild.End?) -> String {
        let reason =
            switch end {
            case .exited(let status): ": it exited with status \(status)"
            case .signalled(let signal): ": signal \(signal) ended it"
            case .unknown, nil: ""
            }
        return switch answer {
        case .success(.violation(let call)): "the decoder process does not start: it made the system call \(call)"
        case .success: "the decoder process does not start: it is not restricted"
        case .failure(.late): "the decoder process was not ready in time"
        case .failure: "the decoder process does not start\(reason)"
        }
    }

    /// The whole environment of a worker: nothing of the host's but what libraries need to start.
    private static func withEnvironment<Value>(
        _ profile: SandboxProfile, _ configuration: SandboxWorker.Configuration, _ role: Role,
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        var lines = [
            "WEBIMAGE_SANDBOX_WORKER=\(profile.rawValue)", "WEBIMAGE_SANDBOX_BYTES=\(configuration.memoryBytes)",
            // lcms2 asks for the time, and would open the time zone's file.
            "TZ=UTC0",
            // Swift's crash handler would turn every crash into a refused system call.
            "SWIFT_BACKTRACE=enable=no",
        ]
        if role == .template { lines.append("WEBIMAGE_SANDBOX_TEMPLATE=1") }
        let kept = [
            "LD_LIBRARY_PATH", "WEBIMAGE_PDFIUM", "WEBIMAGE_JPEG_THUMBNAILS", "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
            "FONTCONFIG_FILE", "FONTCONFIG_PATH",
        ]
        let own = ProcessInfo.processInfo.environment
        for name in kept { if let value = own[name] { lines.append("\(name)=\(value)") } }
        if webimage_sandbox_has_address_sanitizer() {
            // Damaged memory ends the worker like a crash. Function names are left out: they would need another process.
            lines.append("ASAN_OPTIONS=\(own["ASAN_OPTIONS"] ?? ""):abort_on_error=1:symbolize=0")
        }
        var pointers: [UnsafeMutablePointer<CChar>?] = lines.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { body(UnsafePointer($0.baseAddress!)) }
    }
}

extension WebImageError {
    /// The error when no decoder process can be started.
    static func noWorker(_ text: String) -> WebImageError {
        WebImageError(
            .sandboxUnavailable, stage: .decode, underlying: .message(text),
            hint: "Name a worker executable, or allow decoding in this process.")
    }
}
