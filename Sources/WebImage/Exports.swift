@_exported public import WebImageCore
@_exported public import WebImageGraphics
@_exported public import WebImageHTTP
