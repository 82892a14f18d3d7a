// WebP is built in. This module exists for programs that import the plug-in by its name.
@_exported public import SDWebImage
