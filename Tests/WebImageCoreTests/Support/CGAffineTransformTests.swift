import Foundation
import Testing
import WebImageCore

@Suite("Affine transform") struct CGAffineTransformTests {
    private func isNear(_ one: CGPoint, _ other: CGPoint) -> Bool {
        abs(one.x - other.x) < 1e-9 && abs(one.y - other.y) < 1e-9
    }

    @Test func laterTransformCallsApplyFirst() {
        let map = CGAffineTransform(translationX: 10, y: 0).scaledBy(x: 2, y: 3)
        #expect(isNear(CGPoint(x: 1, y: 1).applying(map), CGPoint(x: 12, y: 3)))
        let other = CGAffineTransform(scaleX: 2, y: 3).translatedBy(x: 10, y: 0)
        #expect(isNear(CGPoint(x: 1, y: 1).applying(other), CGPoint(x: 22, y: 3)))
    }

    @Test func turnIsClockwiseToTheEye() {
        let turn = CGAffineTransform(rotationAngle: .pi / 2)
        #expect(isNear(CGPoint(x: 1, y: 0).applying(turn), CGPoint(x: 0, y: 1)))
        #expect(isNear(CGPoint(x: 1, y: 0).applying(CGAffineTransform.identity.rotated(by: .pi)), CGPoint(x: -1, y: 0)))
    }

    @Test func inverseRevertsAndASingularTransformHasNone() {
        let map = CGAffineTransform(a: 2, b: 1, c: -1, d: 3, tx: 5, ty: -7)
        let point = CGPoint(x: 3, y: 4)
        #expect(isNear(point.applying(map).applying(map.inverted()), point))
        let flat = CGAffineTransform(scaleX: 0, y: 1)
        #expect(flat.inverted() == flat)
        #expect(CGAffineTransform().isIdentity)
    }
}
