import Foundation
import WebImage
import WebImageCore
import WebImageLoading
import WebImageVideoLoading

/// What a command reads of a picture. It decides how much of a video on a server is fetched.
enum PictureDemand: Sendable {
    /// Every byte, for a copy or the previews.
    case whole
    /// The facts of the header.
    case facts
    /// The facts, and one frame of a video: that at a time in seconds, or the first that is not black.
    case poster(time: Double?)

    var isWhole: Bool { if case .whole = self { true } else { false } }
}

/// Fetches of a video on a server only the parts that a command reads. The file extension of the URL decides, and where it names no
/// known format, the first bytes of the answer. So a picture costs no request more.
enum VideoOnServer {
    /// Loads videos by http and https, and others at URLs that do not name a format.
    static let loader = VideoPosterLoader(readsUnnamed: true)

    /// What the file extension of an operand says, with or without a query. Decides without reading the text as a URL, so that
    /// it costs the loads of pictures nothing.
    static func name(of text: String) -> VideoPosterLoader.Name {
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        let name = PathText.fileExtension(of: String(text[..<end]))
        guard name.isEmpty || [.undefined, .video].contains(ImageFormat(fileExtension: name)) else { return .other }
        return VideoPosterLoader.Name(fileExtension: name)
    }

    /// Returns the parts of a video; nil for a demand or a URL that needs every byte. A server without ranges sends the
    /// whole video, which must not exceed the limits.
    static func parts(
        _ load: ImageDataLoad, for demand: PictureDemand, limits: DecodingLimits
    ) async throws(WebImageError) -> Data? {
        guard !demand.isWhole, loader.canLoad(load) else { return nil }
        return try await loader.loadData(for: load, progress: nil) { data throws(WebImageError) in
            try await DecodePool.shared.run { () throws(WebImageError) in try demand.read(data, limits: limits) }
        }.data
    }
}

extension PictureDemand {
    /// Reads what the command will read.
    fileprivate func read(_ data: Data, limits: DecodingLimits) throws(WebImageError) {
        _ = try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
        guard case .poster(let time) = self else { return }
        var options = DecodingOptions()
        (options.limits, options.firstFrameOnly, options.video.time) = (limits, true, time)
        // Every size needs the same frames.
        options.thumbnailPixelSize = PixelSize(width: 16, height: 16)
        _ = try ImageCodersManager.shared.decode(data, options: options)
    }
}
