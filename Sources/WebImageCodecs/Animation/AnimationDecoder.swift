import Foundation
import WebImageCore
import WebImageGraphics

/// An animation whose frames can be requested in any order, from any thread.
///
/// One thread decodes at a time: frames depend on one another, so a second thread would repeat the work of the first.
final class AnimationDecoder: Sendable {
    /// The properties that all frames share.
    struct Description: Sendable {
        var format: ImageFormat
        var orientation = ImageOrientation.up
        var profile: ColorProfile?
        /// Whether any frame may be transparent, as the file declares.
        var hasAlpha = true
        /// Whether channels have 16 bits, which are kept if the options ask for ``PixelFormat/rgba16``.
        var isDeep = false
    }

    /// The limit for the checkpoints of one animation: 16 MiB, enough for 26 canvases of 400×400 px.
    static let checkpointBytes = 16 << 20

    private let plan: AnimationPlan
    private let description: Description
    private let options: DecodingOptions
    /// Held while a frame is decoded: only threads that decode wait here, and no caller's code runs inside.
    private let compositor: Locked<FrameCompositor>

    init(
        plan: AnimationPlan, source: any AnimationSource, description: Description, options: DecodingOptions,
        checkpointBytes: Int = AnimationDecoder.checkpointBytes
    ) {
        self.plan = plan
        self.description = description
        self.options = Self.frameOptions(options, plan, description)
        compositor = Locked(
            FrameCompositor(
                plan: plan, source: source, format: Self.canvasFormat(options, description),
                checkpointBytes: checkpointBytes))
    }

    var frameCount: Int { plan.frames.count }

    /// Frames decoded so far, including those that were decoded only to reach others.
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

    /// Turns a limit on all frames together into the size of each.
    private static func frameOptions(
        _ options: DecodingOptions, _ plan: AnimationPlan, _ description: Description
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
        return switch options.pixelFormat {
        // Colours are converted before they are multiplied by alpha; afterwards, dark transparent ones lack precision.
        case .bgra8Premultiplied: convertsColors && description.hasAlpha ? .rgba8 : .bgra8Premultiplied
        case .rgba16, .rgbaHalf: description.isDeep ? .rgba16 : .rgba8
        case .rgba8, .rgb8, .gray8: .rgba8
        }
    }
}
