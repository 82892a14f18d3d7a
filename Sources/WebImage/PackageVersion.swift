/// The version of this package. This is the only place that stores it: `Scripts/release` and the commands read it here.
package enum PackageVersion {
    package static let current = "0.1.0"
}
