import WebImageCore

/// A decoded image, as input and output of the transform and store stages.
struct DecodedImage: Sendable {
    var image: Image
    /// The decoded image before any transformer changes it.
    var source: Image
    var original: EncodedResource
}
