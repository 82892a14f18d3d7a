/// The version of this package: the only place that says it. `Scripts/release` and the commands read it here.
package enum PackageVersion {
    package static let current = "0.1.0"
}
