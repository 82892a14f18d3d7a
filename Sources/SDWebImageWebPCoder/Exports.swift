// The package decodes WebP without this module. The module exists for programs that import SDWebImage's plug-in by its
// name.
@_exported public import SDWebImage
