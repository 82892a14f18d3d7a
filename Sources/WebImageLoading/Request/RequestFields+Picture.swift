public import Foundation
public import WebImageCore

extension RequestFields {
    /// The values that say which picture a load makes, and how it is decoded and encoded.
    package struct Picture: Equatable {
        package var size: CGSize?
        package var preservesAspectRatio: Bool?
        package var scale: Double?
        package var scaleDownLimitBytes: Int?
        package var keepsHighDynamicRange: Bool?
        @Compared package var animatedImageClass: (any AnimatedImageProtocol.Type)?
        package var transformerChoice: TransformerChoice?
        package var typeHint: ImageRequest.TypeHint?
        @Compared package var coder: (any ImageCoder)?
        @Compared package var decodeOptions: ImageCoderOptions?
        @Compared package var encodeOptions: ImageCoderOptions?
        package var limits: DecodingLimits?

        /// The context keys of these values.
        static let keys: [WebImageContextOption: RequestField] = [
            .imageThumbnailPixelSize: .value(\.picture.size),
            .imagePreserveAspectRatio: .value(\.picture.preservesAspectRatio),
            .imageScaleFactor: .converted(\.picture.scale) { $0.readNumber($1) },
            .imageScaleDownLimitBytes: .converted(\.picture.scaleDownLimitBytes) { $0.readByteCount($1) },
            .imageDecodeToHDR: .converted(\.picture.keepsHighDynamicRange, to: { $0 ? 1 : 0 }) {
                $0.readNumber($1).map { $0 != 0 }
            },
            .animatedImageClass: .value(\.picture._animatedImageClass.wrappedValue),
            .imageTransformer: .converted(\.picture.transformerChoice, to: { $0.contextValue }) { context, key in
                if context[key] is NSNull { return RequestFields.TransformerChoice.none }
                return context.read(key, as: (any ImageTransformer).self).map { .transformer($0) }
            },
            .imageTypeIdentifierHint: .converted(\.picture.typeHint, to: { $0.contextValue }) { context, key in
                if context[key] is NSNull { return .refused }
                return context.read(key, as: String.self).map { .identifier($0) }
            },
            .imageCoder: .value(\.picture._coder.wrappedValue),
            .imageDecodeOptions: .value(\.picture._decodeOptions.wrappedValue),
            .imageEncodeOptions: .value(\.picture._encodeOptions.wrappedValue),
            .decodingLimits: .value(\.picture.limits),
        ]
    }
}

extension WebImageContextOption {
    /// `CGSize` in pixels: the box into which the image is decoded as a thumbnail. The box is part of the cache key.
    public static let imageThumbnailPixelSize = WebImageContextOption(rawValue: "imageThumbnailPixelSize")
    /// `Bool`: whether a thumbnail has the aspect ratio of the original. If false, the thumbnail is stretched to its
    /// box. The default is true.
    public static let imagePreserveAspectRatio = WebImageContextOption(rawValue: "imagePreserveAspectRatio")
    /// Number, at least 1: the scale of the image in pixels per point. By default, `@2x` or `@3x` in the cache key
    /// determines the scale.
    public static let imageScaleFactor = WebImageContextOption(rawValue: "imageScaleFactor")
    /// Number: the maximum size of the decoded image in bytes. This limit is not part of the cache key.
    public static let imageScaleDownLimitBytes = WebImageContextOption(rawValue: "imageScaleDownLimitBytes")
    /// Number: whether decoding preserves more than 8 bits per channel (high dynamic range). 0 means no; every other
    /// value means yes.
    public static let imageDecodeToHDR = WebImageContextOption(rawValue: "imageDecodeToHDR")
    /// A class that conforms to ``AnimatedImageProtocol``: the decode stage first tries to create an instance of this
    /// class.
    public static let animatedImageClass = WebImageContextOption(rawValue: "animatedImageClass")
    /// ``ImageTransformer`` or `NSNull`: replaces the manager's transformer. `NSNull` means no transformer.
    public static let imageTransformer = WebImageContextOption(rawValue: "imageTransformer")
    /// `String` or `NSNull`: the uniform type identifier that custom coders receive as a hint. `NSNull` means no hint.
    public static let imageTypeIdentifierHint = WebImageContextOption(rawValue: "imageTypeIdentifierHint")
    /// ``ImageCoder``: the coder that decodes and encodes the image. The library does not check whether this coder
    /// supports the format.
    public static let imageCoder = WebImageContextOption(rawValue: "imageCoder")
    /// ``ImageCoderOptions``: decode options for the coder. The other context keys override these options.
    public static let imageDecodeOptions = WebImageContextOption(rawValue: "imageDecodeOptions")
    /// ``ImageCoderOptions``: encode options for images that the cache encodes.
    public static let imageEncodeOptions = WebImageContextOption(rawValue: "imageEncodeOptions")
    /// ``DecodingLimits``: replaces ``DecodingLimits/default``.
    public static let decodingLimits = WebImageContextOption(rawValue: "decodingLimits")
}

