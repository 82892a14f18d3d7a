import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes the frames of one animation. Any thread can request any frame, in any order.
///
/// Only one thread decodes at a time. A frame depends on earlier frames, so a second thread would repeat the same work.
final class AnimationDecoder: Sendable {
    /// The properties that all frames share.
    struct Description: Sendable {
        var format: ImageFormat
        var orientation = ImageOrientation.up
        var profile: ColorProfile?
        /// Whether the file declares that a frame can have transparent pixels.
        var hasAlpha = true
        /// Whether the file stores 16 bits per channel. Decoded frames keep 16 bits only if the options request
        /// ``PixelFormat/rgba16`` or ``PixelFormat/rgbaHalf``.
        var isDeep = false
    }

    /// The limit for the checkpoints of one animation: 16 MiB, enough for 26 canvases of 400×400 px.
    static let checkpointBytes = 16 << 20

    private let plan: FrameDependencies
    private let description: Description
    private let options: DecodingOptions
    /// The compositor, protected by a lock. A thread holds the lock while it decodes a frame. Other threads that
    /// request a frame wait for the lock. No user code runs under the lock.
    private let compositor: Locked<FrameCompositor>

    init(
        plan: FrameDependencies, source: any AnimationSource, description: Description, options: DecodingOptions,
        checkpointBytes: Int = AnimationDecoder.checkpointBytes
    ) {
        self.plan = plan
        self.description = description
        self.options = Self.frameOptions(options, dependencies: plan, description: description)
        compositor = Locked(
            FrameCompositor(
                plan: plan, source: source, format: Self.canvasFormat(options, description),
                checkpointBytes: checkpointBytes))
    }

    var frameCount: Int { plan.frames.count }

    /// The number of frames that were decoded so far. A frame that was decoded twice counts twice. Frames that were
    /// decoded only because a requested frame depends on them also count.
    var drawnFrameCount: Int { compositor.withLock { $0.drawnFrameCount } }

    func duration(at index: Int) -> TimeInterval {
        plan.frames.indices.contains(index)
            ? FrameDuration.played(milliseconds: plan.frames[index].delayMilliseconds) : 0
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        guard plan.frames.indices.contains(index) else {
            throw .badData("animation", "there is no frame \(index)", hint: "The animation has \(frameCount).")
        }
        let deadline = DecodeDeadline(options.limits)
        let shown = try compositor.withLock { compositor throws(WebImageError) in
            try compositor.show(index, deadline: deadline)
        }
        let picture = DecodedPicture(
            pixels: shown.pixels, orientation: description.orientation, profile: description.profile,
            hasAlpha: !shown.isOpaque, format: description.format)
        return try picture.finished(options: options, fullSize: plan.canvas)
    }

    /// Replaces the byte limit in the options by a thumbnail size. The byte limit applies to all frames together. If
    /// every frame has the thumbnail size, all frames together are within the byte limit.
    private static func frameOptions(
        _ options: DecodingOptions, dependencies plan: FrameDependencies, description: Description
    ) -> DecodingOptions {
        guard options.scaleDownLimitBytes != nil else { return options }
        var own = options
        let seen = plan.canvas.oriented(description.orientation)
        own.thumbnailPixelSize = options.targetSize(for: seen, frameCount: plan.frames.count)
        own.preserveAspectRatio = false
        own.scaleDownLimitBytes = nil
        return own
    }

    private static func canvasFormat(_ options: DecodingOptions, _ description: Description) -> PixelFormat {
        let convertsColors = description.profile != nil && options.colorConversion == .sRGB
        if convertsColors, description.isDeep, description.profile?.needsDepth == true { return .rgba16 }
        return switch options.pixelFormat {
        // A later colour conversion needs straight alpha (`rgba8`). After premultiplication, the colours of nearly
        // transparent pixels have too little precision.
        case .bgra8Premultiplied: convertsColors && description.hasAlpha ? .rgba8 : .bgra8Premultiplied
        case .rgba16, .rgbaHalf: description.isDeep ? .rgba16 : .rgba8
        case .rgba8, .rgb8, .gray8: .rgba8
        }
    }
}
