import CWebImageSandbox
import Foundation
import WebImageCore
import WebImagePages
import WebImageSVG

/// The program of a decoder process. ``CWebImageSandbox`` calls it in place of `main`.
@_cdecl("webimage_sandbox_worker_main")
func webimageSandboxWorkerMain() -> Int32 {
    guard let worker = SandboxDecoder() else { return 125 }
    return worker.run()
}

/// Decodes pictures in a restricted process. Single-threaded.
private final class SandboxDecoder {
    private let profile: SandboxProfile
    private let types: [any SandboxableCoder.Type]
    private let isTemplate: Bool
    private var window: UnsafeMutableRawPointer
    /// The place of pictures that the host copies out of the window; nil if the sanitizer watches the heap.
    private var arena: PixelArena?
    private var animations: [UInt64: any AnimatedImageCoder] = [:]
    private var streams: [UInt64: any StreamingImageCoder] = [:]
    /// When the request arrived.
    private var start = ContinuousClock.now

    init?() {
        guard let profile = Self.variable("WEBIMAGE_SANDBOX_WORKER").flatMap(SandboxProfile.init(rawValue:)),
            let memory = Self.mapWindow()
        else { return nil }
        self.profile = profile
        types = profile.types
        isTemplate = Self.variable("WEBIMAGE_SANDBOX_TEMPLATE") != nil
        window = memory
    }

    /// A variable of the environment. Foundation's dictionary would take a fiftieth of the start.
    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func mapWindow() -> UnsafeMutableRawPointer? {
        let memory = mmap(
            nil, SandboxWindow.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, webimage_sandbox_window_descriptor, 0)
        return memory == MAP_FAILED ? nil : memory
    }

    /// Makes workers until the host ends. Returns in each of them, and says whether it must try its libraries; nil in the
    /// template.
    private func fork() -> Bool? {
        send(.ready(SandboxProtections()))
        let forked = webimage_sandbox_serve_forks()
        guard forked != webimage_sandbox_template_ended else { return nil }
        webimage_sandbox_end_with_host()
        munmap(window, SandboxWindow.byteCount)
        guard let memory = Self.mapWindow() else { return nil }
        window = memory
        return forked == webimage_sandbox_worker_tested
    }

    func run() -> Int32 {
        var protections = webimage_sandbox_protections()
        webimage_sandbox_prepare(&protections)
        MainThread.attachNoThread()
        SVGDrawing.usesTimers.withLock { $0 = false }
        // SVG asks this list for embedded pictures.
        ImageCodersManager.shared.coders = profile.nestedTypes.map { $0.shared as any ImageCoder }
        // Load the libraries and let them read their configuration while they still can.
        let samples = SandboxSamples(profile)
        samples.decode(types)
        if profile == .pages { PageReader.prepare() }
        let bytes = Self.variable("WEBIMAGE_SANDBOX_BYTES").flatMap { UInt64($0) } ?? 0
        var isTested = true
        if isTemplate {
            guard let forked = fork() else { return 0 }
            isTested = forked
        }
        guard webimage_sandbox_lock(profile.features, bytes, &protections) == nil else { return 124 }
        webimage_sandbox_keep_memory()
        if !webimage_sandbox_has_address_sanitizer() {
            arena = PixelArena(
                start: window + SandboxWindow.arenaOffset, byteCount: SandboxWindow.arenaBytes)
            arena?.install()
        }
        // A system call that a newer library needs fails here, and not at a user's picture.
        if isTested {
            samples.decode(types)
            if profile == .pages { PageReader.prepare() }
            rest()
        }
        send(
            .ready(
                SandboxProtections(
                    hasFilter: protections.filter, landlock: Int(protections.landlock),
                    hasNamespaces: protections.namespaces)))
        while let (bytes, descriptor) = receive() {
            start = .now
            guard let request = SandboxRequest(bytes) else { return 123 }
            do throws(WebImageError) {
                try answer(request, file: request.isInWindow ? nil : descriptor)
            } catch {
                send(.failed(id: request.id, SandboxFailure(error)))
            }
            if descriptor >= 0 { close(descriptor) }
        }
        return 0
    }