extension RequestFields {
    /// Which transformer a request names.
    package enum TransformerChoice: Equatable, Sendable {
        /// The image is not transformed, even if the manager has a transformer.
        case none
        case transformer(any ImageTransformer)

        /// Transformers of one type are equal if their keys are equal, as for cache entries.
        package static func == (left: Self, right: Self) -> Bool {
            switch (left, right) {
            case (.none, .none): true
            case (.transformer(let left), .transformer(let right)):
                type(of: left) == type(of: right) && left.transformerKey == right.transformerKey
            default: false
            }
        }
    }
}

extension RequestFields.TransformerChoice {
    fileprivate var contextValue: Any {
        switch self {
        case .none: NSNull()
        case .transformer(let transformer): transformer
        }
    }
}

extension ImageRequest.TypeHint {
    fileprivate var contextValue: Any {
        switch self {
        case .refused: NSNull()
        case .identifier(let identifier): identifier
        }
    }
}

extension ImageRequest {
    /// The box, in pixels, into which the image is decoded. The size is part of the cache key. Nil, the default, means
    /// full size.
    public var size: CGSize? {
        get { values.size }
        set { values.size = newValue }
    }

    /// Whether the image keeps its aspect ratio when it is decoded into the box ``size``. If false, the image is
    /// stretched to the box. Default true.
    public var preservesAspectRatio: Bool? {
        get { values.preservesAspectRatio }
        set { values.preservesAspectRatio = newValue }
    }

    /// Pixels per point, at least 1. Nil, the default, derives the scale from `@2x` or `@3x` in the cache key.
    public var scale: Double? {
        get { values.scale }
        set { values.scale = newValue }
    }

    /// The maximum size of the decoded image, in bytes. A larger image is scaled down. The limit is not part of the
    /// cache key. Nil, the default, means no limit, unless ``options`` contains `.scaleDownLargeImages`.
    public var scaleDownLimitBytes: Int? {
        get { values.scaleDownLimitBytes }
        set { values.scaleDownLimitBytes = newValue }
    }

    /// Whether an image with more than 8 bits per channel keeps this depth when it is decoded. Default false.
    public var keepsHighDynamicRange: Bool? {
        get { values.keepsHighDynamicRange }
        set { values.keepsHighDynamicRange = newValue }
    }

    /// The class for animated images. The decode tries this class before the registered coders.
    public var animatedImageClass: (any AnimatedImageProtocol.Type)? {
        get { values.animatedImageClass }
        set { values.animatedImageClass = newValue }
    }

    /// The transformers to apply after the decode, in this order. They are part of the cache key. Nil, the default,
    /// uses the manager's transformer. An empty list uses no transformer.
    public var transformers: [any ImageTransformer]? {
        get {
            switch values.transformerChoice {
            case nil: nil
            case .some(.none): []
            case .some(.transformer(let transformer)):
                (transformer as? ImagePipelineTransformer)?.transformers ?? [transformer]
            }
        }
        set {
            guard let newValue else { return values.transformerChoice = nil }
            values.transformerChoice =
                switch newValue.count {
                case 0: .some(.none)
                case 1: .transformer(newValue[0])
                default: .transformer(ImagePipelineTransformer(transformers: newValue))
                }
        }
    }

    /// A hint to the decoder about the type of the content.
    public enum TypeHint: Sendable, Hashable {
        /// The decoder receives no hint. The file extension of the URL is not used as a hint either.
        case refused
        /// A uniform type identifier, for custom coders.
        case identifier(String)
    }

    /// The type hint for the decoder. Nil, the default, uses the URL's file extension.
    public var typeHint: TypeHint? {
        get { values.typeHint }
        set { values.typeHint = newValue }
    }

    /// The coder that decodes the image. The load does not check whether this coder supports the format. Nil, the
    /// default, uses the registered coders.
    public var coder: (any ImageCoder)? {
        get { values.coder }
        set { values.coder = newValue }
    }

    /// Additional options for the coder that decodes the image.
    public var decodeOptions: ImageCoderOptions? {
        get { values.decodeOptions }
        set { values.decodeOptions = newValue }
    }

    /// Options for the coder that encodes the image for a cache.
    public var encodeOptions: ImageCoderOptions? {
        get { values.encodeOptions }
        set { values.encodeOptions = newValue }
    }

    /// The decoding limits. Default ``DecodingLimits/default``.
    public var limits: DecodingLimits? {
        get { values.limits }
        set { values.limits = newValue }
    }
}
