// WebP is built in: this module is here for programs that import the plug-in by its name.
@_exported public import SDWebImage
