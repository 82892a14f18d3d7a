import Foundation
import WebImageCore
import WebImageGraphics

/// A coder that decodes in workers.
protocol IsolatedCoder {
    var isolatedFormats: [ImageFormat] { get }
}

/// A coder that decodes in workers and encodes in this process. It has the abilities of `Base`.
final class SandboxedCoder<Base: SandboxableCoder>: ImageCoder, IsolatedCoder {
    private enum Work {
        /// The registered instance.
        case none
        case opened(SandboxAnimation)
        /// An animation that this process decodes, because no worker can start and the program allows it.
        case openedHere(any AnimatedImageCoder)
        case arriving(SandboxStream)
    }

    private let work: Work

    init() { work = .none }
    init(_ animation: SandboxAnimation) { work = .opened(animation) }
    private init(_ work: Work) { self.work = work }

    var isolatedFormats: [ImageFormat] { Base.formats }

    private var stream: SandboxStream? { if case .arriving(let stream) = work { stream } else { nil } }

    var signatures: [FileSignature]? { Base.shared.signatures }
    // The class adopts these protocols for some types of `Base` only, which `Base` knows without a cast.
    var animated: (any AnimatedImageCoder)? { Base.animated(self) }
    var progressive: (any ProgressiveImageCoder)? { Base.progressive(self) }

    func canDecode(from data: Data) -> Bool { Base.recognises(data) }

    func canEncode(to format: ImageFormat) -> Bool { Base.shared.canEncode(to: format) }

    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try Self.withWorkers { pool throws(WebImageError) in
            var options = DecodingOptions()
            options.limits = limits
            let request = Base.workerCoder.request(.info, options)
            return try pool.withWorker(pool.kind(Base.workerCoder.profile)) { worker throws(WebImageError) in
                let payload = try worker.payload(
                    request, .data(data), mostBytes: SandboxPayload.mostBytes(data.count, limits))
                guard let info = ImageInfo(sandboxPayload: payload, formats: Base.formats) else {
                    throw worker.endAfterMalformedAnswer()
                }
                return info
            }
        } orHere: { () throws(WebImageError) in
            try Base.shared.imageInfo(of: data, limits: limits)
        }
    }

    /// Decodes the picture. A gain map that is kept beside it is decoded by a second request, as a picture of its own.
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        guard options.dynamicRange == .keep, Base.readsGainMaps,
            let info = try? imageInfo(of: data, limits: options.limits), let described = info.hdr?.gainMap
        else { return try decodeAsOne(data, options: options) }
        // Without its map, the picture is decoded as one that has none.
        guard let map = try? gainMap(described, of: data, options) else {
            return try decodeAsOne(data, options: options)
        }
        var own = options
        // A base with the higher range has the values of its own curve.
        own.dynamicRange = described.metadata.isBaseHDR ? .keep : .standard
        // A conversion of the base would change the channels that the factors belong to.
        if described.channelCount > 1 || described.metadata.channels.count > 1 { own.colorConversion = .asStored }
        let image = try decodeAsOne(data, options: own)
        image.decodingOptions = options
        var range = described.metadata.isBaseHDR ? image.hdr ?? HDRDescription() : HDRDescription()
        range.gainMap = map
        image.hdr = range
        return image
    }

    private func gainMap(
        _ described: GainMap, of data: Data, _ options: DecodingOptions
    ) throws(WebImageError) -> GainMap {
        var own = options
        (own.dynamicRange, own.decodesToHDR, own.colorConversion) = (.standard, false, .asStored)
        own.pixelFormat = described.channelCount == 1 ? .gray8 : .rgb8
        let request = Base.workerCoder.request(.gainMap, own)
        return try Self.withWorkers { pool throws(WebImageError) in
            let image = try pool.withWorker(pool.kind(Base.workerCoder.profile)) { worker throws(WebImageError) in
                try worker.image(request, .data(data)).image
            }
            var map = GainMap(metadata: described.metadata, pixels: image.pixels)
            map.alternateProfile = image.colorProfile
            return map
        } orHere: { () throws(WebImageError) in
            guard let map = try Base.gainMap(of: data, options: options) else {
                throw .badData("gain map", "the file has none")
            }
            return map
        }
    }

    private func decodeAsOne(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        let image = try Self.withWorkers { pool throws(WebImageError) in
            let (image, animation) = try SandboxAnimation.decode(
                data, pool: pool, coder: Base.workerCoder, options: options)
            return Base.image(image, animation)
        } orHere: { () throws(WebImageError) in
            try Base.shared.decode(data, options: options)
        }
        // Pixels that keep the values of PQ or HLG have a profile, which says so.
        if image.hdr == nil { image.hdr = image.colorProfile?.hdr }
        return image
    }

    func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        try Base.shared.encode(image, format: format, options: options)
    }

    /// Runs `body` with the pool of workers. If no worker can start and the program asked for it, runs `decodeHere`.
    private static func withWorkers<Value>(
        _ body: (SandboxPool) throws(WebImageError) -> Value, orHere decodeHere: () throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        let host = try SandboxHost.current()
        do throws(WebImageError) {
            return try body(host.pool)
        } catch {
            guard error.code == .sandboxUnavailable, host.decodesHere else { throw error }
            SandboxHost.warnOnce(error)
            return try decodeHere()
        }
    }
}

