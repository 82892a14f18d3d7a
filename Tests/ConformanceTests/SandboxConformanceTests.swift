import Foundation
import Testing
import WebImage
import WebImageSandbox
import WebImageTestTraits

/// Every file gives the same pixels, header, metadata, frames and verdict in a decoder process as in this process.
@Suite(
    .serialized, .enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 10)
)
struct SandboxConformanceTests {
    private let here = OptionalConformanceTests.coders
    private let coders = SandboxConformanceTests.isolated

    private static let isolated: ImageCodersManager = {
        WebImageSandbox.enableForTests()
        return ImageCodersManager(coders: WebImageSandbox.isolated(OptionalConformanceTests.coders.coders))
    }()

    @Test func verdictsAndPixelsAreTheSame() throws {
        var (same, refused) = (0, 0)
        for entry in Conformance.entries {
            let data = try Conformance.data(entry.path)
            var small = DecodingOptions()
            small.thumbnailPixelSize = PixelSize(width: 100, height: 100)
            for var options in [DecodingOptions(), small] {
                let theirs = Result { try here.decode(data, options: options) }
                // The decoder process of a busy machine may need more time for the same work.
                if case .success = theirs { options.limits.maxDecodeTime = .seconds(60) }
                let ours = Result { try coders.decode(data, options: options) }
                switch (theirs, ours) {
                case (.success(let theirs), .success(let ours)):
                    #expect(theirs.pixels.isSame(as: ours.pixels), "\(entry.path)")
                    #expect(theirs.hasAlpha == ours.hasAlpha && theirs.imageFormat == ours.imageFormat, "\(entry.path)")
                    #expect(theirs.imageFrameCount == ours.imageFrameCount, "\(entry.path)")
                    #expect(theirs.imageLoopCount == ours.imageLoopCount, "\(entry.path)")
                    #expect(theirs.colorProfile == ours.colorProfile, "\(entry.path)")
                    same += 1
                case (.failure(let theirs as WebImageError), .failure(let ours as WebImageError)):
                    #expect(theirs.code == ours.code, "\(entry.path): \(theirs) \(ours)")
                    refused += 1
                case (.failure(let error), .success): Issue.record("\(entry.path) is refused only here: \(error)")
                case (.success, .failure(let error)): Issue.record("\(entry.path) is refused only there: \(error)")
                default: Issue.record("\(entry.path): an untyped error")
                }
            }
        }
        print("sandbox: \(same) pictures the same, \(refused) refused by both")
        #expect(same > 1000 && refused > 100)
    }

    @Test func headersAndMetadataAreTheSame() throws {
        for entry in Conformance.entries {
            let data = try Conformance.data(entry.path)
            let infos = [here, coders].map { coders in try? coders.imageInfo(of: data, limits: .default) }
            #expect(infos[0] == infos[1], "\(entry.path)")
            let properties = [here, coders].map { coders in try? coders.imageProperties(of: data) }
            #expect(properties[0] == properties[1], "\(entry.path)")
        }
    }

    @Test func framesAreTheSame() throws {
        var compared = 0
        for entry in Conformance.entries where (entry.frames ?? 1) > 1 {
            let data = try Conformance.data(entry.path)
            let theirs = try? here.animation(of: data, options: DecodingOptions())
            let ours = try? coders.animation(of: data, options: DecodingOptions())
            #expect(theirs?.animatedImageFrameCount == ours?.animatedImageFrameCount, "\(entry.path)")
            guard let theirs, let ours else { continue }
            for index in 0..<min(theirs.animatedImageFrameCount, 12) {
                #expect(theirs.animatedImageDuration(at: index) == ours.animatedImageDuration(at: index))
                let frames = [theirs, ours].map { $0.animatedImageFrame(at: index) }
                guard let one = frames[0], let other = frames[1] else {
                    #expect(frames[0] == nil && frames[1] == nil, "\(entry.path) \(index)")
                    continue
                }
                #expect(one.pixels.isSame(as: other.pixels), "\(entry.path) \(index)")
                compared += 1
            }
        }
        print("sandbox: \(compared) frames the same")
        #expect(compared > 100)
    }

    @Test func piecesAreTheSame() throws {
        var compared = 0
        for entry in Conformance.entries where ["jpeg", "png", "apng", "gif", "webp"].contains(entry.format ?? "") {
            let data = try Conformance.data(entry.path)
            let streams = [here, coders].map {
                $0.makeIncrementalCoder(for: data, options: DecodingOptions()) as? any StreamingImageCoder
            }
            guard let theirs = streams[0], let ours = streams[1] else {
                #expect(streams[0] == nil && streams[1] == nil, "\(entry.path)")
                continue
            }
            let step = max(1, data.count / 3)
            for start in stride(from: 0, to: data.count, by: step) {
                let piece = data[start..<min(start + step, data.count)]
                let isLast = start + step >= data.count
                let failures = [theirs, ours].map { stream in
                    do throws(WebImageError) {
                        try stream.append(piece, finished: isLast)
                        return nil as WebImageError.Code?
                    } catch {
                        return error.code
                    }
                }
                #expect(failures[0] == failures[1], "\(entry.path)")
                guard failures[0] == nil else { break }
                #expect(theirs.incrementalInfo == ours.incrementalInfo, "\(entry.path)")
                let images = [theirs, ours].map { $0.incrementalImage(options: nil) }
                guard let one = images[0], let other = images[1] else {
                    #expect(images[0] == nil && images[1] == nil, "\(entry.path)")
                    continue
                }
                #expect(one.pixels.isSame(as: other.pixels), "\(entry.path)")
                #expect(one.isIncremental == other.isIncremental, "\(entry.path)")
                compared += 1
            }
        }
        print("sandbox: \(compared) partial images the same")
        #expect(compared > 500)
    }
}
