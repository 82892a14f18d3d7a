/// The version of this package. `Scripts/release` and the commands read it here; it is stored nowhere else.
package enum PackageVersion {
    package static let current = "0.1.0"
}
