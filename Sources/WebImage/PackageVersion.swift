/// The version of this package. `Scripts/release` and the commands read the version from this file, so it is stored
/// only once.
package enum PackageVersion {
    package static let current = "0.1.0"
}