    private func answer(_ request: SandboxRequest, file: Int32?) throws(WebImageError) {
        if request.command == .page {
            guard profile == .pages, let page = SandboxPage(try encodedBytes(request, file)) else { throw Self.unknown }
            return deliver(try page.read().sandboxPayload, request.id)
        }
        if request.command == .rest { return rest() }
        if request.command == .attempt { return attempt(request) }
        guard types.indices.contains(request.coder) else { throw Self.unknown }
        let coder = types[request.coder]
        let options = request.options
        switch request.command {
        case .decode:
            let image = try coder.shared.decode(try recognised(request, file, by: coder), options: options)
            if let animation = (image as? AnimatedImage)?.animatedCoder { animations[request.session] = animation }
            deliver(image, request.id)
        case .info:
            let info = try coder.shared.imageInfo(
                of: try recognised(request, file, by: coder), limits: options.limits)
            deliver(info.sandboxPayload, request.id)
        case .properties:
            let properties = try coder.shared.imageProperties(
                of: try recognised(request, file, by: coder), limits: options.limits)
            deliver(properties.sandboxPayload, request.id)
        case .gainMap:
            let map = try coder.gainMap(of: try recognised(request, file, by: coder), options: options)
            guard let map, let pixels = map.pixels else { throw Self.unknown }
            deliver(
                Image(pixels: pixels, colorProfile: map.alternateProfile, format: coder.formats.first ?? .undefined),
                request.id)
        case .open:
            let animation = try coder.openAnimation(try recognised(request, file, by: coder), options)
            animations[request.session] = animation
            deliver(SandboxAnimationFacts(animation).payload, request.id)
        case .describe:
            guard let animation = animations[request.session] else { throw Self.unknown }
            deliver(SandboxAnimationFacts(animation).payload, request.id)
        case .frame:
            guard let animation = animations[request.session] else { throw Self.unknown }
            deliver(try animation.frame(at: request.number), request.id)
        case .append:
            let known = request.isFirst ? try coder.makeStream(options) : streams[request.session]
            guard let stream = known else { throw Self.unknown }
            try stream.append(Data(try encodedBytes(request, file)), finished: request.isLast)
            // The host keeps, and closes, only a session whose first piece was good.
            streams[request.session] = stream
            let facts = SandboxStreamFacts(revision: stream.incrementalRevision, info: stream.incrementalInfo)
            deliver(facts.payload, request.id)
        case .partial:
            guard let image = streams[request.session]?.incrementalImage(options: nil) else { throw Self.unknown }
            deliver(image, request.id)
        case .close:
            animations[request.session] = nil
            streams[request.session] = nil
        case .rest, .attempt, .page: break
        }
    }

    private func attempt(_ request: SandboxRequest) {
        let errno = webimage_sandbox_try(
            Int32(clamping: request.number), Int32(clamping: request.session), request.id)
        send(.attempted(id: request.id, errno: Int(errno)))
    }

    /// The error for a request that names no coder or session of this worker, and for a partial image that is not there.
    private static let unknown = WebImageError.badData("decoder process", "there is nothing to decode")

    /// The bytes of a request if the coder recognises them. The host compares only signatures.
    private func recognised(
        _ request: SandboxRequest, _ file: Int32?, by coder: any SandboxableCoder.Type
    ) throws(WebImageError) -> Data {
        let data = try encodedBytes(request, file)
        guard coder.shared.canDecode(from: data) else {
            throw .badData("sniffer", "no known picture format starts like this")
        }
        // An animation keeps its bytes, and the host writes the next picture to the same place.
        let isKept = request.command == .open || request.command == .decode && !request.options.firstFrameOnly
        guard isKept, file == nil, coder.keepsBytes else { return data }
        return Data(data)
    }