extension SandboxedCoder: AnimatedImageProvider where Base: AnimatedImageCoder {
    private var animation: SandboxAnimation? {
        switch work {
        case .opened(let animation): animation
        case .arriving(let stream): stream.animation()
        case .none, .openedHere: nil
        }
    }

    private var here: (any AnimatedImageCoder)? { if case .openedHere(let coder) = work { coder } else { nil } }

    var animatedImageData: Data? { here?.animatedImageData ?? animation?.data }
    var animatedImageFrameCount: Int { here?.animatedImageFrameCount ?? animation?.facts.frameCount ?? 0 }
    var animatedImageLoopCount: Int { here?.animatedImageLoopCount ?? animation?.facts.loopCount ?? 0 }
    var animatedImagePlayCount: Int { here?.animatedImagePlayCount ?? animation?.facts.playCount ?? 0 }
    func animatedImageDuration(at index: Int) -> TimeInterval {
        if let here { return here.animatedImageDuration(at: index) }
        guard let durations = animation?.facts.durations, durations.indices.contains(index) else { return 0 }
        return durations[index]
    }
}

extension SandboxedCoder: AnimatedImageCoder where Base: AnimatedImageCoder {
    convenience init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        self.init(
            try Self.withWorkers { pool throws(WebImageError) in
                .opened(try SandboxAnimation(data, pool: pool, coder: Base.workerCoder, options: options))
            } orHere: { () throws(WebImageError) in
                .openedHere(try Base(animation: data, options: options))
            } as Work)
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        if let here { return try here.frame(at: index) }
        guard let animation else { throw .noAnimation }
        return try animation.frame(at: index)
    }
}

extension SandboxedCoder: ProgressiveImageCoder where Base: StreamingImageCoder {
    func canIncrementalDecode(from start: Data) -> Bool { Base.shared.canIncrementalDecode(from: start) }

    convenience init(incremental options: DecodingOptions) {
        self.init(
            .arriving(
                SandboxStream(Base.workerCoder, options: options) { () throws(WebImageError) in
                    try SandboxHost.current().pool
                }))
    }

    func update(_ data: Data, finished: Bool) throws(WebImageError) {
        try stream?.update(data, finished: finished)
    }

    func incrementalImage(options: DecodingOptions?) -> Image? { stream?.image(scale: options?.scaleFactor) }
}

extension SandboxedCoder: StreamingImageCoder where Base: StreamingImageCoder {
    func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try stream?.append(bytes, finished: finished)
    }

    var incrementalInfo: ImageInfo? { stream?.info }
    var incrementalRevision: Int { stream?.revision ?? 0 }
}

extension SandboxedCoder {
    func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        try limits.checkEncodedBytes(data.count)
        return try Self.withWorkers { pool throws(WebImageError) in
            var options = DecodingOptions()
            options.limits = limits
            let request = Base.workerCoder.request(.properties, options)
            return try pool.withWorker(pool.kind(Base.workerCoder.profile)) { worker throws(WebImageError) in
                let payload = try worker.payload(
                    request, .data(data), mostBytes: SandboxPayload.mostBytes(data.count, limits))
                guard let properties = ImageProperties(sandboxPayload: payload, formats: Base.formats) else {
                    throw worker.endAfterMalformedAnswer()
                }
                return properties
            }
        } orHere: { () throws(WebImageError) in
            try Base.shared.imageProperties(of: data, limits: limits)
        }
    }
}

extension SandboxedCoder {
    func canEncodeFrames(to format: ImageFormat) -> Bool { Base.shared.canEncodeFrames(to: format) }

    func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        try Base.shared.encode(
            frameCount: frameCount, loopCount: loopCount, format: format, options: options, frame: frame)
    }
}
