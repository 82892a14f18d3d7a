extension ImageFormat {
    /// The media type for `Content-Type`. For most formats it is the type registered with IANA. For ICO and camera raw
    /// files it is an unregistered type that is in common use. For an unknown format it is `application/octet-stream`.
    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .apng: "image/apng"
        case .gif: "image/gif"
        case .tiff: "image/tiff"
        case .webP: "image/webp"
        case .heic: "image/heic"
        case .heif: "image/heif"
        case .pdf: "application/pdf"
        case .svg: "image/svg+xml"
        case .bmp: "image/bmp"
        case .raw: "image/x-dcraw"
        case .avif: "image/avif"
        case .jpegXL: "image/jxl"
        case .ico: "image/x-icon"
        default: "application/octet-stream"
        }
    }
}
