import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting
import WebImageVideo

/// Limits, damaged videos, sources of ranges, and what videos must not reach.
@Suite(.enabled(if: VideoSample.isThere)) struct VideoHostileTests {
    private static let samples = [
        VideoSample("mp4", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"),
        VideoSample("mp4", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -movflags +faststart"),
        VideoSample("mp4", "-c:v libx264 -preset ultrafast -g 10 -movflags frag_keyframe+empty_moov"),
        VideoSample("mkv", "-c:v libx265 -preset ultrafast -x265-params log-level=none"),
        VideoSample("webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8"),
        VideoSample("webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuva420p"),
        VideoSample("mp4", "-c:v libsvtav1 -preset 10"), VideoSample("ts", "-c:v mpeg2video -q:v 3"),
        VideoSample("avi", "-c:v mpeg4 -q:v 3"), VideoSample("ogv", "-c:v libtheora -q:v 5"),
        VideoSample("mov", "-c:v prores -profile:v 0"), VideoSample("avi", "-c:v mjpeg -q:v 3"),
    ]

    private static var options: DecodingOptions { VideoConformanceTests.options }

    private static func live() -> [String: Int] { HandleLedger.live.filter { $0.key.hasPrefix("video") } }

    /// A picture of the declared size, or an error that says why.
    @Test(arguments: samples) func cutVideosAreErrorsOrPictures(sample: VideoSample) throws {
        let data = try sample.data
        var pictures = 0
        let lengths = Array(0..<40) + stride(from: 40, to: data.count, by: max(data.count / 60, 1))
        for count in lengths {
            pictures += Self.isPicture(data.prefix(count)) ? 1 : 0
        }
        // All but the header at the end of one file can be missing.
        #expect(pictures > 0 || sample.container == "mp4" || sample.container == "mov")
        #expect(Self.live().isEmpty, "\(Self.live())")
    }

    @Test(arguments: samples) func changedVideosAreErrorsOrPictures(sample: VideoSample) throws {
        let data = try sample.data
        var random = SeededRandom(seed: 57)
        for _ in 0..<60 {
            var changed = data
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                // Half of the changes are in the header, which is at the start or at the end.
                let place =
                    Bool.random(using: &random)
                    ? Int.random(in: 0..<min(2000, data.count), using: &random)
                    : Int.random(in: 0..<data.count, using: &random)
                let index = Bool.random(using: &random) ? place : data.count - 1 - place
                changed[changed.startIndex + index] = UInt8.random(in: 0...255, using: &random)
            }
            _ = Self.isPicture(changed)
        }
        #expect(Self.live().isEmpty, "\(Self.live())")
    }

    private static func isPicture(_ data: Data) -> Bool {
        var options = options
        options.limits.maxPixels = 1 << 20
        options.limits.maxDecodeTime = .seconds(20)
        do throws(WebImageError) {
            let info = try ImageVideoCoder.shared.imageInfo(of: data, limits: options.limits)
            let image = try ImageVideoCoder.shared.decode(data, options: options)
            #expect(image.pixelSize == info.pixelSize)
            return true
        } catch {
            #expect([.badImageData, .unsupportedFormat, .limitExceeded].contains(error.code), "\(error)")
            return false
        }
    }

    // MARK: Limits

    @Test(arguments: samples) func limitsAreChecked(sample: VideoSample) throws {
        let data = try sample.data
        let changes: [(inout DecodingLimits) -> Void] = [
            { $0.maxPixels = 176 * 144 - 1 }, { $0.maxSide = 175 }, { $0.maxEncodedBytes = 1000 },
            { $0.maxDecodeTime = .nanoseconds(1) }, { $0.maxDecodeBytes = 100_000 },
        ]
        for change in changes {
            var options = Self.options
            change(&options.limits)
            let error = #expect(throws: WebImageError.self) {
                try ImageVideoCoder.shared.decode(data, options: options)
            }
            #expect(error?.code == .limitExceeded, "\(error.map { "\($0)" } ?? "")")
        }
        #expect(Self.live().isEmpty)
    }

    /// The header may declare a small size, and the stream a large one.
    @Test func aFrameThatIsLargerThanTheHeaderSaysIsRefused() throws {
        var data = try VideoSample("mp4", "-c:v mpeg4 -q:v 5", source: "testsrc2=size=1280x720:rate=25:duration=0.2")
            .data
        let entry = try #require(data.range(of: Data("mp4v".utf8), options: .backwards)?.upperBound)
        data.replaceSubrange((entry + 24)..<(entry + 28), with: [0, 64, 0, 64])
        var options = Self.options
        options.limits.maxPixels = 10_000
        #expect(throws: WebImageError.self) { try ImageVideoCoder.shared.decode(data, options: options) }
    }

    @Test func previewsAreLimited() throws {
        let data = try Self.samples[0].data
        var options = Self.options
        options.firstFrameOnly = false
        options.limits.maxAnimationPixels = 3 * 176 * 144
        #expect(try ImageVideoCoder(animation: data, options: options).animatedImageFrameCount == 3)
        options.limits.maxFrameCount = 2
        #expect(try ImageVideoCoder(animation: data, options: options).animatedImageFrameCount == 2)
        options.limits.maxAnimationPixels = 1
        #expect(try !ImageVideoCoder.shared.decode(data, options: options).isAnimated)
    }

    // MARK: What is no video

    @Test(arguments: [
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n", "ffconcat version 1.0\nfile /etc/passwd\n",
        "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\"/>", "OggS", "RIFF\0\0\0\0WAVE", "",
    ])
    func listsOfOtherFilesAreNotRead(text: String) {
        let data = Data(text.utf8)
        #expect(!ImageVideoCoder.shared.canDecode(from: data) && ImageFormat(sniffing: data) != .video)
        #expect(throws: WebImageError.self) { try ImageVideoCoder.shared.decode(data, options: Self.options) }
    }

    @Test func soundIsNoVideo() throws {
        let sounds = [("mp4", "aac"), ("mkv", "aac"), ("ts", "mp2"), ("m4a", "aac"), ("ogg", "libvorbis")]
        for (container, encoder) in sounds {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("sound-\(UUID()).\(container)")
            defer { try? FileManager.default.removeItem(at: file) }
            try VideoSample.run(["-f", "lavfi", "-i", "sine=duration=1", "-c:a", encoder, file.path])
            let data = try Data(contentsOf: file)
            let error = #expect(throws: WebImageError.self) {
                try ImageVideoCoder.shared.decode(data, options: Self.options)
            }
            #expect(error?.code == .badImageData)
            #expect(ImageVideoCoder.shared.canDecode(from: data) == !["m4a", "ogg"].contains(container))
        }
    }

    @Test func otherFormatsOfVideoAreNamed() throws {
        let data = try VideoSample("avi", "-c:v ffv1").data
        let error = #expect(throws: WebImageError.self) {
            try ImageVideoCoder.shared.decode(data, options: Self.options)
        }
        #expect(error?.code == .unsupportedFormat && error?.description.contains("ffv1") == true)
    }

    // MARK: Ranges

    private static let noise = "testsrc2=size=320x240:rate=25:duration=6,noise=alls=80:allf=t"

    /// The header at the end, at the start, and between; the picture is that of the whole file.
    @Test(arguments: [
        VideoSample("mp4", "-c:v libx264 -preset ultrafast -qp 4 -g 25", source: noise),
        .init("mp4", "-c:v libx264 -preset ultrafast -qp 4 -g 25 -movflags +faststart", source: noise),
        .init("mkv", "-c:v libx264 -preset ultrafast -qp 4 -g 25", source: noise),
    ])
    func onlyPartsAreRead(sample: VideoSample) throws {
        let data = try sample.data
        try #require(data.count > 12 << 20)
        let reads = Locked<(count: Int, bytes: Int)>((0, 0))
        let source = VideoByteSource(byteCount: data.count) { range in
            reads.withLock { $0 = ($0.count + 1, $0.bytes + range.count) }
            return data.dropFirst(range.lowerBound).prefix(range.count)
        }
        for time in [nil, 3] as [Double?] {
            reads.withLock { $0 = (0, 0) }
            var options = Self.options
            options.video.time = time
            let image = try ImageVideoCoder.shared.decode(reading: source, options: options)
            let whole = try ImageVideoCoder.shared.decode(data, options: options)
            #expect(try Samples.difference(image, whole) == 0)
            let read = reads.withLock { $0 }
            #expect(read.bytes < 3 << 20, "\(read) of \(data.count)")
        }
        #expect(
            try ImageVideoCoder.shared.imageInfo(reading: source)
                == ImageVideoCoder.shared.imageInfo(of: data, limits: DecodingLimits()))
        // The limit counts what is read.
        var options = Self.options
        options.limits.maxEncodedBytes = 40_000
        let error = #expect(throws: WebImageError.self) {
            try ImageVideoCoder.shared.decode(reading: source, options: options)
        }
        #expect(error?.code == .limitExceeded)
        #expect(Self.live().isEmpty)
    }

    @Test func errorsOfASourceAreThoseOfTheDecode() throws {
        let data = try Self.samples[0].data
        for failing in [0, 3] {
            let count = Locked(0)
            let source = VideoByteSource(byteCount: data.count) { range throws(WebImageError) in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number <= failing else { throw WebImageError(.transport, stage: .download) }
                return data.dropFirst(range.lowerBound).prefix(100)
            }
            let error = #expect(throws: WebImageError.self) { try ImageVideoCoder.shared.decode(reading: source) }
            #expect(error?.code == .transport)
        }
        let empty = VideoByteSource(byteCount: data.count) { _ in Data() }
        #expect(throws: WebImageError.self) { try ImageVideoCoder.shared.decode(reading: empty) }
    }

    @Test func filesAreReadInParts() throws {
        let data = try Self.samples[0].data
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("parts-\(UUID()).mp4")
        defer { try? FileManager.default.removeItem(at: file) }
        try data.write(to: file)
        let image = try ImageVideoCoder.shared.decode(reading: VideoByteSource(contentsOf: file), options: Self.options)
        #expect(try Samples.difference(image, ImageVideoCoder.shared.decode(data, options: Self.options)) == 0)
        let error = #expect(throws: WebImageError.self) {
            try VideoByteSource(contentsOf: file.appendingPathExtension("missing"))
        }
        #expect(error?.code == .fileSystem)
    }

    @Test func severalThreadsDecodeAtTheSameTime() async throws {
        let data = try Self.samples[0].data
        let expected = try ImageVideoCoder.shared.decode(data, options: Self.options)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    try Samples.difference(ImageVideoCoder.shared.decode(data, options: Self.options), expected)
                }
            }
            for try await difference in group { #expect(difference == 0) }
        }
    }
}
