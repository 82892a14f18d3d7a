public import WebImage

/// An image. SDWebImage's name for ``WebImageCore/Image``.
public typealias UIImage = Image
/// A colour in sRGB. SDWebImage's name for ``WebImageCore/ImageColor``.
public typealias UIColor = ImageColor
/// A file format. SDWebImage's name for ``WebImageCore/ImageFormat``.
public typealias SDImageFormat = ImageFormat
/// One frame of an animation. SDWebImage's name for ``WebImageCore/ImageFrame``.
public typealias SDImageFrame = ImageFrame
/// An image whose frames are decoded when they are needed. SDWebImage's name for ``WebImageCore/AnimatedImage``.
public typealias SDAnimatedImage = AnimatedImage
/// Shows the frames of an animation at their times. SDWebImage's name for ``WebImageCore/AnimatedImagePlayer``.
public typealias SDAnimatedImagePlayer = AnimatedImagePlayer
/// The order in which frames are shown. SDWebImage's name for ``WebImageCore/AnimatedImagePlaybackMode``.
public typealias SDAnimatedImagePlaybackMode = AnimatedImagePlaybackMode
