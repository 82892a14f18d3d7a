package import Foundation

/// The parameters of one decode. The options and the context of a load determine these parameters.
package struct ImageDecoding: Sendable {
    /// The coders that can decode the data: all coders of a list, or one coder that the load names.
    private enum Choice {
        case list(ImageCodersManager)
        case named(any ImageCoder)
    }

    private let choice: Choice
    package var options: DecodingOptions
    /// The registered coders. When `coder` has failed to decode stored bytes, these coders are tried. If all of them
    /// fail too, the stored bytes can be removed.
    var registered: ImageCodersManager
    /// The image class that is tried before the coder; nil if only the first frame is requested.
    package var animatedClass: (any AnimatedImageProtocol.Type)?
    package var preloadsAllFrames = false
    /// Whether the decode fails if the animated class cannot read the data. If false, the coder is tried next.
    package var requiresAnimatedClass = false
    /// Whose file is decoded.
    package var owner = FileOwner.shared

    package init(coder: any ImageCoder, options: DecodingOptions, registered: ImageCodersManager = .shared) {
        choice = (coder as? ImageCodersManager).map { .list($0) } ?? .named(coder)
        self.options = options
        self.registered = registered
    }

    /// The list of coders, or the coder that the load names.
    package var coder: any ImageCoder {
        switch choice {
        case .list(let coders): coders
        case .named(let coder): coder
        }
    }

    /// Decodes the data. Blocks the calling thread until the image is decoded.
    package func decode(_ data: Data) throws(WebImageError) -> Image {
        try owner.run { () throws(WebImageError) in try decodeAsOwner(data) }
    }

    private func decodeAsOwner(_ data: Data) throws(WebImageError) -> Image {
        if let image = try animated(data) { return image }
        let image =
            switch choice {
            case .list(let coders): try coders.decode(data, options: options)
            case .named(let coder): try coder.decode(data, options: options)
            }
        if preloadsAllFrames { image.animatedImage?.preloadAllFrames() }
        image.decodingOptions = options
        return image
    }

    /// The class of the partial images while an animation is being downloaded. Nil if only the first frame is
    /// requested.
    package var previewClass: (any AnimatedImageProtocol.Type)? {
        options.firstFrameOnly ? nil : animatedClass ?? AnimatedImage.self
    }

    private func animated(_ data: Data) throws(WebImageError) -> Image? {
        guard let animatedClass else { return nil }
        let scale = CGFloat(NumberLimits.scale(options.scaleFactor))
        if let image = animatedClass.init(data: data, scale: scale, options: options.dictionary) {
            if preloadsAllFrames { image.preloadAllFrames() }
            image.decodingOptions = options
            image.countsAsDecoded = true
            return image
        }
        guard !requiresAnimatedClass else { throw .badData("\(animatedClass)", "cannot read this picture") }
        return nil
    }

    /// Returns the coder for the frames of an animation. `data` contains the first bytes of the file. Returns nil when
    /// there is no such coder.
    package func animatedCoder(for data: Data) -> (any AnimatedImageCoder)? {
        switch choice {
        case .list(let coders): coders.decoder(for: data)?.role.animated
        case .named(let coder): coder.canDecode(from: data) ? coder.animated : nil
        }
    }

    /// Returns the coder whose type makes the partial images of a file. `start` contains the first bytes of the file.
    /// Returns nil if there is no such coder.
    package func progressiveCoder(for start: Data) -> (any ProgressiveImageCoder)? {
        switch choice {
        case .list(let coders): coders.progressiveCoder(for: start)
        case .named(let coder): coder.progressive
        }
    }

    /// Returns the size to which the image will be decoded. Reads only the header. Returns nil if the header is
    /// incomplete or the coder cannot read the header.
    package func size(of data: Data) -> PixelSize? {
        header(of: data).map { options.targetSize(for: $0.pixelSize, frameCount: $0.animationFrameCount) }
    }

    /// Returns the memory in bytes that the decode will take, including the working memory of the codec
    /// library. Reads only the header. Returns 0 if the cost is unknown.
    package func cost(of data: Data) -> Int {
        // Limit the cost to half of `Int.max`, so that the pool can add it to its total without overflow.
        header(of: data).map { min($0.decodeBytes(options), .max / 2) } ?? 0
    }

    /// Reads the header without decoding pixels. The caller needs the cost and the size before the decode starts.
    private func header(of data: Data) -> ImageInfo? {
        try? owner.run { () throws(WebImageError) in headerAsOwner(data) }
    }

    private func headerAsOwner(_ data: Data) -> ImageInfo? {
        switch choice {
        case .list(let coders): coders.headerInfo(of: data, limits: options.limits)
        case .named(let coder):
            coder.describesFiles ? try? coder.imageInfo(of: data, limits: options.limits) : nil
        }
    }
}

/// Whose file a decode reads. A decoder process reads files of one owner only, because a file that takes over the process
/// sees the files that it reads later.
package enum FileOwner: Sendable, Hashable {
    /// Every load of the URL may see the file.
    case shared
    /// Only loads with this scope may see the file.
    case scoped(String)
    /// The owner is not known, so no other file has it.
    case unknown

    /// The owner of the file that the current job decodes.
    @TaskLocal package static var current = FileOwner.shared

    /// Calls `body` with this owner as the ``current`` one.
    package func run<Value>(_ body: () throws(WebImageError) -> Value) throws(WebImageError) -> Value {
        guard self != .shared else { return try body() }
        let result = Self.$current.withValue(self) { Result { () throws(WebImageError) in try body() } }
        return try result.get()
    }
}

extension ImageDecoding {
    /// Returns whether stored bytes should be removed after a decode has failed with `error`. True if no
    /// registered coder can decode the bytes.
    ///
    /// The failure of one coder is not sufficient, because another load can use another coder. Blocks the calling
    /// thread while the coders decode.
    package func isUndecodable(_ data: Data, after error: WebImageError) -> Bool {
        // A file that makes its decoder crash is not given to a decoder again.
        if error.crashedDecoder { return true }
        guard error.code == .badImageData else { return false }
        let readers = registered.readers(of: data)
        guard !readers.isEmpty else {
            // If the format is known but has no registered coder, the bytes can be a valid image for another
            // program. Also keep the bytes if no coder is registered and the load uses a list of coders.
            let usesList = if case .list = choice { true } else { false }
            return (!registered.resolvedCoders.isEmpty || !usesList) && ImageFormat(sniffing: data) == .undefined
        }
        var plain = DecodingOptions()
        plain.limits = options.limits
        return !readers.contains { reader in
            do throws(WebImageError) {
                _ = try reader.role.decode(data, options: plain)
                return true
            } catch {
                // With any other error, the bytes can still be an image. For example, the image exceeds a limit, or
                // there was not enough memory.
                return error.code != .badImageData
            }
        }
    }
}

extension WebImageError {
    /// Whether the file made its decoder process crash.
    package var crashedDecoder: Bool {
        if code == .decoderFailed, case .codec = underlying { true } else { false }
    }
}
