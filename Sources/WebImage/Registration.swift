import WebImageCodecs
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageStore
import WebImageViews

/// Stores the closures that create the default caches, coders and loaders. The constructor in `CWebImageRoot` calls
/// this function before `main`, so the function must not open files or libraries.
@_cdecl("webimage_register_defaults")
func registerDefaults() {
    var defaults = WebImageDefaults()
    defaults.makeCoders = {
        [
            ImageICOCoder.shared, ImageBMPCoder.shared, ImageWebPCoder.shared, ImageGIFCoder.shared,
            ImagePNGCoder.shared, ImageJPEGCoder.shared,
        ]
    }
    defaults.makeLoader = {
        ImageLoadersManager(loaders: [DataURLImageLoader(), FileImageLoader(), WebImageDownloader.shared])
    }
    defaults.makeDiskCache = { path, config in DiskCache(cachePath: path, config: config) }
    defaults.redrawPixels = { pixels, size, isOpaque throws(WebImageError) in
        try PixelRedrawing.redraw(pixels, size: size, isOpaque: isOpaque)
    }
    WebImageDefaults.register(defaults)
    ImageViewBinding.defaultLoader = { WebImageManager.shared }
}
