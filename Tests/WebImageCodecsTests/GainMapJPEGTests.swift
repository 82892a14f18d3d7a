import Foundation
import Testing
import WebImageCore
import WebImageGraphics
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCodecs

/// JPEG files with a gain map (Ultra HDR): they are read in every form, their map is moved with the picture, applied by the
/// formula of ISO 21496-1, and written so that each kind of reader finds it.
@Suite(.timeLimit(minutes: 5))
struct GainMapJPEGTests {
    private let coder = ImageJPEGCoder.shared
    private static let single = [[-0.5, 2.0, 1.25, 0.015625, 0.015625]]
    private static let triple = [[0, 2, 1, 0.015625, 0.015625], [-0.5, 1.5, 1.25, 0.0, 0.03125], [0, 1, 0.75, 0, 0]]

    private func keeping(_ change: (inout DecodingOptions) -> Void = { _ in }) -> DecodingOptions {
        var options = DecodingOptions()
        (options.pixelFormat, options.dynamicRange) = (.rgba8, .keep)
        change(&options)
        return options
    }

    private func encoded(_ pixels: PixelBuffer) throws -> Data {
        try coder.encode(Image(pixels: pixels), format: .jpeg, options: EncodingOptions())
    }

    /// A map of a ramp from left to right, with values from 0 to 255.
    private func ramp(_ width: Int, _ height: Int, _ format: PixelFormat = .gray8) throws -> PixelBuffer {
        let pixels = try PixelBuffer(width: width, height: height, format: format)
        let channels = format.channelCount
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    for channel in 0..<channels {
                        let value = channel == 1 ? 255 - 255 * x / (width - 1) : 255 * x / (width - 1)
                        bytes[y * pixels.bytesPerRow + x * channels + channel] = UInt8(value)
                    }
                }
            }
        }
        return pixels
    }

    private func sample(
        base size: (Int, Int) = (64, 48), map: (Int, Int) = (16, 12), channels: [[Double]] = single,
        format: PixelFormat = .gray8
    ) throws -> GainMapSample {
        GainMapSample(
            base: try JPEGSample.gradient(size.0, size.1), map: try encoded(ramp(map.0, map.1, format)),
            channels: channels, headrooms: (0, 2))
    }

    private func difference(_ one: [Int], _ other: [Int]) -> Int {
        guard one.count == other.count else { return .max }
        return zip(one, other).map { abs($0 - $1) }.max() ?? 0
    }

    private func values(_ map: GainMap?, row: Int = 0) throws -> [Int] {
        let pixels = try #require(map?.pixels)
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.width).map { Int(bytes[row * pixels.bytesPerRow + $0 * pixels.format.bytesPerPixel]) }
        }
    }

    @Test(arguments: GainMapSample.Form.allCases) func everyFormIsRead(_ form: GainMapSample.Form) throws {
        let file = try sample().file(form)
        let info = try coder.imageInfo(of: file, limits: .default)
        let described = try #require(info.hdr?.gainMap)
        #expect(described.size == PixelSize(width: 16, height: 12) && described.channelCount == 1)
        #expect(described.metadata.alternateHeadroom == 2 && described.pixels == nil && info.hdr?.headroom == 4)
        let channel = try #require(described.metadata.channels.first)
        #expect(abs(channel.minimum + 0.5) < 1e-5 && abs(channel.gamma - 1.25) < 1e-5)
        let image = try coder.decode(file, options: keeping())
        #expect(image.hdr?.gainMap?.size == PixelSize(width: 16, height: 12))
        let seen = try values(image.hdr?.gainMap)
        let wanted: [Int] = (0..<16).map { 17 * $0 }
        #expect(difference(seen, wanted) <= 3, "\(seen)")
        // Without the option, the picture has no map, and the same pixels.
        var plain = keeping()
        plain.dynamicRange = .standard
        let base = try coder.decode(file, options: plain)
        #expect(base.hdr == nil && Sample.pixel(base.pixels, 9, 9) == Sample.pixel(image.pixels, 9, 9))
    }

    @Test func fileWithoutMapHasNone() throws {
        let file = try JPEGSample.gradient(64, 48)
        #expect(try coder.imageInfo(of: file, limits: .default).hdr == nil)
        #expect(try coder.decode(file, options: keeping()).hdr == nil)
    }

    /// The base is decoded whatever the map is: cut at each length, or with changed bytes in its head.
    @Test func damagedMapLeavesTheBase() throws {
        let sample = try sample()
        let file = sample.file()
        let primary = try #require(file.range(of: Data([0xFF, 0xD9, 0xFF, 0xD8]))).lowerBound + 2
        var random = SeededRandom(seed: 57)
        for count in stride(from: primary, to: file.count, by: 11) {
            let image = try coder.decode(file.prefix(count), options: keeping())
            #expect(image.pixelSize == PixelSize(width: 64, height: 48))
            _ = try coder.imageInfo(of: file.prefix(count), limits: .default)
        }
        for _ in 0..<300 {
            var bytes = file
            bytes[Int.random(in: primary..<min(primary + 1200, file.count), using: &random)] = .random(
                in: 0...255, using: &random)
            let image = try coder.decode(bytes, options: keeping { $0.dynamicRange = .high(headroom: 4) })
            #expect(image.pixelSize == PixelSize(width: 64, height: 48))
        }
        // A map that exceeds the limits is left out as well.
        let wide = try self.sample(base: (8, 8), map: (64, 48)).file()
        var options = keeping()
        options.limits.maxPixels = 100
        #expect(try coder.decode(wide, options: options).hdr == nil)
    }

    /// An index or a container that names the primary picture itself, as its own map.
    @Test(arguments: [GainMapSample.Form.xmp, .both])
    func primaryPictureIsNotItsOwnMap(_ form: GainMapSample.Form) throws {
        var file = try sample().file(form)
        let end = try #require(file.range(of: Data([0xFF, 0xD9, 0xFF, 0xD8]))).lowerBound + 2
        file = file.prefix(end)
        let index = try #require(file.range(of: Data("MPF\0".utf8))).upperBound
        // The second entry has the size of the whole file, so that it ends with the file if it starts with it.
        let size = (0..<4).map { UInt8(truncatingIfNeeded: file.count >> (24 - 8 * $0)) }
        file.replaceSubrange(index + 70..<index + 74, with: size)
        #expect(try coder.imageInfo(of: file, limits: .default).hdr == nil)
        #expect(try coder.decode(file, options: keeping()).hdr == nil)
        let digits = try #require(file.range(of: Data("Item:Length=\"".utf8))).upperBound
        let quote = try #require(file[digits...].firstIndex(of: 0x22))
        let text = Data(String(repeating: "0", count: quote - digits).utf8)
        var length = Data(String(file.count).utf8)
        length = text.dropLast(min(length.count, text.count)) + length.suffix(text.count)
        try #require(length.count == quote - digits)
        file.replaceSubrange(digits..<quote, with: length)
        #expect(try coder.imageInfo(of: file, limits: .default).hdr == nil)
    }

    /// Segments that end inside the name of their content, which goes on behind them: at each length.
    @Test(arguments: ["MPF\0", "urn:iso:std:iso:ts:21496:-1\0", "http://ns.adobe.com/xap/1.0/\0", "Exif\0\0"])
    func segmentThatEndsInItsNameIsPassedOver(_ name: String) throws {
        let base = try JPEGSample.gradient(64, 48)
        for count in 0...name.utf8.count {
            for marker in [0xE1, 0xE2] as [UInt8] {
                var file = base
                file.insert(contentsOf: [0xFF, marker, 0, UInt8(count + 2)] + Array(name.utf8), at: 20)
                _ = try? coder.imageInfo(of: file, limits: .default)
                _ = try? coder.imageProperties(of: file, limits: .default)
                #expect((try? coder.decode(file, options: keeping()))?.hdr == nil)
            }
        }
    }

    /// A thumbnail has the map in proportion. Its values are those of the same place of the picture.
    @Test func thumbnailHasItsMap() throws {
        let file = try sample(base: (256, 192), map: (64, 48)).file()
        let image = try coder.decode(
            file, options: keeping { $0.thumbnailPixelSize = PixelSize(width: 100, height: 75) })
        #expect(image.pixelSize == PixelSize(width: 100, height: 75))
        let map = try #require(image.hdr?.gainMap)
        #expect(map.size == PixelSize(width: 25, height: 19))
        // The ramp is linear, so the mean of each new value is that of its centre.
        let seen = try values(map, row: 9)
        for (index, value) in seen.enumerated() {
            let center = (Double(index) + 0.5) * 64 / 25 - 0.5
            #expect(abs(Double(value) - center * 255 / 63) <= 4, "\(seen)")
        }
    }

    /// The part of the map is exact: the map of a part is the part of the map of the whole picture.
    @Test(arguments: [(10, 4, 20, 16), (1, 1, 62, 46), (33, 0, 31, 48), (5, 7, 3, 2)])
    func croppedPictureHasItsMap(_ place: (Int, Int, Int, Int)) throws {
        let image = try coder.decode(try sample().file(), options: keeping())
        let part = try #require(
            image.croppedImage(with: CGRect(x: place.0, y: place.1, width: place.2, height: place.3)))
        let map = try #require(part.hdr?.gainMap)
        // A quarter of the sides, rounded up.
        #expect(map.size == PixelSize(width: (place.2 + 3) / 4, height: (place.3 + 3) / 4))
        let seen = try values(map)
        // The ramp has 4 px of the picture for each of its values.
        for (index, value) in seen.enumerated() {
            let center = Double(place.0) + (Double(index) + 0.5) * Double(place.2) / Double(map.size.width)
            let wanted: Double = min(max((center / 4 - 0.5) * 17, 0), 255)
            #expect(abs(Double(value) - wanted) <= 6, "\(place): \(seen)")
        }
    }

    @Test(arguments: 1...8) func orientationTurnsBoth(_ orientation: Int) throws {
        let sample = try sample()
        let turned = try #require(ImageOrientation(rawValue: orientation))
        // Behind APP0, where programs write it.
        var base = sample.base
        let exif = JPEGSample.exif(turned)
        base.insert(
            contentsOf: [0xFF, 0xE1, UInt8((exif.count + 2) >> 8), UInt8((exif.count + 2) & 255)] + exif, at: 20)
        let file = GainMapSample(
            base: base, map: sample.map, channels: sample.channels, headrooms: sample.headrooms
        ).file()
        let image = try coder.decode(file, options: keeping())
        let upright = try coder.decode(sample.file(), options: keeping())
        let wanted = try #require(try upright.hdr?.gainMap?.pixels?.oriented(turned))
        let map = try #require(image.hdr?.gainMap?.pixels)
        #expect(map.width == wanted.width && map.height == wanted.height)
        #expect((image.pixelSize.width > image.pixelSize.height) == (map.width == 16))
        for y in 0..<map.height {
            for x in 0..<map.width {
                #expect(Sample.pixel(map, x, y) == Sample.pixel(wanted, x, y))
            }
        }
    }

    /// Geometry keeps the map and turns it, colours drop it.
    @Test func transformersKeepOrDropTheMap() throws {
        let image = try coder.decode(try sample().file(), options: keeping())
        let ascending = try values(image.hdr?.gainMap)
        let flipped = try #require(image.flippedImage(withHorizontal: true, vertical: false))
        #expect(try values(flipped.hdr?.gainMap) == ascending.reversed())
        let turned = try #require(image.rotatedImage(withAngle: .pi / 2, fitSize: true))
        #expect(turned.hdr?.gainMap?.size == PixelSize(width: 12, height: 16))
        let half = try #require(image.resizedImage(with: CGSize(width: 32, height: 24), scaleMode: .aspectFill))
        #expect(half.hdr?.gainMap?.size == PixelSize(width: 8, height: 6))
        let gray = try #require(image.tintedImage(with: .white))
        #expect(gray.hdr == nil)
        let blurred = try #require(image.blurredImage(withRadius: 3))
        #expect(blurred.hdr == nil)
        let tilted = try #require(image.rotatedImage(withAngle: 0.3, fitSize: true))
        #expect(tilted.hdr == nil)
        // The map of an image is no metadata: a program's own transformer that copies the metadata does not take it along.
        let copy = Image(pixels: try PixelBuffer(width: 1, height: 1, format: .gray8))
        copy.copyMetadata(from: image)
        #expect(copy.hdr == nil)
    }

    /// ISO 21496-1 §6: the light of each pixel by the formula, for base pictures of both ranges and several displays.
    @Test(arguments: [1.0, 1.5, 2, 3, 4, 8], [false, true])
    func appliedLightFollowsTheFormula(_ headroom: Double, _ hasChannels: Bool) throws {
        let channels = hasChannels ? Self.triple : Self.single
        let sample = try sample(map: (64, 48), channels: channels, format: hasChannels ? .rgb8 : .gray8)
        let base = try coder.decode(sample.base, options: keeping { $0.dynamicRange = .standard })
        let map = try coder.decode(sample.map, options: keeping { $0.dynamicRange = .standard })
        let image = try coder.decode(sample.file(), options: keeping { $0.dynamicRange = .high(headroom: headroom) })
        #expect(image.pixels.format == .rgbaHalf && image.hdr == nil && image.colorProfile != nil)
        let weight = min(max(log2(headroom) / 2, 0), 1)
        for (x, y) in [(0, 0), (5, 40), (31, 20), (63, 47), (60, 3), (33, 33)] {
            let (stored, gains) = (Sample.pixel(base.pixels, x, y), Sample.pixel(map.pixels, x, y))
            let seen = halves(image.pixels, x, y)
            for channel in 0..<3 {
                let numbers = channels[channels.count == 3 ? channel : 0]
                let value = Double(stored[channel]) / 255
                let light = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
                let gain = numbers[0] + (numbers[1] - numbers[0]) * pow(Double(gains[channel]) / 255, 1 / numbers[2])
                // With the weight 0, the picture is the base, whatever the offsets are.
                let applied: Double = (light + numbers[3]) * exp2(gain * weight) - numbers[4]
                let wanted: Double = weight == 0 ? light : max(applied, 0)
                // A half has 11 bits; the interpolated table is wrong by less than that.
                let allowed: Double = 0.002 * max(abs(wanted), 0.1)
                #expect(abs(seen[channel] - wanted) <= allowed, "\(x),\(y): \(seen) \(wanted)")
            }
            #expect(seen[3] == 1)
        }
    }

    private func halves(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> [Double] {
        pixels.withUnsafeBytes { bytes in
            (0..<4).map { channel in
                let bits = bytes.load(fromByteOffset: y * pixels.bytesPerRow + x * 8 + channel * 2, as: UInt16.self)
                let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1023))
                let magnitude: Double =
                    exponent == 0 ? fraction / 16_777_216 : (1 + fraction / 1024) * exp2(Double(exponent - 15))
                return bits & 0x8000 == 0 ? magnitude : -magnitude
            }
        }
    }

    /// `decodeToHDR` applies the map with its whole headroom.
    @Test func decodeToHDRAppliesTheMap() throws {
        let sample = try sample(map: (64, 48))
        var options = DecodingOptions([.decodeToHDR: 1])
        options.pixelFormat = .rgba8
        let image = try coder.decode(sample.file(), options: options)
        #expect(image.isHighDynamicRange && image.pixels.format == .rgbaHalf)
        let same = try coder.decode(sample.file(), options: keeping { $0.dynamicRange = .high(headroom: 4) })
        #expect(halves(image.pixels, 40, 20) == halves(same.pixels, 40, 20))
    }

    /// What is written is read again with the same map, and has all three kinds of metadata in the right places.
    @Test(arguments: [false, true]) func writtenFileHasAllForms(_ hasChannels: Bool) throws {
        let sample = try sample(
            channels: hasChannels ? Self.triple : Self.single, format: hasChannels ? .rgb8 : .gray8)
        let image = try coder.decode(sample.file(), options: keeping())
        var options = EncodingOptions()
        options.keepsHDR = true
        options.quality = 0.9
        options.metadata = EmbeddedMetadata(exif: ExifSample.tiff(orientation: 6, bigEndian: true))
        let file = try coder.encode(image, format: .jpeg, options: options)
        let primaryEnd = try #require(file.range(of: Data([0xFF, 0xD9, 0xFF, 0xD8]))).lowerBound + 2
        let index = try #require(file.range(of: Data("MPF\0".utf8))).upperBound
        func number(_ at: Int) -> Int { file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        // The entries of the index begin at 50: attribute, size, offset.
        #expect(number(index + 54) == primaryEnd && number(index + 70) == file.count - primaryEnd)
        #expect(index + number(index + 74) == primaryEnd)
        let (primary, map) = (file.prefix(primaryEnd), Data(file.dropFirst(primaryEnd)))
        for part in [primary, map] {
            #expect(part.range(of: Data("urn:iso:std:iso:ts:21496:-1\0".utf8)) != nil)
            #expect(part.range(of: Data("hdrgm:Version=\"1.0\"".utf8)) != nil)
        }
        #expect(primary.range(of: Data("Item:Length=\"\(map.count)\"".utf8)) != nil)
        #expect(Array(map.suffix(2)) == [0xFF, 0xD9])
        let again = try coder.decode(file, options: keeping())
        let (one, other) = (try #require(image.hdr?.gainMap), try #require(again.hdr?.gainMap))
        #expect(one.size == other.size && one.channelCount == other.channelCount)
        for (left, right) in zip(one.metadata.channels, other.metadata.channels) {
            #expect(abs(left.minimum - right.minimum) < 1e-4 && abs(left.gamma - right.gamma) < 1e-4)
        }
        let (before, after) = (try values(one), try values(other))
        #expect(difference(before, after) <= 8, "\(before) \(after)")
        // Without the option, nothing of the map is left.
        options.keepsHDR = false
        let plain = try coder.encode(image, format: .jpeg, options: options)
        for word in ["hdrgm", "MPF\0", "urn:iso:std"] { #expect(plain.range(of: Data(word.utf8)) == nil) }
    }

    /// The metadata of a source with a map describes a map that the new file does not have.
    @Test func staleMetadataIsRemoved() throws {
        let file = try sample().file()
        let xmp = try #require(try coder.imageProperties(of: file, limits: .default).xmp)
        #expect(xmp.range(of: Data("hdrgm:Version".utf8)) != nil)
        let own =
            "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" dc:format=\"x\"/></rdf:RDF>"
        let packet = String(decoding: xmp, as: UTF8.self).replacingOccurrences(of: "</rdf:RDF>", with: own)
        var options = EncodingOptions()
        options.metadata = EmbeddedMetadata(xmp: Data(packet.utf8))
        let image = Image(pixels: try Sample.gradient(16, 12, .rgb8))
        let plain = try coder.encode(image, format: .jpeg, options: options)
        let kept = try #require(try coder.imageProperties(of: plain, limits: .default).xmp)
        let text = String(decoding: kept, as: UTF8.self)
        #expect(!text.contains("hdrgm:Version") && !text.contains("Directory") && text.contains("dc:format=\"x\""))
        #expect(text.contains("</rdf:RDF>") && text.components(separatedBy: "<rdf:Description").count == 3)
        // With a map, the packet describes the new map, and keeps the rest.
        options.keepsHDR = true
        let high = try coder.encode(try coder.decode(file, options: keeping()), format: .jpeg, options: options)
        let written = String(
            decoding: try #require(try coder.imageProperties(of: high, limits: .default).xmp), as: UTF8.self)
        #expect(written.components(separatedBy: "hdrgm:Version").count == 2 && written.contains("dc:format=\"x\""))
        #expect(try coder.imageInfo(of: high, limits: .default).hdr?.gainMap != nil)
    }

    /// EXIF with Apple's two numbers as fractions.
    private func makerNote(_ first: (Int, Int), _ second: (Int, Int)) -> Data {
        var note = Data("Apple iOS\0\0\u{1}MM".utf8) + PNGBytes.bigEndian(0).prefix(1) + Data([2])
        for (index, tag) in [33, 48].enumerated() {
            note += Data([0, UInt8(tag), 0, 10]) + PNGBytes.bigEndian(1) + PNGBytes.bigEndian(44 + 8 * index)
        }
        note += Data(count: 44 - note.count)
        for (numerator, denominator) in [first, second] {
            note += PNGBytes.bigEndian(numerator) + PNGBytes.bigEndian(denominator)
        }
        return Data("MM\0*".utf8) + note
    }

    /// Apple's published rule: the numbers of four maker notes, and the factor of a map.
    @Test(arguments: [(0.5, 0.0, 3.4822), (1.5189, 0, 8), (1, 0.01, 4.9246), (1.2, 1, 4)])
    func headroomOfApple(_ first: Double, _ second: Double, _ wanted: Double) throws {
        func fraction(_ value: Double) -> (Int, Int) { (Int((value * 10_000).rounded()), 10_000) }
        let exif = makerNote(fraction(first), fraction(second))
        let headroom = try #require(AppleGainMap.headroom(exif: exif))
        #expect(abs(headroom - wanted) < 0.01 * wanted, "\(headroom)")
        for count in 0..<exif.count { _ = AppleGainMap.headroom(exif: exif.prefix(count)) }
    }

    /// Denominators of 0, and numbers that give a headroom that no picture has.
    @Test func hostileNumbersOfAppleGiveNoHeadroom() {
        for (first, second) in [((1, 0), (0, 1)), ((0, 0), (0, 1)), ((1, 1), (1, 0)), ((1, 1), (-1, 1))] {
            #expect(AppleGainMap.headroom(exif: makerNote(first, second)) == nil, "\(first) \(second)")
        }
        for text in ["0.5", "5000", "nan", "inf", "-4"] {
            let packet =
                "<x xmlns:HDRGainMap=\"http://ns.apple.com/HDRGainMap/1.0/\" HDRGainMap:HDRGainMapVersion=\"131072\" "
                + "HDRGainMap:HDRGainMapHeadroom=\"\(text)\"/>"
            #expect(AppleGainMap.headroom(xmp: Data(packet.utf8), exif: nil) == nil, "\(text)")
        }
    }
}
