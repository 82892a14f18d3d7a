import CWebImageGTK
import Foundation
import WebImageCore

extension graphene_rect_t {
    init(_ rect: CGRect) {
        self.init()
        graphene_rect_init(
            &self, Float(rect.origin.x), Float(rect.origin.y), Float(rect.width), Float(rect.height))
    }
}

/// Functions that draw into a `GtkSnapshot`.
@MainActor extension OpaquePointer {
    /// Applies an affine map around a point to all drawing until the call of `gtk_snapshot_restore`.
    func push(_ transform: CGAffineTransform, around center: CGPoint) {
        gtk_snapshot_save(self)
        let moved = CGAffineTransform(translationX: -center.x, y: -center.y)
            .concatenating(transform)
            .concatenating(CGAffineTransform(translationX: center.x, y: center.y))
        // Software renderers do not draw 3D matrices, so pass a 2D transform.
        gtk_snapshot_transform(self, Self.transform2D(moved))
    }

    private static func transform2D(_ map: CGAffineTransform) -> OpaquePointer? {
        // GSK accepts a 2D transform only as separate steps: translation, rotation, scale and skew.
        let scaleX = hypot(Double(map.a), Double(map.b))
        let determinant = Double(map.a * map.d - map.b * map.c)
        var offset = graphene_point_t(x: Float(map.tx), y: Float(map.ty))
        var transform = gsk_transform_translate(nil, &offset)
        guard scaleX > 0 else { return gsk_transform_scale(transform, 0, 0) }
        let angle = atan2(Double(map.b), Double(map.a)) * 180 / .pi
        let scaleY = determinant / scaleX
        let shear = scaleY == 0 ? 0 : Double(map.a * map.c + map.b * map.d) / (scaleX * scaleX * scaleY)
        transform = gsk_transform_rotate(transform, Float(angle))
        transform = gsk_transform_scale(transform, Float(scaleX), 1)
        if shear != 0 { transform = gsk_transform_skew(transform, Float(atan(shear) * 180 / .pi), 0) }
        return gsk_transform_scale(transform, 1, Float(scaleY))
    }

    /// Clips all drawing to a rectangle until the call of `gtk_snapshot_pop`.
    func pushClip(_ rect: CGRect, radius: Double = 0) {
        var area = graphene_rect_t(rect)
        guard radius > 0 else { return gtk_snapshot_push_clip(self, &area) }
        var rounded = GskRoundedRect()
        gsk_rounded_rect_init_from_rect(&rounded, &area, Float(min(radius, rect.width / 2, rect.height / 2)))
        gtk_snapshot_push_rounded_clip(self, &rounded)
    }

    /// Draws a texture into a rectangle.
    func append(_ texture: Texture, _ rect: CGRect) {
        var area = graphene_rect_t(rect)
        texture.withPointer { gtk_snapshot_append_texture(self, $0, &area) }
    }

    /// Fills a rectangle.
    func fill(_ rect: CGRect, _ color: ImageColor) {
        var area = graphene_rect_t(rect)
        var paint = GdkRGBA(color)
        gtk_snapshot_append_color(self, &paint, &area)
    }
}

extension GdkRGBA {
    init(_ color: ImageColor) {
        self.init(
            red: Float(color.red), green: Float(color.green), blue: Float(color.blue), alpha: Float(color.alpha))
    }
}
