import Foundation
import Testing
import WebImage
import WebImageLottie

/// `.lottie` archives that the tests write without compression, and what is refused before it is unpacked.
struct LottieArchiveTests {
    private static func document(width: Int) -> Data {
        Data(
            #"{"v":"5.7.0","fr":20,"ip":0,"op":10,"w":\#(width),"h":32,"assets":[],"layers":[]}"#.utf8)
    }

    private static func manifest(_ names: [String]) -> Data {
        Data("{\"animations\":[\(names.map { "{\"id\":\"\($0)\"}" }.joined(separator: ","))]}".utf8)
    }

    private static func archive(_ files: [(name: String, bytes: Data)]) -> Data {
        func number(_ value: Int, _ count: Int) -> Data {
            Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        }
        var (data, directory) = (Data(), Data())
        for (name, bytes) in files {
            // Version, flags, method, time and checksum; the sizes, and the length of the name.
            let facts =
                Data(count: 14) + number(bytes.count, 4) + number(bytes.count, 4) + number(name.utf8.count, 2)
            let place = data.count
            data += number(0x0403_4B50, 4) + facts + number(0, 2) + Data(name.utf8) + bytes
            directory +=
                number(0x0201_4B50, 4) + number(0, 2) + facts + Data(count: 12) + number(place, 4) + Data(name.utf8)
        }
        let start = data.count
        return data + directory + number(0x0605_4B50, 4) + Data(count: 4) + number(files.count, 2)
            + number(files.count, 2)
            + number(directory.count, 4) + number(start, 4) + number(0, 2)
    }

    private static func width(_ data: Data) throws -> Int {
        try ImageLottieCoder.shared.imageInfo(of: data, limits: .default).storedSize.width
    }

    /// Version 1 of the format has the folder `animations`, version 2 the folder `a`.
    @Test(arguments: ["animations", "a"]) func firstAnimationOfTheManifestIsShown(folder: String) throws {
        let files = [
            ("\(folder)/one.json", Self.document(width: 10)), ("\(folder)/two.json", Self.document(width: 20)),
        ]
        for (names, width) in [(["one", "two"], 10), (["two", "one"], 20), (["two"], 20)] {
            let data = Self.archive([("manifest.json", Self.manifest(names))] + files)
            #expect(ImageLottieCoder.shared.canDecode(from: data))
            #expect(try Self.width(data) == width)
        }
        for names in [[], ["three"]] {
            let error = #expect(throws: WebImageError.self) {
                try Self.width(Self.archive([("manifest.json", Self.manifest(names))] + files))
            }
            #expect(error?.code == .badImageData)
        }
    }

    /// Archives begin with any of their entries, or with one for a folder. Other archives are no animation.
    @Test func archivesAreRecognisedByTheirFirstEntry() throws {
        let manifest = ("manifest.json", Self.manifest(["one"]))
        for folder in ["animations", "a"] {
            let animation = ("\(folder)/one.json", Self.document(width: 10))
            for files in [
                [manifest, animation], [animation, manifest], [("\(folder)/", Data()), animation, manifest],
            ] {
                let data = Self.archive(files)
                #expect(ImageFormat(sniffing: data) == .lottie, "\(files.map(\.0))")
                #expect(ImageCodersManager(coders: [ImageLottieCoder.shared]).canDecode(from: data))
                #expect(try Self.width(data) == 10)
                // Every beginning can be asked about.
                for count in 0..<200 { _ = ImageFormat(sniffing: data.prefix(count)) }
            }
        }
        for names in [
            ["a/b.txt"], ["a/"], ["b/one.json"], ["a.json"], ["b/", "b/one.json"],
            ["a/", "a/", "a/", "a/", "a/", "a/x.json"],
        ] {
            let data = Self.archive(names.map { ($0, $0.hasSuffix("/") ? Data() : Self.document(width: 10)) })
            #expect(ImageFormat(sniffing: data) == .undefined, "\(names)")
        }
    }

    /// The size of an unpacked file is known before it is unpacked.
    @Test func largeFilesInsideAreRefused() throws {
        let files = [("manifest.json", Self.manifest(["one"])), ("animations/one.json", Self.document(width: 10))]
        var data = Self.archive(files)
        #expect(try Self.width(data) == 10)
        // The size in the directory, before the last name.
        let name = try #require(data.lastRange(of: Data("animations/one.json".utf8))).lowerBound
        data.replaceSubrange(name - 22..<name - 18, with: [0, 0, 0, 0x70])
        let error = #expect(throws: WebImageError.self) { try Self.width(data) }
        #expect(error?.code == .limitExceeded)
        // A sticker, compressed by gzip: the size is at its end.
        let sticker = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + Data(count: 20) + [0, 0, 0, 0x70]
        let other = #expect(throws: WebImageError.self) { try Self.width(sticker) }
        #expect(other?.code == .limitExceeded && !ImageLottieCoder.shared.canDecode(from: sticker))
    }

    @Test func limitsAreKept() throws {
        let data = Self.document(width: 64)
        let bytes = 64 * 32 * 8
        var options = DecodingOptions()
        options.limits.maxDecodeBytes = bytes
        _ = try ImageLottieCoder.shared.decode(data, options: options)
        let changes: [(inout DecodingLimits) -> Void] = [
            { $0.maxDecodeBytes = bytes - 1 }, { $0.maxEncodedBytes = data.count - 1 }, { $0.maxSide = 63 },
            { $0.maxDecodeTime = .nanoseconds(1) }, { $0.maxFrameCount = 9 },
            { $0.maxAnimationPixels = 64 * 32 * 10 - 1 },
        ]
        for change in changes {
            var options = DecodingOptions()
            change(&options.limits)
            let error = #expect(throws: WebImageError.self) {
                try ImageLottieCoder.shared.decode(data, options: options)
            }
            #expect(error?.code == .limitExceeded)
        }
    }
}
