import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageVideo

/// Frames beside those of the command `ffmpeg`, and colours beside the equations of the standards.
@Suite(.enabled(if: VideoSample.isThere)) struct VideoConformanceTests {
    static let samples: [VideoSample] = [
        VideoSample("mp4", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -colorspace bt709"),
        VideoSample("mp4", "-c:v libx264 -preset ultrafast -pix_fmt yuv444p -colorspace bt709"),
        VideoSample("mov", "-c:v libx264 -preset ultrafast -pix_fmt yuv422p -colorspace smpte170m"),
        VideoSample("mkv", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p10le -colorspace bt709"),
        VideoSample("mp4", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -colorspace bt709 -color_range pc"),
        VideoSample("ts", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"),
        VideoSample("mp4", "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p"),
        VideoSample("mp4", "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p10le"),
        VideoSample("webm", "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M"),
        VideoSample("webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 1M"),
        VideoSample("webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuv420p10le -b:v 1M"),
        VideoSample("mp4", "-c:v libsvtav1 -preset 10"),
        VideoSample("avi", "-c:v mpeg4 -q:v 3"), VideoSample("mp4", "-c:v mpeg4 -q:v 3"),
        VideoSample("avi", "-c:v mjpeg -q:v 3 -pix_fmt yuvj420p"), VideoSample("mov", "-c:v mjpeg -pix_fmt yuvj422p"),
        VideoSample("avi", "-c:v msmpeg4 -q:v 3"), VideoSample("ts", "-c:v mpeg2video -q:v 3"),
        VideoSample("mkv", "-c:v mpeg1video -q:v 3"), VideoSample("ogv", "-c:v libtheora -q:v 7"),
        VideoSample("mov", "-c:v prores -profile:v 1"), VideoSample("3gp", "-c:v h263 -q:v 3"),
        VideoSample("mp4", "-c:v libx264 -preset ultrafast -pix_fmt gray"),
    ]

    /// The command converts with the same library, so that only rounding may differ. The samples of chroma have the place
    /// that the standards give them; the command takes another one unless it is told.
    @Test(arguments: samples) func postersAreThoseOfTheCommand(sample: VideoSample) throws {
        let data = try sample.data
        #expect(ImageFormat(sniffing: data) == .video)
        let info = try ImageVideoCoder.shared.imageInfo(of: data, limits: DecodingLimits())
        #expect(info.storedSize == PixelSize(width: 176, height: 144) && info.orientation == .up)
        #expect(abs((info.mediaDuration ?? 0) - 2) < 0.15, "\(info.mediaDuration ?? -1)")
        let image = try ImageVideoCoder.shared.decode(data, options: Self.options)
        let isCentred = ["mjpeg", "mpeg1video", "libtheora", "h263"].contains { sample.encoder.contains($0) }
        let flags = "bicubic+accurate_rnd+full_chroma_int"
        let place =
            ":in_h_chr_pos=\(isCentred ? 128 : 0)" + (sample.hasHalfRows ? ":in_v_chr_pos=128" : "")
        let frame = try VideoSample.frame(
            of: data, container: sample.container, filters: "scale=176:144:flags=\(flags)\(place)")
        let (largest, mean) = Self.difference(image.pixels, frame)
        #expect(largest <= 2 && mean < 0.02, "largest \(largest), mean \(mean)")
    }

    static var options: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.firstFrameOnly = true
        return options
    }

    /// The largest and the mean difference of a channel to rows of RGBA without a gap.
    static func difference(_ pixels: PixelBuffer, _ rows: Data) -> (Int, Double) {
        let rowBytes = pixels.width * 4
        guard rows.count == rowBytes * pixels.height else { return (.max, .infinity) }
        var (largest, sum) = (0, 0)
        pixels.withUnsafeBytes { mine in
            rows.withUnsafeBytes { theirs in
                for y in 0..<pixels.height {
                    for x in 0..<rowBytes {
                        let difference = abs(
                            Int(mine[y * pixels.bytesPerRow + x]) - Int(theirs[y * rowBytes + x]))
                        largest = max(largest, difference)
                        sum += difference
                    }
                }
            }
        }
        return (largest, Double(sum) / Double(rows.count))
    }
}

extension VideoSample {
    fileprivate var hasHalfRows: Bool {
        !["yuv444p", "yuv422p", "yuvj422p", "prores"].contains { name in encoder.contains { $0 == name } }
    }
}
