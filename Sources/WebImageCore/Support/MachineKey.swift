import Foundation

/// Hashes text with a key of this machine and user, so that the hash neither reveals the text nor can be guessed by the
/// author of a URL. All processes of one user on one machine make equal hashes.
package enum MachineKey {
    private static let key =
        ((try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? "") + "/\(getuid())"

    /// Returns the hash of a list of texts.
    package static func hash(_ parts: [String]) -> String { SHA256.shortName(of: ([key] + parts).joinedWithLengths()) }
}
