import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Decodes the animations of built-in formats in the conformance folder, frame by frame, in several orders.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 10))
struct AnimationConformanceTests {
    static let animations = Conformance.decodable(DecodeConformanceTests.formats).filter { ($0.frames ?? 1) > 1 }

    private func open(_ entry: ConformanceEntry) throws -> any AnimatedImageCoder {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.colorConversion = .asStored
        let opened = try ImageCodersManager.shared.animation(of: Conformance.data(entry.path), options: options)
        return try #require(opened)
    }

    @Test func thereAreAnimationsOfEveryFormat() {
        #expect(Set(Self.animations.compactMap(\.format)) == ["gif", "apng", "webp"])
        #expect(Self.animations.count >= 60)
    }

    @Test(arguments: animations)
    func everyFrameMatchesInOrderBackwardsAndAtRandom(_ entry: ConformanceEntry) throws {
        let animation = try open(entry)
        let count = animation.animatedImageFrameCount
        #expect(count == entry.frames)
        if let loopCount = entry.loopCount { #expect(animation.animatedImageLoopCount == loopCount) }
        if let delays = entry.delaysMs {
            for (index, delay) in delays.enumerated() {
                let played = FrameDuration.played(milliseconds: delay)
                #expect(abs(animation.animatedImageDuration(at: index) - played) < 0.000_01)
            }
        }
        let frames = try (0..<count).map { StraightPixels(try animation.frame(at: $0)) }
        if let expected = entry.frameSHA256 {
            let hashes = try StraightPixels.sha256(frames)
            for index in 0..<min(count, expected.count) {
                #expect(hashes[index] == expected[index], "frame \(index)")
            }
            #expect(expected.count == count)
        } else {
            try compareWithReferences(frames, entry)
        }
        // Decoding a long animation takes seconds in a debug build. If an animation has more than 100 frames, the
        // checks in other orders use only 40 frames.
        let looked = count > 100 ? 40..<80 : 0..<count
        for index in looked.reversed() { #expect(try StraightPixels(animation.frame(at: index)) == frames[index]) }
        let fresh = try open(entry)
        var generator = SeededRandom(seed: 7)
        for index in looked.shuffled(using: &generator) {
            #expect(try StraightPixels(fresh.frame(at: index)) == frames[index], "frame \(index) out of order")
        }
    }

    private func compareWithReferences(_ frames: [StraightPixels], _ entry: ConformanceEntry) throws {
        let references = entry.reference?.perFrame ?? []
        for (index, path) in references.enumerated() {
            let reference = try DecodeConformanceTests.straightPixels(path)
            #expect((frames[index].maxDifference(from: reference) ?? .max) <= entry.tolerance ?? 0)
        }
        if let first = entry.rgbaSHA256 ?? entry.libwebpSHA256 { #expect(try frames[0].sha256() == first) }
    }
}

extension StraightPixels {
    /// Returns the SHA-256 of each frame. One process hashes all frames, because one process per frame would take
    /// longer than decoding.
    static func sha256(_ frames: [StraightPixels]) throws -> [String] {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        let names = frames.indices.map { String(format: "%05d", $0) }
        for (name, frame) in zip(names, frames) {
            try Data(frame.bytes).write(to: folder.appendingPathComponent(name))
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
        process.currentDirectoryURL = folder
        process.arguments = names
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map { String($0.prefix(64)) }
    }
}
