import CWebImageGTK
import Foundation
import WebImageCore

/// The visual effect of a transition.
///
/// All effects are drawn in 2D, which every GTK renderer supports. A flip scales the old image down to a line and then
/// scales the new image up, with a slight skew for depth. A curl draws one image as a page. A roll moves over this
/// page. The page is visible only above the roll; below the roll, the other image is visible.
enum TransitionEffect: Equatable, Sendable {
    enum Side: CaseIterable, Sendable {
        case left, right, top, bottom

        /// The unit vector towards this side.
        var direction: (x: CGFloat, y: CGFloat) {
            switch self {
            case .left: (-1, 0)
            case .right: (1, 0)
            case .top: (0, -1)
            case .bottom: (0, 1)
            }
        }
    }

    case dissolve
    case flip(Side)
    case curlUp
    case curlDown
    case push(Side)
    case moveIn(Side)

    /// Draws the transition between two images at `progress`, 0…1.
    @MainActor func draw(
        _ snapshot: OpaquePointer, _ bounds: CGRect, _ progress: Double, outgoing: () -> Void, incoming: () -> Void
    ) {
        snapshot.pushClip(bounds)
        defer { gtk_snapshot_pop(snapshot) }
        switch self {
        case .dissolve:
            gtk_snapshot_push_cross_fade(snapshot, progress)
            outgoing()
            gtk_snapshot_pop(snapshot)
            incoming()
            gtk_snapshot_pop(snapshot)
        case .flip(let side): flip(snapshot, bounds, progress, side, outgoing, incoming)
        case .curlUp: curl(snapshot, bounds, progress, below: incoming, page: outgoing)
        case .curlDown: curl(snapshot, bounds, 1 - progress, below: outgoing, page: incoming)
        case .push(let side):
            let way = Self.way(side, bounds)
            moved(snapshot, way, -progress, outgoing)
            moved(snapshot, way, 1 - progress, incoming)
        case .moveIn(let side):
            outgoing()
            moved(snapshot, Self.way(side, bounds), 1 - progress, incoming)
        }
    }

    private static func way(_ side: Side, _ bounds: CGRect) -> CGPoint {
        CGPoint(x: side.direction.x * bounds.width, y: side.direction.y * bounds.height)
    }

    @MainActor private func moved(_ snapshot: OpaquePointer, _ way: CGPoint, _ share: Double, _ body: () -> Void) {
        let move = CGAffineTransform(translationX: way.x * CGFloat(share), y: way.y * CGFloat(share))
        snapshot.push(move, around: .zero)
        body()
        gtk_snapshot_restore(snapshot)
    }

    @MainActor private func flip(
        _ snapshot: OpaquePointer, _ bounds: CGRect, _ progress: Double, _ side: Side, _ outgoing: () -> Void,
        _ incoming: () -> Void
    ) {
        let angle = progress * .pi
        let width = CGFloat(abs(cos(angle)))
        let depth = CGFloat(sin(angle)) * 0.2
        let turn: CGAffineTransform
        switch side {
        case .left: turn = CGAffineTransform(a: width, b: depth, c: 0, d: 1, tx: 0, ty: 0)
        case .right: turn = CGAffineTransform(a: width, b: -depth, c: 0, d: 1, tx: 0, ty: 0)
        case .top: turn = CGAffineTransform(a: 1, b: 0, c: depth, d: width, tx: 0, ty: 0)
        case .bottom: turn = CGAffineTransform(a: 1, b: 0, c: -depth, d: width, tx: 0, ty: 0)
        }
        snapshot.push(turn, around: CGPoint(x: bounds.midX, y: bounds.midY))
        if progress < 0.5 { outgoing() } else { incoming() }
        gtk_snapshot_restore(snapshot)
    }

    /// Draws a roll, and the page above the roll. As `progress` increases, the roll moves from the lower edge past the
    /// upper edge.
    @MainActor private func curl(
        _ snapshot: OpaquePointer, _ bounds: CGRect, _ progress: Double, below: () -> Void, page: () -> Void
    ) {
        below()
        let roll = bounds.height * 0.12
        let edge = bounds.maxY - CGFloat(progress) * (bounds.height + roll)
        let rest = CGRect(x: bounds.minX, y: bounds.minY, width: bounds.width, height: max(edge - bounds.minY, 0))
        if rest.height > 0 {
            snapshot.pushClip(rest)
            page()
            gtk_snapshot_pop(snapshot)
        }
        guard progress > 0, progress < 1 else { return }
        var area = graphene_rect_t(CGRect(x: bounds.minX, y: edge, width: bounds.width, height: roll))
        var (start, end) = (
            graphene_point_t(x: 0, y: Float(edge)), graphene_point_t(x: 0, y: Float(edge + roll))
        )
        let stops = [
            GskColorStop(offset: 0, color: GdkRGBA(ImageColor(white: 0.75))),
            GskColorStop(offset: 0.45, color: GdkRGBA(ImageColor(white: 0.98))),
            GskColorStop(offset: 0.8, color: GdkRGBA(ImageColor(white: 0.6))),
            GskColorStop(offset: 1, color: GdkRGBA(ImageColor(white: 0, alpha: 0))),
        ]
        gtk_snapshot_append_linear_gradient(snapshot, &area, &start, &end, stops, gsize(stops.count))
    }
}
