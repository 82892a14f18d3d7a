public import Foundation
import SDWebImage
public import WebImageGTK

// UIKit's constraints. GTK lays out by containers.

/// Not available: views have no constraints.
@available(
    *, unavailable,
    message: "GTK lays out by containers: set fixedSize of the view, and the alignment or the margins of `widget`"
)
@MainActor public final class NSLayoutConstraint {
    /// Whether the constraint applies.
    public var isActive = false
    /// The distance.
    public var constant: CGFloat = 0
    /// Lets constraints apply.
    public static func activate(_ constraints: [NSLayoutConstraint]) {}
    /// Ends constraints.
    public static func deactivate(_ constraints: [NSLayoutConstraint]) {}
}

/// Not available: views have no constraints.
@available(
    *, unavailable,
    message: "GTK lays out by containers: set fixedSize of the view, and the alignment or the margins of `widget`"
)
@MainActor public final class NSLayoutAnchor {
    /// A constraint between two places or lengths.
    public func constraint(equalTo anchor: NSLayoutAnchor, multiplier: CGFloat = 1, constant: CGFloat = 0)
        -> NSLayoutConstraint
    {
        NSLayoutConstraint()
    }
    /// A constraint of a length.
    public func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint { NSLayoutConstraint() }
    /// A constraint between two places or lengths.
    public func constraint(greaterThanOrEqualTo anchor: NSLayoutAnchor, multiplier: CGFloat = 1, constant: CGFloat = 0)
        -> NSLayoutConstraint
    {
        NSLayoutConstraint()
    }
    /// A constraint of a length.
    public func constraint(greaterThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
    /// A constraint between two places or lengths.
    public func constraint(lessThanOrEqualTo anchor: NSLayoutAnchor, multiplier: CGFloat = 1, constant: CGFloat = 0)
        -> NSLayoutConstraint
    {
        NSLayoutConstraint()
    }
    /// A constraint of a length.
    public func constraint(lessThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint { NSLayoutConstraint() }
}

extension WidgetView {
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "Set fixedSize of the view")
    public var widthAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "Set fixedSize of the view")
    public var heightAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var leadingAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var trailingAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var leftAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var rightAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var topAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var bottomAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var centerXAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var centerYAnchor: NSLayoutAnchor { NSLayoutAnchor() }
}
