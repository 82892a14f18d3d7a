public import WebImage

/// An image; ``WebImageCore/Image``.
public typealias UIImage = Image
/// A colour in sRGB; ``WebImageCore/ImageColor``.
public typealias UIColor = ImageColor
/// A file format; ``WebImageCore/ImageFormat``.
public typealias SDImageFormat = ImageFormat
/// One frame of an animation; ``WebImageCore/ImageFrame``.
public typealias SDImageFrame = ImageFrame
/// An image whose frames are decoded when they are needed; ``WebImageCore/AnimatedImage``.
public typealias SDAnimatedImage = AnimatedImage
/// Shows the frames of an animation at their times; ``WebImageCore/AnimatedImagePlayer``.
public typealias SDAnimatedImagePlayer = AnimatedImagePlayer
/// The order in which frames are shown; ``WebImageCore/AnimatedImagePlaybackMode``.
public typealias SDAnimatedImagePlaybackMode = AnimatedImagePlaybackMode
