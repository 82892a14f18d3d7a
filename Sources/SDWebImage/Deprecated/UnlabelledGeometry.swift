public import Foundation

extension CGSize {
    /// Creates a size without argument labels, the form that SDWebImage's documentation uses.
    @available(*, deprecated, renamed: "init(width:height:)")
    public init(_ width: CGFloat, _ height: CGFloat) { self.init(width: width, height: height) }
}

extension CGRect {
    /// Creates a rectangle without argument labels, the form that SDWebImage's documentation uses.
    @available(*, deprecated, renamed: "init(x:y:width:height:)")
    public init(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) {
        self.init(x: x, y: y, width: width, height: height)
    }
}
