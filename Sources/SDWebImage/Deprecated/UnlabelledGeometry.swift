public import Foundation

extension CGSize {
    /// A size, by the short form that documents use.
    @available(*, deprecated, renamed: "init(width:height:)")
    public init(_ width: CGFloat, _ height: CGFloat) { self.init(width: width, height: height) }
}

extension CGRect {
    /// A rectangle, by the short form that documents use.
    @available(*, deprecated, renamed: "init(x:y:width:height:)")
    public init(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) {
        self.init(x: x, y: y, width: width, height: height)
    }
}
