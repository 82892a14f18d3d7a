public import Foundation

extension CGSize {
    /// A size as documents write it in short.
    @available(*, deprecated, renamed: "init(width:height:)")
    public init(_ width: CGFloat, _ height: CGFloat) { self.init(width: width, height: height) }
}

extension CGRect {
    /// A rectangle as documents write it in short.
    @available(*, deprecated, renamed: "init(x:y:width:height:)")
    public init(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) {
        self.init(x: x, y: y, width: width, height: height)
    }
}
