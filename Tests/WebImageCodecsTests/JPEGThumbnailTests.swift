import CWebImageJPEGSamples
import CWebImageJPEGThumbnail
import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTestTraits
import WebImageTesting

/// The loop for thumbnails writes exactly the pixels of libjpeg-turbo, or passes the file to it.
@Suite(.timeLimit(minutes: 5))
struct JPEGThumbnailTests {
    /// Compares both decoders in one output format. Returns the status of the loop.
    @discardableResult
    private func compare(_ file: Data, index: Int, windowBytes: Int, _ text: String = "")
        -> ThumbnailSample.Status
    {
        let reference = ThumbnailSample.reference(file, bytes: ThumbnailSample.formats[index].bytes)
        let size = reference.size.width > 0 ? reference.size : (1, 1)
        let result = ThumbnailSample.decode(file, size: size, index: index, windowBytes: windowBytes)
        if result.status == WEBIMAGE_JPEG_THUMBNAIL_OK {
            #expect(reference.pixels == result.pixels, "\(text), output \(index), windows of \(windowBytes) bytes")
        }
        return result.status
    }

    @Test(arguments: 0..<8) func everyKindOfFileHasThePixelsOfLibjpegTurbo(part: Int) throws {
        var random = SeededRandom.printingSeed()
        var statuses: [UInt32: Int] = [:]
        for _ in 0..<60 {
            let sample = ThumbnailSample.random(&random)
            guard let file = ThumbnailSample.file(sample) else { continue }
            let status = compare(
                file, index: ThumbnailSample.index(for: sample, &random),
                windowBytes: [0, 4096, .random(in: 4096...9000, using: &random)].randomElement(using: &random) ?? 0,
                "\(sample)")
            statuses[status.rawValue, default: 0] += 1
        }
        // All other statuses are for damaged files.
        let allowed = [WEBIMAGE_JPEG_THUMBNAIL_OK, WEBIMAGE_JPEG_THUMBNAIL_SAMPLING, WEBIMAGE_JPEG_THUMBNAIL_COLOR]
        #expect(Set(statuses.keys).isSubset(of: allowed.map(\.rawValue)))
        #expect(statuses[WEBIMAGE_JPEG_THUMBNAIL_OK.rawValue, default: 0] >= 25)
    }

    @Test func largePictureIsDecodedByJoinedStreams() throws {
        let file = try #require(ThumbnailSample.file(ThumbnailSample.plain(2000, 1500)))
        for index in 0..<4 {
            #expect(compare(file, index: index, windowBytes: 0) == WEBIMAGE_JPEG_THUMBNAIL_OK)
        }
        let work = ThumbnailSample.decode(file, size: (250, 188)).work
        #expect(work.windows > 3)
        #expect(work.joins >= (work.windows - 1) * 3 && work.lost_streams == 0)
    }

    /// The work depends only on the file. Before this loop, one symbol was decoded at a time; a round decodes up to three
    /// groups of symbols.
    @Test func workPerFileIsBounded() throws {
        var sample = ThumbnailSample.plain(2000, 1500)
        func work(_ file: Data) -> webimage_jpeg_thumbnail_work { ThumbnailSample.decode(file, size: (250, 188)).work }
        let file = try #require(ThumbnailSample.file(sample))
        let usual = work(file)
        #expect(usual.rounds * 24 < file.count * 8, "a round advances by more than 24 bits: \(usual.rounds)")
        #expect(usual.slow_symbols * 50 < usual.rounds)
        #expect(work(file).rounds == usual.rounds)

        sample.restart_interval = 125
        let intervals = try #require(ThumbnailSample.file(sample))
        #expect(work(intervals).rounds < usual.rounds * 11 / 10)

        sample.kind = Int32(WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE)
        sample.restart_interval = 0
        #expect(work(try #require(ThumbnailSample.file(sample))).rounds == 0)
    }

