public import Foundation

/// The pictures named on a command line.
public struct PictureList: Sendable {
    public let urls: [URL]

    /// A word with a scheme is a URL; any other word is a file path.
    public init(arguments: [String]) {
        urls = arguments.compactMap { name in
            name.contains("://") ? URL(string: name) : URL(fileURLWithPath: name)
        }
    }
}
