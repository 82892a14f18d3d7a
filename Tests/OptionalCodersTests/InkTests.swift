import Foundation
import Testing
import WebImageCore
import WebImageJXL
import WebImageTestTraits

/// Tests JPEG XL files of ink: cyan, magenta and yellow in the colours, black in an extra channel.
@Suite(.timeLimit(minutes: 1))
struct InkTests {
    /// A picture of 8 × 8 px in four squares, written by libjxl 0.7 without loss: cyan, magenta, yellow with half of the
    /// black, black.
    private static let opaque = """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAAFPanhsY/8KQcAoAMItxYCEeQBsaKgMhlPndUv6SSuh
        zdMKFXhWhJB8UogoBiQUA5IPM2X0lF/N1VkwdC4eSzPVBjxDT9eLPhgN93gHEDZj2swshNqA8XZul/SLC3rV3DHMLYu5AUjA/0SC
        lREWRliZYOH7LmUqHjhcxs1Ey3DSuFnhu7PatXIAnG5LmyDCAl40FQCpPBMQWMCbA9/qS0G+fGot+A8v4BgQYF54vNsFIaTE2SAz
        RPQtvm5cxwudeXzvwpjjJtNH2O8n3TLrBeTbpxTwLyB7EaBC7zZ3ETQJsDzmX/o6BafLeyVS0FCGNTqVDZkWEiHguqDxy0ABAS8+
        6r7kIm2EBAt4URsApPHnXBYAAADKf/EDez7vAQgIEACoAEsYixXCCSobxgn+vYAQAPInkfqTkcPvqD8XH/le5TAAAAC4zBgDZwAA
        AA==
        """
    /// The same picture. The alpha of its left half is 100, that of its right half 255.
    private static let translucent = """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAAFXanhsY/8KQUAhBUC4pRiQMA+ADQ2VwXDqvG5JP2kl
        tHlaoQLPihCSTwoRxYCEYkDyYaaMnvKruToLhs7FY2mm2oBn6Ol60Qej4R7vAMJmTJuZhVAbMN7O7ZJ+cUGvmjuGuWUxNwAJ+J9I
        sDLCwggrEyx836VMxQOHy7iZaBlOGjcrfHdWu1YOgNNtaRNEWMCLpgIglWcCAgt4c+BbfSnIl0+tBf/hBRwDAswLj3e7IISUOBtk
        hoi+xdeN63ihM4/vXRhz3GT6CPv9pFtmvYB8+5QC/gVkLwJU6N3mLoImAZbH/Etfp+B0ea9EChrKsEansiHTQiIEXBc0fhkoIODF
        R92XXKSNkGABL2oDgDT+nMsCAABA+S9+YM/nPQggAAEAxABLGIsVwgkqG8YJ973ABAACQP4kUn8ycvgd9edSTUpv/kgw3lczDAAA
        AC4zxsAZAAAA
        """

    @Test(arguments: [false, true]) func blackChannelIsPartOfTheColour(hasAlpha: Bool) throws {
        let text = hasAlpha ? Self.translucent : Self.opaque
        let data = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let image = try ImageJPEGXLCoder.shared.decode(data, options: options)
        #expect(image.pixelSize == PixelSize(width: 8, height: 8) && image.hasAlpha == hasAlpha)
        // Pillow's lcms2 converts the same ink with the same profile to these colours.
        let wanted: [[UInt8]] = [[0, 255, 255], [255, 0, 255], [119, 118, 21], [0, 0, 0]]
        for (square, color) in wanted.enumerated() {
            let (x, y) = (square % 2 * 4 + 1, square / 2 * 4 + 1)
            let place = y * image.pixels.bytesPerRow + x * image.pixels.format.bytesPerPixel
            let pixel = image.pixels.withUnsafeBytes { Array($0[place..<place + 4]) }
            let alpha: UInt8 = hasAlpha && square % 2 == 0 ? 100 : 255
            let isNear = zip(pixel, color + [alpha]).allSatisfy { abs(Int($0) - Int($1)) <= 3 }
            #expect(isNear, "square \(square): \(pixel)")
        }
    }
}
