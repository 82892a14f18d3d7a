package import Foundation

/// A coder that decodes the gain map of a file without the base picture.
package protocol GainMapReading: ImageCoder {
    /// Decodes the part of the map that belongs to a result of `options`, in proportion to the result and upright with it.
    ///
    /// - Returns: Nil if the file has no gain map that can be used, or if a decode does not use it, as for a transparent base.
    func gainMap(of data: Data, options: DecodingOptions) throws(WebImageError) -> GainMap?
}
