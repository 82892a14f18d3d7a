public import WebImage

/// A picture; ``WebImageCore/Image``.
public typealias UIImage = Image
/// A colour in sRGB; ``WebImageCore/ImageColor``.
public typealias UIColor = ImageColor
/// A file format; ``WebImageCore/ImageFormat``.
public typealias SDImageFormat = ImageFormat
/// One frame of an animation; ``WebImageCore/ImageFrame``.
public typealias SDImageFrame = ImageFrame
/// A picture whose frames are decoded when they are needed; ``WebImageCore/AnimatedImage``.
public typealias SDAnimatedImage = AnimatedImage
/// Plays frames by the clock; ``WebImageCore/AnimatedImagePlayer``.
public typealias SDAnimatedImagePlayer = AnimatedImagePlayer
/// In which order frames are shown; ``WebImageCore/AnimatedImagePlaybackMode``.
public typealias SDAnimatedImagePlaybackMode = AnimatedImagePlaybackMode