    /// The bytes of a request, without a copy. Those in the window must not be used after the answer.
    private func encodedBytes(_ request: SandboxRequest, _ file: Int32?) throws(WebImageError) -> Data {
        guard let file else {
            guard request.byteCount <= SandboxWindow.inputBytes else { throw Self.unknown }
            return Data(bytesNoCopy: window, count: request.byteCount, deallocator: .none)
        }
        guard request.byteCount > 0,
            let memory = mmap(nil, request.byteCount, PROT_READ, MAP_PRIVATE, file, 0), memory != MAP_FAILED
        else { throw WebImageError(.outOfMemory, stage: .decode) }
        return Data(bytesNoCopy: memory, count: request.byteCount, deallocator: .unmap)
    }

    // MARK: Answers

    private func deliver(_ image: Image, _ id: UInt64) {
        var picture = SandboxPicture(image)
        if let profile = image.colorProfile?.iccData {
            guard profile.count <= SandboxPicture.mostProfileBytes else {
                return send(.failed(id: id, SandboxFailure(.badData("ICC", "the profile is too large"))))
            }
            profile.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: window, count: profile.count).copyMemory(from: $0)
            }
        }
        // The pixels stay where they are until the next request.
        picture.arenaOffset = arena?.offset(of: image.pixels)
        if picture.arenaOffset != nil { return send(.image(id: id, picture)) }
        image.pixels.withUnsafeBytes { deliver($0, id: id, announcedBy: .image(id: id, picture)) }
    }

    /// Returns all memory to the kernel that no session uses. The host sends this request only after it has copied the
    /// last result, and returns the other parts of the window itself.
    private func rest() {
        arena?.withUnusedParts { webimage_sandbox_return_window($0.baseAddress, $0.count) }
        webimage_sandbox_return_memory()
    }

    private func deliver(_ payload: Data, _ id: UInt64) {
        guard payload.count > SandboxAnswer.mostInlineBytes else {
            return send(.payload(id: id, byteCount: payload.count, payload))
        }
        payload.withUnsafeBytes {
            deliver($0, id: id, announcedBy: .payload(id: id, byteCount: payload.count, Data()))
        }
    }

    /// Sends an answer, and its bytes through the two slots of the window. The host returns one byte for each part that
    /// it has copied while a further part exists.
    private func deliver(_ bytes: UnsafeRawBufferPointer, id: UInt64, announcedBy answer: SandboxAnswer) {
        let count = SandboxWindow.partCount(bytes.count)
        for part in 0..<count {
            if part >= 2 { guard receive() != nil else { return } }
            let range = SandboxWindow.range(ofPart: part, of: bytes.count)
            (window + SandboxWindow.offset(ofPart: part)).copyMemory(
                from: bytes.baseAddress! + range.lowerBound, byteCount: range.count)
            if part == min(1, count - 1) { send(answer) }
            if part >= 2 { send(.nextPart(id: id)) }
        }
    }

    private func send(_ answer: SandboxAnswer) {
        let busy = UInt64(max((ContinuousClock.now - start) / .nanoseconds(1), 0))
        answer.encoded(busy: busy).withUnsafeBytes {
            _ = webimage_sandbox_send(webimage_sandbox_socket_descriptor, $0.baseAddress, $0.count, -1)
        }
    }

    /// Waits for a message. Nil when the host has closed the connection.
    private func receive() -> (bytes: Data, descriptor: Int32)? {
        var bytes = Data(count: SandboxRequest.size)
        var descriptor: Int32 = -1
        var count = -Int(ETIMEDOUT)
        while count == -Int(ETIMEDOUT) {
            count = bytes.withUnsafeMutableBytes {
                webimage_sandbox_receive(webimage_sandbox_socket_descriptor, $0.baseAddress, $0.count, &descriptor)
            }
        }
        return count > 0 ? (bytes.prefix(count), descriptor) : nil
    }
}

private let webimage_sandbox_socket_descriptor = Int32(webimage_sandbox_socket)
private let webimage_sandbox_window_descriptor = Int32(webimage_sandbox_window)
