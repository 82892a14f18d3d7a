import Foundation
import SDWebImage
import Testing
import WebImageTesting

/// Drawing with the names of SDWebImage and UIKit.
struct DrawingTests {
    private func color(_ image: UIImage?, _ x: CGFloat, _ y: CGFloat) -> String? {
        image?.sd_color(at: CGPoint(x: x, y: y))?.sd_hexString
    }

    // SDUtilsTests.testSDGraphicsImageRenderer
    @Test func openContextReceivesDrawingsUntilItsEnd() {
        #expect(SDGraphicsGetCurrentContext() == nil && SDGraphicsGetImageFromCurrentImageContext() == nil)
        SDGraphicsBeginImageContextWithOptions(CGSize(width: 10, height: 10), false, 2)
        SDGraphicsGetCurrentContext()?.setFillColor(UIColor.red.cgColor)
        SDGraphicsGetCurrentContext()?.fill(CGRect(x: 0, y: 0, width: 5, height: 10))
        let half = SDGraphicsGetImageFromCurrentImageContext()
        UIColor.blue.setFill()
        UIRectFill(CGRect(x: 0, y: 0, width: 10, height: 10))
        let whole = SDGraphicsGetImageFromCurrentImageContext()
        SDGraphicsEndImageContext()
        #expect(half?.scale == 2 && half?.size == CGSize(width: 10, height: 10))
        #expect(color(half, 2, 2) == "#ffff0000" && color(half, 15, 2) == "#00000000")
        #expect(color(whole, 2, 2) == "#ff0000ff" && color(whole, 15, 2) == "#ff0000ff")
        #expect(SDGraphicsGetCurrentContext() == nil)
    }

    @Test func rectanglesAreFilledWithABlendMode() throws {
        SDGraphicsBeginImageContext(CGSize(width: 2, height: 1))
        UIColor.green.setFill()
        UIRectFill(CGRect(x: 0, y: 0, width: 1, height: 1))
        UIColor.red.setFill()
        UIRectFillUsingBlendMode(CGRect(x: 0, y: 0, width: 2, height: 1), .sourceAtop)
        let drawn = SDGraphicsGetImageFromCurrentImageContext()
        SDGraphicsEndImageContext()
        #expect(color(drawn, 0, 0) == "#ffff0000" && color(drawn, 1, 0) == "#00000000")
        let image = try TestImages.solid(width: 2, height: 2)
        #expect(image.withRenderingMode(.alwaysOriginal) === image)
        #expect(color(image.withTintColor(.systemBlue), 1, 1) == "#ff007aff")
    }

    @Test func contextsNest() {
        SDGraphicsBeginImageContext(CGSize(width: 4, height: 4))
        SDGraphicsBeginImageContextWithOptions(CGSize(width: 4, height: 4), true, 1)
        UIColor.green.setFill()
        UIRectFill(CGRect(x: 0, y: 0, width: 2, height: 4))
        let inner = SDGraphicsGetImageFromCurrentImageContext()
        SDGraphicsEndImageContext()
        inner?.draw(in: CGRect(x: 0, y: 0, width: 4, height: 4))
        let outer = SDGraphicsGetImageFromCurrentImageContext()
        SDGraphicsEndImageContext()
        #expect(inner?.hasAlpha == false && color(inner, 3, 0) == "#ff000000")
        #expect(color(outer, 0, 0) == "#ff00ff00" && color(outer, 3, 0) == "#ff000000")
    }

    @Test(arguments: [CGSize.zero, CGSize(width: -1, height: 4), CGSize(width: CGFloat.infinity, height: 1)])
    func emptySizeOpensNoContext(size: CGSize) {
        SDGraphicsBeginImageContext(CGSize(width: 2, height: 2))
        SDGraphicsBeginImageContextWithOptions(size, false, 0)
        #expect(SDGraphicsGetImageFromCurrentImageContext() == nil)
        SDGraphicsEndImageContext()
        #expect(SDGraphicsGetImageFromCurrentImageContext() != nil)
        SDGraphicsEndImageContext()
        SDGraphicsEndImageContext()
    }

    @Test func picturesAndPathsDrawIntoARenderersDrawing() throws {
        let picture = try TestImages.solid(width: 4, height: 4, blue: 200)
        let image = SDGraphicsImageRenderer(size: CGSize(width: 20, height: 20)).image { context in
            picture.draw(in: CGRect(x: 0, y: 0, width: 10, height: 10))
            picture.draw(at: CGPoint(x: 16, y: 16))
            UIColor.red.set()
            UIBezierPath(rect: CGRect(x: 10, y: 0, width: 10, height: 10)).fill()
            let path = UIBezierPath()
            path.move(to: CGPoint(x: 0, y: 15))
            path.addLine(to: CGPoint(x: 10, y: 15))
            path.lineWidth = 4
            path.stroke()
        }
        #expect(image.sd_color(at: CGPoint(x: 5, y: 5)) == picture.sd_color(at: CGPoint(x: 1, y: 1)))
        #expect(image.sd_color(at: CGPoint(x: 18, y: 18)) == picture.sd_color(at: CGPoint(x: 1, y: 1)))
        #expect(color(image, 15, 5) == "#ffff0000" && color(image, 5, 15) == "#ffff0000")
        #expect(color(image, 12, 15) == "#00000000")
        // Without a current context, drawing has no effect.
        picture.draw(at: .zero)
        UIColor.red.setFill()
        UIRectFill(CGRect(x: 0, y: 0, width: 1, height: 1))
        UIBezierPath(ovalIn: CGRect(x: 0, y: 0, width: 1, height: 1)).stroke()
    }

    @Test func clipsAndRoundedCornersLimitTheDrawing() {
        let image = SDGraphicsImageRenderer(size: CGSize(width: 20, height: 20)).image { context in
            UIBezierPath(
                roundedRect: CGRect(x: 0, y: 0, width: 20, height: 20), byRoundingCorners: [.topLeft],
                cornerRadii: CGSize(width: 8, height: 8)
            ).addClip()
            UIColor.blue.setFill()
            UIRectFill(CGRect(x: 0, y: 0, width: 20, height: 20))
        }
        #expect(color(image, 0, 0) == "#00000000" && color(image, 19, 0) == "#ff0000ff")
    }

    @Test(arguments: [true, false]) func arcsFollowTheirDirection(clockwise: Bool) {
        let image = SDGraphicsImageRenderer(size: CGSize(width: 20, height: 20)).image { context in
            // The arc starts at the right and ends at the bottom. Clockwise, it is a quarter of the circle;
            // counter-clockwise, it is three quarters.
            let path = UIBezierPath(
                arcCenter: CGPoint(x: 10, y: 10), radius: 10, startAngle: 0, endAngle: .pi / 2, clockwise: clockwise)
            path.addLine(to: CGPoint(x: 10, y: 10))
            path.close()
            UIColor.red.setFill()
            path.fill()
        }
        #expect((color(image, 13, 13) == "#ffff0000") == clockwise)
        #expect((color(image, 6, 6) == "#ffff0000") == !clockwise)
    }
}
