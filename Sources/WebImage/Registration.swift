import WebImageCore

/// Called by the constructor in `CWebImageRoot` before `main`: stores closures, opens nothing.
@_cdecl("webimage_register_defaults")
func registerDefaults() {
    let defaults = WebImageDefaults()
    WebImageDefaults.register(defaults)
}
