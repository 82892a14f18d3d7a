import Foundation
import Testing
import WebImage
import WebImageTestTraits

/// Decodes the decodable files of built-in formats in the conformance folder.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 10))
struct DecodeConformanceTests {
    static let formats: Set<String> = ["jpeg", "png", "apng", "gif", "webp"]
    static let coders = ImageCodersManager.shared

    @Test(arguments: Conformance.decodable(formats))
    func headerMatchesTheManifest(_ entry: ConformanceEntry) throws {
        let info = try Self.coders.imageInfo(of: Conformance.data(entry.path), limits: .default)
        #expect(info.format.name == entry.format)
        #expect(info.pixelSize == entry.pixelSize)
        if let orientation = entry.orientation { #expect(info.orientation.rawValue == orientation) }
        if let frames = entry.frames { #expect(info.frameCount == frames) }
        if let loopCount = entry.loopCount { #expect(info.loopCount == loopCount) }
        if let delays = entry.delaysMs {
            #expect(info.delaysMilliseconds.map { ($0 * 1000).rounded() / 1000 } == delays)
        }
        if let hasAlpha = entry.hasAlpha, !entry.isMadeReference { #expect(info.hasAlpha == hasAlpha) }
        if let isGray = entry.isGray { #expect(info.isGray == isGray) }
        if let bitDepth = entry.bitDepth { #expect(info.bitDepth == bitDepth) }
        if let profile = entry.iccProfile { #expect(info.hasICCProfile == profile) }
    }

    @Test(arguments: Conformance.decodable(formats))
    func firstFrameMatchesTheReference(_ entry: ConformanceEntry) throws {
        var pixels = try Self.straightPixels(entry.path)
        #expect(PixelSize(width: pixels.width, height: pixels.height) == entry.pixelSize)
        if let colors = entry.colorsOfInk {
            var seen: [UInt8] = []
            for y in stride(from: 4, to: pixels.height, by: 8) {
                for x in stride(from: 4, to: pixels.width, by: 8) {
                    let start = (y * pixels.width + x) * 4
                    seen += pixels.bytes[start..<start + 3]
                }
            }
            #expect(seen.count == colors.count)
            let worst = zip(seen, colors).map { abs(Int($0) - Int($1)) }.max() ?? 255
            #expect(worst <= 2, "differs from lcms2 by \(worst)")
            return
        }
        if let screen = entry.screenOfReference { pixels = pixels.cropped(to: screen) }
        let hash = try pixels.sha256()
        let exact = [entry.rgbaSHA256, entry.libjpegTurboSHA256, entry.libwebpSHA256].compactMap { $0 }
        if exact.contains(hash) { return }
        if let reference = entry.reference?.first {
            let difference = pixels.maxDifference(from: try Self.straightPixels(reference))
            #expect((difference ?? .max) <= entry.tolerance ?? 0, "differs from \(reference) by \(difference ?? -1)")
        } else if entry.rgbaSHA256 != nil {
            Issue.record("hash \(hash) differs from the expected one")
        } else if let means = entry.meanRGBA {
            for (mine, theirs) in zip(pixels.means(), means) { #expect(abs(mine - theirs) <= 2) }
        }
    }

    static func straightPixels(_ path: String) throws -> StraightPixels {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.colorConversion = .asStored
        options.firstFrameOnly = true
        return StraightPixels(try coders.decode(Conformance.data(path), options: options))
    }
}
