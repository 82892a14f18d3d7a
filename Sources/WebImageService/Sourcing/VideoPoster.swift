import Foundation
import WebImageCore

/// What a result reads of a video: the facts of its header, and one frame. Only these parts of a video on a server are fetched.
struct VideoPoster: Sendable {
    /// The time of the frame in seconds; nil for the first that is not black.
    let time: Double?
    let settings: OutputSettings
    let coders: ImageCodersManager

    /// Whether the settings accept videos. Otherwise the source is fetched like any other, and refused.
    var isAccepted: Bool { (try? settings.check(.video)) != nil }

    /// Distinguishes the parts of one frame from those of another.
    var mark: String { time.map { "frame \($0)" } ?? "poster" }

    /// Reads what the result will read. Blocks; runs on the decode pool.
    func read(_ data: Data) throws(WebImageError) {
        let info = try coders.imageInfo(of: data, limits: settings.decoding)
        try settings.decoding.checkPixels(info.pixelSize)
        var options = DecodingOptions()
        (options.limits, options.firstFrameOnly, options.video.time) = (settings.decoding, true, time)
        // Every size needs the same frames.
        options.thumbnailPixelSize = PixelSize(width: 16, height: 16)
        _ = try coders.decode(data, options: options)
    }
}

extension PictureJob.Product {
    /// The frame of a video of which the result is made: a video is shown by its poster.
    var videoPoster: VideoPoster {
        switch self {
        case .picture(let renderer):
            VideoPoster(
                time: renderer.options.videoSecond, settings: renderer.settings.bounded(by: renderer.options.limits),
                coders: renderer.coders)
        case .info(let info), .meta(let info, _):
            VideoPoster(time: nil, settings: info.settings, coders: info.coders)
        }
    }
}
