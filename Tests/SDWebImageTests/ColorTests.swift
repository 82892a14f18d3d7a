import Foundation
import SDWebImage
import Testing

/// Colours with SDWebImage's names.
struct ColorTests {
    @Test func colourComponentsAreReadAndWritten() {
        var color = UIColor(red: 0.25, green: 0.5, blue: 0.75, alpha: 0.5)
        #expect(color.red == 0.25 && color.green == 0.5 && color.blue == 0.75 && color.alpha == 0.5)
        color.red = 1
        color.green = 2
        color.blue = -1
        #expect(color == UIColor(red: 1, green: 1, blue: 0, alpha: 0.5))
        #expect([UIColor.red, .green, .blue].map(\.sd_hexString) == ["#ffff0000", "#ff00ff00", "#ff0000ff"])
        #expect(UIColor.blue.blue == 1 && UIColor.red.withAlphaComponent(0.5).alpha == 0.5)
    }

    @Test func hueGivesTheColoursOfTheWheel() {
        let wheel = (0..<7).map { UIColor(hue: CGFloat($0) / 6, saturation: 1, brightness: 1, alpha: 1).sd_hexString }
        #expect(
            wheel == ["#ffff0000", "#ffffff00", "#ff00ff00", "#ff00ffff", "#ff0000ff", "#ffff00ff", "#ffff0000"])
        #expect(UIColor(hue: 0.3, saturation: 0, brightness: 0.5, alpha: 0.5) == UIColor(white: 0.5, alpha: 0.5))
        #expect(UIColor.systemRed.sd_hexString == "#ffff3b30" && UIColor.systemGray.sd_hexString == "#ff8e8e93")
    }

    @Test func componentsAreWrittenThroughPointers() {
        var (red, green, blue, alpha): (CGFloat, CGFloat, CGFloat, CGFloat) = (0, 0, 0, 0)
        #expect(
            UIColor(red: 0.25, green: 0.5, blue: 0.75, alpha: 1).getRed(&red, green: &green, blue: &blue, alpha: &alpha)
        )
        #expect((red, green, blue, alpha) == (0.25, 0.5, 0.75, 1))
        UIColor.orange.getRed(nil, green: &green, blue: nil, alpha: nil)
        #expect(green == 0.5)
        var white: CGFloat = 0
        #expect(UIColor.gray.getWhite(&white, alpha: &alpha) && white == 0.5)
        #expect(!UIColor.orange.getWhite(&white, alpha: nil))
    }
}