    @Test func everyPrefixOfAFileIsPassedOn() throws {
        for kind in [WEBIMAGE_JPEG_SAMPLE_BASELINE, WEBIMAGE_JPEG_SAMPLE_SEPARATE_SCANS, WEBIMAGE_JPEG_SAMPLE_REFINED] {
            for interval in [0, 3] {
                var sample = ThumbnailSample.plain(90, 60)
                sample.kind = Int32(kind)
                sample.restart_interval = Int32(interval)
                let file = try #require(ThumbnailSample.file(sample))
                for length in 0..<file.count {
                    let status = ThumbnailSample.decode(Data(file.prefix(length)), size: (12, 8)).status
                    #expect(status.rawValue > WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY.rawValue)
                }
                #expect(ThumbnailSample.decode(file, size: (12, 8)).status == WEBIMAGE_JPEG_THUMBNAIL_OK)
            }
        }
    }

    /// A damaged file is passed on, or it has the pixels that libjpeg-turbo makes of it.
    @Test(arguments: 0..<4) func damageNeverChangesThePixels(part: Int) throws {
        var random = SeededRandom.printingSeed()
        var accepted = 0
        for _ in 0..<40 {
            var sample = ThumbnailSample.random(&random)
            sample.width = .random(in: 1...150, using: &random)
            sample.height = .random(in: 1...150, using: &random)
            guard let file = ThumbnailSample.file(sample) else { continue }
            for _ in 0..<40 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let range = Bool.random(using: &random) ? 2..<damaged.count : 2..<min(700, damaged.count)
                    damaged[Int.random(in: range, using: &random)] = .random(in: 0...255, using: &random)
                }
                // Do not decode a picture whose damaged header declares millions of pixels.
                let size = ThumbnailSample.reference(Data(damaged.prefix(700)), bytes: 3).size
                guard size.width * size.height < 100_000 else { continue }
                let status = compare(damaged, index: .random(in: 0..<4, using: &random), windowBytes: 4096, "\(sample)")
                accepted += status == WEBIMAGE_JPEG_THUMBNAIL_OK ? 1 : 0
            }
        }
        #expect(accepted > 20)
    }

    @Test func bytesBehindTheFileAreNeverRead() throws {
        for kind in [WEBIMAGE_JPEG_SAMPLE_BASELINE, WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE] {
            var sample = ThumbnailSample.plain(200, 200)
            sample.kind = Int32(kind)
            let file = try #require(ThumbnailSample.file(sample))
            for length in stride(from: 1, through: file.count, by: 97) + [file.count] {
                // The file ends at a page that cannot be read.
                let page = 16384
                let size = (length + page - 1) / page * page
                let memory = try #require(
                    mmap(nil, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
                defer { munmap(memory, size + page) }
                #expect(mprotect(memory + size, page, PROT_NONE) == 0)
                let start = memory + size - length
                file.prefix(length).withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(start: start, count: length).copyMemory(from: $0)
                }
                let view = Data(bytesNoCopy: start, count: length, deallocator: .none)
                let status = ThumbnailSample.decode(view, size: (25, 25)).status
                #expect((status == WEBIMAGE_JPEG_THUMBNAIL_OK) == (length == file.count))
            }
        }
    }

    /// A decode that failed at the last block would cost the time of both decoders. Therefore the loop continues behind
    /// damaged data, as libjpeg-turbo does.
    @Test func damagedDataIsDecodedAsByLibjpegTurbo() throws {
        for (kind, interval) in [(0, 0), (0, 9), (1, 0), (2, 0), (3, 5)] {
            var sample = ThumbnailSample.plain(400, 300)
            sample.kind = Int32(kind)
            sample.restart_interval = Int32(interval)
            sample.quality = 95
            let file = try #require(ThumbnailSample.file(sample))
            var random = SeededRandom.printingSeed()
            var strict: UInt64 = 0
            for _ in 0..<40 {
                var damaged = file
                for _ in 0..<4 {
                    let place = Int.random(in: file.count / 3..<file.count - 3, using: &random)
                    if damaged[place] < 0xf0, damaged[place - 1] < 0xf0 {
                        damaged[place] ^= UInt8.random(in: 1...15, using: &random)
                    }
                }
                let reference = ThumbnailSample.reference(damaged, bytes: 4)
                let result = ThumbnailSample.decode(damaged, size: (50, 38), windowBytes: 4096)
                // In a file of several scans, the damage can hit a table between two scans.
                #expect(kind > 0 || result.status == WEBIMAGE_JPEG_THUMBNAIL_OK)
                guard result.status == WEBIMAGE_JPEG_THUMBNAIL_OK else { continue }
                #expect(result.pixels == reference.pixels, "kind \(kind), interval \(interval)")
                strict += result.work.strict_mcus
            }
            #expect(kind > 0 || strict > 0)
        }
    }

    /// The data ends before the picture does. libjpeg-turbo leaves the rest grey.
    @Test func missingDataBeforeTheEndMarkerIsGrey() throws {
        for interval in [0, 9] {
            var sample = ThumbnailSample.plain(400, 300)
            sample.restart_interval = Int32(interval)
            let file = try #require(ThumbnailSample.file(sample))
            let restarts = interval == 0 ? 0 : (19 * 25 - 1) / interval
            // Keep all restart markers: remove bytes of the last interval only.
            let last =
                interval == 0
                ? nil : file.range(of: Data([0xff, UInt8(0xd0 + (restarts - 1) % 8)]), options: .backwards)
            let start = last?.upperBound ?? file.count / 2
            let short = file.prefix(start + 3) + Data([0xff, 0xd9])
            let reference = ThumbnailSample.reference(short, bytes: 4)
            let result = ThumbnailSample.decode(short, size: (50, 38))
            #expect(result.status == WEBIMAGE_JPEG_THUMBNAIL_OK && result.pixels == reference.pixels)
            #expect(result.pixels.suffix(4).elementsEqual([128, 128, 128, 255]))
        }
    }

    /// A marker that the loop cannot accept is found before any data is decoded.
    @Test func markersAreCheckedBeforeTheDataIsDecoded() throws {
        let file = try #require(ThumbnailSample.file(ThumbnailSample.plain(640, 480)))
        let late = file.prefix(file.count - 2) + Data([0xff, 0xe1, 0, 4, 1, 2]) + file.suffix(2)
        for passedOn in [late, Data(file.prefix(file.count - 2))] {
            let result = ThumbnailSample.decode(passedOn, size: (80, 60))
            #expect(result.status != WEBIMAGE_JPEG_THUMBNAIL_OK && result.work.rounds == 0)
        }
    }

    @Test func reasonsToPassAFileOn() throws {
        func status(_ change: (inout webimage_jpeg_sample) -> Void) throws -> ThumbnailSample.Status {
            var sample = ThumbnailSample.plain(64, 64)
            change(&sample)
            return ThumbnailSample.decode(try #require(ThumbnailSample.file(sample)), size: (8, 8)).status
        }
        #expect(try status { _ in } == WEBIMAGE_JPEG_THUMBNAIL_OK)
        #expect(try status { $0.kind = Int32(WEBIMAGE_JPEG_SAMPLE_ARITHMETIC) } == WEBIMAGE_JPEG_THUMBNAIL_FRAME)
        #expect(try status { $0.color = Int32(WEBIMAGE_JPEG_SAMPLE_CMYK) } == WEBIMAGE_JPEG_THUMBNAIL_COLOR)
        #expect(
            try status {
                $0.kind = Int32(WEBIMAGE_JPEG_SAMPLE_SEPARATE_SCANS)
                $0.horizontal = (4, 1, 1, 1)
                $0.vertical = (4, 1, 1, 1)
            } == WEBIMAGE_JPEG_THUMBNAIL_SAMPLING)
        let file = try #require(ThumbnailSample.file(ThumbnailSample.plain(64, 64)))
        func decode(_ file: Data, _ change: (inout webimage_jpeg_thumbnail_request) -> Void = { _ in })
            -> ThumbnailSample.Status
        { ThumbnailSample.decode(file, size: (8, 8), change: change).status }
        // Chroma would have to be enlarged by a fraction.
        var fraction = file
        let frame = try #require(file.range(of: Data([0xff, 0xc0])))
        fraction[frame.upperBound + 9] = 0x32
        fraction[frame.upperBound + 12] = 0x21
        #expect(decode(fraction) == WEBIMAGE_JPEG_THUMBNAIL_SAMPLING)
        #expect(decode(file) { $0.ignores_cost = 0 } == WEBIMAGE_JPEG_THUMBNAIL_COSTLY)
        #expect(decode(file) { $0.deadline = 0 } == WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME)
        #expect(ThumbnailSample.decode(file, size: (9, 8)).status == WEBIMAGE_JPEG_THUMBNAIL_MARKER)
        #expect(decode(Data("GIF89a".utf8)) == WEBIMAGE_JPEG_THUMBNAIL_MARKER)
        let end = file.count - 2
        // The limit for metadata was checked only for the segments before the first scan.
        let late = file.prefix(end) + Data([0xff, 0xe1, 0, 4, 1, 2]) + file.suffix(2)
        #expect(decode(late) == WEBIMAGE_JPEG_THUMBNAIL_MARKER)
        let comment = file.prefix(end) + Data([0xff, 0xfe, 0, 4, 1, 2]) + file.suffix(2)
        #expect(decode(comment) == WEBIMAGE_JPEG_THUMBNAIL_OK)
        #expect(decode(file + Data("trailer".utf8)) == WEBIMAGE_JPEG_THUMBNAIL_OK)

        var progressive = ThumbnailSample.plain(64, 64)
        progressive.kind = Int32(WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE)
        let scans = try #require(ThumbnailSample.file(progressive))
        let last = try #require(scans.range(of: Data([0xff, 0xda]), options: .backwards))
        let unfinished = scans[..<last.lowerBound] + Data([0xff, 0xd9])
        #expect(decode(unfinished) == WEBIMAGE_JPEG_THUMBNAIL_UNFINISHED)
    }

    /// The longest code of all ones is reserved (ITU-T T.81, C.2): libjpeg-turbo reports a damaged table. Each table of a valid
    /// file has exactly this code left. It is used up when one of the longest codes becomes a bit shorter.
    @Test(arguments: [WEBIMAGE_JPEG_SAMPLE_BASELINE, WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE, WEBIMAGE_JPEG_SAMPLE_REFINED])
    func codesWithoutAFreeCodeArePassedOn(kind: Int) throws {
        var sample = ThumbnailSample.plain(64, 64)
        sample.kind = Int32(kind)
        let file = try #require(ThumbnailSample.file(sample))
        #expect(compare(file, index: 2, windowBytes: 0) == WEBIMAGE_JPEG_THUMBNAIL_OK)
        var next = 0
        var changed = 0
        while let marker = file.range(of: Data([0xff, 0xc4]), in: next..<file.count) {
            next = marker.upperBound
            // Behind the length and the table's number are the numbers of codes of 1 to 16 bits.
            let counts = next + 3..<next + 19
            let longest = try #require(file[counts].lastIndex { $0 > 0 })
            guard longest > counts.lowerBound else { continue }
            var damaged = file
            damaged[longest] -= 1
            damaged[longest - 1] += 1
            #expect(ThumbnailSample.reference(damaged, bytes: 4).pixels == nil)
            #expect(ThumbnailSample.decode(damaged, size: (8, 8)).status == WEBIMAGE_JPEG_THUMBNAIL_TABLE)
            #expect(PlaneSample.decode(damaged, to: (16, 16), side: 3).status == WEBIMAGE_JPEG_THUMBNAIL_TABLE)
            changed += 1
        }
        #expect(changed > 3)
    }

    /// libjpeg-turbo decodes an MCU with such bytes twice, and keeps coefficients of the first time.
    @Test func fillBytesInsideTheDataArePassedOn() throws {
        var sample = ThumbnailSample.plain(64, 64)
        sample.content = Int32(WEBIMAGE_JPEG_SAMPLE_NOISE)
        var file = try #require(ThumbnailSample.file(sample))
        let scan = try #require(file.range(of: Data([0xff, 0xda])))
        let stuffed = try #require(file.range(of: Data([0xff, 0]), in: scan.upperBound..<file.count))
        #expect(ThumbnailSample.decode(file, size: (8, 8)).status == WEBIMAGE_JPEG_THUMBNAIL_OK)
        file.insert(0xff, at: stuffed.lowerBound)
        #expect(ThumbnailSample.decode(file, size: (8, 8)).status == WEBIMAGE_JPEG_THUMBNAIL_SHORT)
    }

    /// A crafted file must not cost more than half of libjpeg-turbo's time before it is passed on. The numbers are those
    /// of the first window, which is small for this reason.
    @Test func filesThatSaveNoTimeArePassedOnEarly() throws {
        func result(_ sample: webimage_jpeg_sample, _ change: (inout Data) -> Void = { _ in }) throws
            -> ThumbnailSample.Result
        {
            var file = try #require(ThumbnailSample.file(sample))
            change(&file)
            let size = (width: (Int(sample.width) + 7) / 8, height: (Int(sample.height) + 7) / 8)
            return ThumbnailSample.decode(file, size: size) { $0.ignores_cost = 0 }
        }
        var sample = ThumbnailSample.plain(1000, 800)
        #expect(try result(sample).status == WEBIMAGE_JPEG_THUMBNAIL_OK)
        // Damage near the start is left to libjpeg-turbo. Later, a second decode would take longer than a strict one.
        func damage(_ file: inout Data, part: Int) {
            let start = file.count / part
            for place in start..<start + 60 where file[place] < 0xf0 && file[place - 1] < 0xf0 { file[place] ^= 5 }
        }
        let early = try result(sample) { damage(&$0, part: 30) }
        #expect(early.status == WEBIMAGE_JPEG_THUMBNAIL_OK || early.status == WEBIMAGE_JPEG_THUMBNAIL_COSTLY)
        #expect(try result(sample) { damage(&$0, part: 2) }.status == WEBIMAGE_JPEG_THUMBNAIL_OK)
        sample.restart_interval = 2
        #expect(try result(sample).status == WEBIMAGE_JPEG_THUMBNAIL_COSTLY)
        sample.restart_interval = 63
        #expect(try result(sample).status == WEBIMAGE_JPEG_THUMBNAIL_OK)
        sample.restart_interval = 0
        sample.content = Int32(WEBIMAGE_JPEG_SAMPLE_FLAT)
        #expect(try result(sample).status == WEBIMAGE_JPEG_THUMBNAIL_COSTLY)
        sample.content = Int32(WEBIMAGE_JPEG_SAMPLE_NOISE)
        sample.has_long_codes = 1
        let slow = try result(sample)
        #expect(slow.status == WEBIMAGE_JPEG_THUMBNAIL_COSTLY && slow.work.windows == 1)
        sample.has_long_codes = 0
        // A truncated file is detected before its decode.
        let truncated = try result(sample) { $0.removeLast($0.count / 4) }
        #expect(truncated.status == WEBIMAGE_JPEG_THUMBNAIL_SHORT && truncated.work.rounds == 0)
    }

    @Test func coderDecodesEveryOptionAlikeWithAndWithoutTheLoop() throws {
        var sample = ThumbnailSample.plain(700, 500)
        for (color, kind) in [(0, 0), (0, 2), (1, 0), (2, 0), (3, 0), (4, 2)] {
            sample.color = Int32(color)
            sample.kind = Int32(kind)
            let factor: UInt8 = color == 3 ? 1 : 2
            (sample.horizontal, sample.vertical) = ((factor, 1, 1, factor), (factor, 1, 1, factor))
            let plain = try #require(ThumbnailSample.file(sample))
            for orientation in [ImageOrientation.up, .right, .leftMirrored] {
                let file = JPEGSample.inserting(0xe1, JPEGSample.exif(orientation), into: plain)
                for format in PixelFormat.allCases {
                    var options = DecodingOptions()
                    options.pixelFormat = format
                    options.thumbnailPixelSize = PixelSize(width: 80, height: 80)
                    func image(_ use: JPEGThumbnailLoop.Use) throws -> Image {
                        try JPEGThumbnailLoop.$use.withValue(use) {
                            try JPEGThumbnailLoop.$allowsPlanes.withValue(false) {
                                try ImageJPEGCoder.shared.decode(file, options: options)
                            }
                        }
                    }
                    let expected = try image(.never)
                    // libjpeg-turbo decodes RGB to grey.
                    let isSupported = color != 1 || format != .gray8
                    for use in [
                        JPEGThumbnailLoop.Use.whereFaster, .always(windowBytes: 4096, isRequired: isSupported),
                    ] {
                        let decoded = try image(use)
                        #expect(decoded.pixelSize == expected.pixelSize)
                        #expect(Sample.values(decoded.pixels) == Sample.values(expected.pixels))
                    }
                }
            }
        }
    }

    /// Mean colour and hashes need only the DC coefficients.
    @Test(arguments: [WEBIMAGE_JPEG_SAMPLE_BASELINE, WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE])
    func coarseChromaHasTheMeansOfTheExactPixels(kind: Int) throws {
        var sample = ThumbnailSample.plain(1600, 1200)
        sample.kind = Int32(kind)
        let file = try #require(ThumbnailSample.file(sample))
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 100, height: 100)
        func image(coarse: Bool) throws -> Image {
            try JPEGThumbnailLoop.$use.withValue(.always(windowBytes: 0, isRequired: true)) {
                try JPEGThumbnailLoop.$allowsCoarseChroma.withValue(coarse) {
                    try JPEGThumbnailLoop.$allowsPlanes.withValue(false) {
                        try ImageJPEGCoder.shared.decode(file, options: options)
                    }
                }
            }
        }
        let (exact, coarse) = (try image(coarse: false), try image(coarse: true))
        let (expected, color) = (try #require(exact.averageColor()), try #require(coarse.averageColor()))
        for channel in [\ImageColor.red, \.green, \.blue] {
            #expect(abs(expected[keyPath: channel] - color[keyPath: channel]) < 0.004)
        }
        #expect(Sample.values(exact.pixels) != Sample.values(coarse.pixels))
        func work(coarse: Bool) -> webimage_jpeg_thumbnail_work {
            ThumbnailSample.decode(file, size: (200, 150)) { $0.has_coarse_chroma = coarse ? 1 : 0 }.work
        }
        #expect(work(coarse: true).chroma_rounds == 0)
        #expect(kind != WEBIMAGE_JPEG_SAMPLE_BASELINE || work(coarse: false).chroma_rounds > 0)
    }

    @Test func coderReportsTheErrorsOfLibjpeg() throws {
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 40, height: 40)
        let file = try #require(ThumbnailSample.file(ThumbnailSample.plain(640, 480)))
        func error(_ file: Data, _ use: JPEGThumbnailLoop.Use) -> WebImageError? {
            #expect(throws: WebImageError.self) {
                try JPEGThumbnailLoop.$use.withValue(use) {
                    try ImageJPEGCoder.shared.decode(file, options: options)
                }
            }
        }
        let half = Data(file.prefix(file.count / 2))
        let expected = try #require(error(half, .never))
        #expect(error(half, .always(windowBytes: 0))?.underlying == expected.underlying)
        options.limits.maxDecodeTime = .zero
        #expect(error(file, .whereFaster)?.underlying == .limit(.decodeTime, actual: 0, allowed: 0))
        #expect(error(file, .never)?.underlying == .limit(.decodeTime, actual: 0, allowed: 0))
    }
}
