import Foundation
import Testing
import WebImage
import WebImageTestTraits

/// Checks every frame of the animations that optional coders decode. Counts the correctly decoded files of each folder.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 10))
struct OptionalAnimationTests {
    private static let coders = OptionalConformanceTests.coders
    private static let animations = Conformance.decodable(["avif", "jxl"]).filter { ($0.frames ?? 1) > 1 }

    private func frames(_ path: String) throws -> any AnimatedImageCoder {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.colorConversion = .asStored
        let opened = try Self.coders.animation(of: Conformance.data(path), options: options)
        return try #require(opened)
    }

    /// An animated reference file has an image for each frame. A still reference file has an image for the first frame
    /// only.
    @Test(arguments: animations)
    func everyFrameMatchesInOrderAndBackwards(_ entry: ConformanceEntry) throws {
        let animation = try frames(entry.path)
        let count = animation.animatedImageFrameCount
        #expect(count == entry.frames)
        let all = try (0..<count).map { StraightPixels(try animation.frame(at: $0)) }
        let reference = try frames(#require(entry.reference?.first))
        for index in 0..<min(count, reference.animatedImageFrameCount) {
            let difference = all[index].maxDifference(from: StraightPixels(try reference.frame(at: index)))
            #expect((difference ?? .max) <= entry.tolerance ?? 0, "frame \(index)")
        }
        for index in (0..<count).reversed() where index % 7 == 0 || count < 10 {
            #expect(try StraightPixels(animation.frame(at: index)) == all[index], "frame \(index) backwards")
        }
        #expect(Set(all.map(\.bytes)).count > 1)
        #expect(throws: WebImageError.self) { try animation.frame(at: count) }
    }

    private struct Count {
        var decoded = 0, decodable = 0, refused = 0, refusable = 0, survived = 0
    }

    /// Counts the files whose decoded image has the size in the manifest. Other suites compare the pixels.
    @Test func countsOfEveryFolderMatch() throws {
        var counts: [String: Count] = [:]
        for entry in Conformance.entries {
            let folder = String(entry.path.prefix { $0 != "/" })
            let image = try? Self.coders.decode(Conformance.data(entry.path), options: Self.firstFrame)
            switch entry.verdict {
            case "decode":
                counts[folder, default: Count()].decodable += 1
                let isRight = image != nil && (entry.pixelSize == nil || image?.pixelSize == entry.pixelSize)
                if isRight { counts[folder, default: Count()].decoded += 1 }
            case "reject":
                counts[folder, default: Count()].refusable += 1
                if image == nil { counts[folder, default: Count()].refused += 1 }
            default: counts[folder, default: Count()].survived += 1
            }
        }
        for (folder, count) in counts.sorted(by: { $0.key < $1.key }) {
            print(
                "\(folder): decoded \(count.decoded) of \(count.decodable), refused \(count.refused) of "
                    + "\(count.refusable), survived \(count.survived)")
        }
        let all = counts.values
        #expect(all.reduce(0) { $0 + $1.refused } == all.reduce(0) { $0 + $1.refusable })
        // libtiff refuses one valid TIFF. Newer versions of the AVIF and JPEG XL libraries may refuse the files in
        // `changed` or decode them at another size.
        let missing = all.reduce(0) { $0 + $1.decodable - $1.decoded }
        #expect(missing <= 1 + OptionalConformanceTests.changed.count)
    }

    private static let firstFrame: DecodingOptions = {
        var options = DecodingOptions()
        options.firstFrameOnly = true
        return options
    }()
}
