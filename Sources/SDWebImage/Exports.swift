@_exported public import WebImage
@_exported public import WebImageCodecs
@_exported public import WebImageCore
@_exported public import WebImageGraphics
@_exported public import WebImageHTTP
@_exported public import WebImageLoading
@_exported public import WebImageStore
@_exported public import WebImageViews
