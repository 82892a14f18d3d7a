public import Foundation

/// Which frames of a video become pictures. Coders of other formats ignore these options.
public struct VideoOptions: Sendable, Hashable {
    /// The time of the frame that stands for the video, in seconds from its start. A video that is shorter gives its last
    /// frame. Nil, the default, means the first frame that is not black. With a time, the result is a still image.
    public var time: TimeInterval?
    /// The number of frames of the animation that is made from a video. The first one is the poster. A video can have fewer.
    /// At least 1; the default is 10.
    public var previewFrameCount: Int

    /// Makes options.
    public init(time: TimeInterval? = nil, previewFrameCount: Int = 10) {
        self.time = time.map { $0.isFinite ? min(max($0, 0), Self.longestTime) : 0 }
        self.previewFrameCount = min(max(previewFrameCount, 1), Self.mostPreviews)
    }

    /// About thirty years in seconds, which every unit of time can count.
    package static let longestTime = 1e9
    package static let mostPreviews = 1000
}

extension ImageCoderOption {
    /// Number: ``VideoOptions/time``. By default the frame is the first frame that is not black.
    public static let decodeVideoTime = ImageCoderOption(rawValue: "decodeVideoTime")
    /// Number: ``VideoOptions/previewFrameCount``. Default 10.
    public static let decodeVideoPreviewFrameCount = ImageCoderOption(rawValue: "decodeVideoPreviewFrameCount")
}

extension VideoOptions {
    init(_ options: ImageCoderOptions) {
        let count = options.readNumber(.decodeVideoPreviewFrameCount) ?? 10
        self.init(
            time: options.readNumber(.decodeVideoTime),
            previewFrameCount: Int(count.isFinite ? min(max(count, 1), Double(Self.mostPreviews)) : 10))
    }

    /// The same options as a dictionary; empty for the default values.
    var dictionary: ImageCoderOptions {
        var options: ImageCoderOptions = [:]
        if let time { options[.decodeVideoTime] = NSNumber(value: time) }
        if previewFrameCount != 10 { options[.decodeVideoPreviewFrameCount] = NSNumber(value: previewFrameCount) }
        return options
    }
}
