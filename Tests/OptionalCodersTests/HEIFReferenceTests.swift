import Foundation
import Testing
import WebImageCore
import WebImageHEIF
import WebImageTestSupport
import WebImageTestTraits

/// Tests HEIF files whose references have several targets, as in photos of iPhones since iOS 18: gain map, thumbnail and
/// metadata belong to the picture and to its version with a larger dynamic range (`tmap`). Each file must show the same
/// picture as a file with one target for each reference.
@Suite(.timeLimit(minutes: 2))
struct HEIFReferenceTests {
    private static let gainMap = "urn:com:apple:photo:2020:aux:hdrgainmap"

    private static func item(
        _ number: Int, _ type: String, _ references: (type: String, to: [Int])?, auxiliaryType: String? = nil
    ) -> HEIFBytes.Item {
        let isCoded = type == "hvc1"
        let coded = HEIFSizeTests.small
        let data = isCoded ? coded.data : [UInt8](repeating: 0, count: 62)
        return HEIFBytes.Item(
            number: number, type: type, data: data, size: (64, 64), configuration: isCoded ? coded.configuration : nil,
            references: references, auxiliaryType: auxiliaryType)
    }

    /// A picture (1), a gain map (2), a tone-mapped version (3), a thumbnail (4), an alpha plane (5) and metadata (6). The
    /// arguments are the targets of the references.
    private func file(
        gainMap: [Int] = [1], thumbnail: [Int] = [1], alpha: [Int]? = nil, metadata: [Int] = [1]
    ) -> HEIFBytes {
        let items: [HEIFBytes.Item?] = [
            Self.item(1, "hvc1", nil), Self.item(2, "hvc1", ("auxl", gainMap), auxiliaryType: Self.gainMap),
            Self.item(3, "tmap", ("dimg", [1, 2])), Self.item(4, "hvc1", ("thmb", thumbnail)),
            alpha.map { Self.item(5, "hvc1", ("auxl", $0)) }, Self.item(6, "Exif", ("cdsc", metadata)),
        ]
        return HEIFBytes(items: items.compactMap { $0 })
    }

    private struct Shown: Equatable {
        let values: Data
        let hasAlpha: Bool
    }

    private func values(_ data: Data) throws -> Shown {
        let image = try ImageHEICCoder.shared.decode(data, options: DecodingOptions())
        let rowBytes = image.pixels.width * image.pixels.format.bytesPerPixel
        let values = image.pixels.withUnsafeBytes { bytes in
            (0..<image.pixels.height).reduce(into: Data()) { rows, y in
                rows += bytes[y * image.pixels.bytesPerRow..<y * image.pixels.bytesPerRow + rowBytes]
            }
        }
        return Shown(values: values, hasAlpha: image.hasAlpha)
    }

    enum Layout: CaseIterable, Sendable { case plain, wide, open, itemData }

    private func laidOut(_ file: HEIFBytes, _ layout: Layout) -> Data {
        var file = file
        file.referencesAreWide = layout == .wide
        file.lastBoxIsOpen = layout == .open
        file.usesItemData = layout == .itemData
        return file.file
    }

    @Test(arguments: Layout.allCases, [[1, 3], [3, 1], [1, 4], [4, 1]])
    func severalTargetsShowTheSamePicture(layout: Layout, targets: [Int]) throws {
        let plain = try values(file().file)
        #expect(!plain.hasAlpha)
        let files = [
            file(gainMap: targets), file(metadata: targets), file(gainMap: targets, metadata: targets),
            file(thumbnail: targets.map { $0 == 4 ? 3 : $0 }),
        ]
        for file in files { #expect(try values(laidOut(file, layout)) == plain) }
        let alpha = try values(file(alpha: [1]).file)
        #expect(alpha.hasAlpha)
        #expect(try values(laidOut(file(gainMap: targets, alpha: targets, metadata: targets), layout)) == alpha)
    }

    @Test func referencesToTheToneMappedVersionAloneAreLeftOut() throws {
        let plain = try values(file().file)
        for file in [file(gainMap: [3]), file(metadata: [3]), file(thumbnail: [3])] {
            #expect(try values(file.file) == plain)
        }
    }

    @Test func copyIsMadeOnlyIfNeededAndNeedsNoFurtherCopy() throws {
        for layout in Layout.allCases {
            #expect(try ImageHEICCoder.acceptedCopy(of: laidOut(file(alpha: [1]), layout)) == nil)
            let copy = try #require(try ImageHEICCoder.acceptedCopy(of: laidOut(file(metadata: [1, 3]), layout)))
            #expect(try ImageHEICCoder.acceptedCopy(of: copy) == nil)
        }
    }

    /// The picture is the first item in the file, so that it is shown if only the later items are cut.
    @Test func truncatedFilesAreTheSamePictureOrATypedError() throws {
        let whole = file(gainMap: [1, 3], metadata: [1, 3]).file
        let plain = try values(whole)
        var refusals = 0
        for count in stride(from: 0, to: whole.count - 1, by: 3) {
            do {
                #expect(try values(whole.prefix(count)) == plain, "\(count) bytes")
            } catch {
                #expect((error as? WebImageError)?.code == .badImageData)
                refusals += 1
            }
        }
        #expect(refusals > whole.count / 6)
    }

    @Test(arguments: [
        (["heim", "mif1", "heic"], ImageFormat.heic), (["heis", "mif1", "heic"], .heic), (["heix", "mif1"], .heic),
        (["miaf", "mif1", "heic"], .heif), (["mif1", "miaf", "heix"], .heif), (["mif2", "mif1", "heic"], .heif),
        (["MiHB", "mif1", "miaf", "heic"], .heif),
    ])
    func pictureIsReadWithEveryBrand(brands: [String], format: ImageFormat) throws {
        var file = file()
        file.brands = brands
        #expect(ImageFormat(sniffing: file.file) == format && ImageHEICCoder.shared.canDecode(from: file.file))
        #expect(try ImageHEICCoder.shared.imageInfo(of: file.file, limits: .default).format == format)
        #expect(try values(file.file) == values(self.file().file))
    }
}
