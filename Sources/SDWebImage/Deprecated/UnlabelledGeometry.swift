public import Foundation

extension CGSize {
    /// Creates a size. The initialiser has no argument labels, because SDWebImage's documentation uses this form.
    @available(*, deprecated, renamed: "init(width:height:)")
    public init(_ width: CGFloat, _ height: CGFloat) { self.init(width: width, height: height) }
}

extension CGRect {
    /// Creates a rectangle. The initialiser has no argument labels, because SDWebImage's documentation uses this form.
    @available(*, deprecated, renamed: "init(x:y:width:height:)")
    public init(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) {
        self.init(x: x, y: y, width: width, height: height)
    }
}
