import Foundation

/// A file system of a test's own that is soon full, or read-only on demand; needs root and mount(8).
public final class FailingFileSystem {
    private let scratch: ScratchFolder
    /// Where it is mounted.
    public let path: String

    /// Whether one can be had here.
    public static let isAvailable: Bool = geteuid() == 0 && (try? FailingFileSystem(bytes: 65_536)) != nil

    /// Mounts an empty one.
    ///
    /// - Parameter bytes: What fits into it, rounded up to pages.
    /// - Throws: ``FailingFileSystemError`` when it cannot be mounted.
    public init(bytes: Int) throws {
        scratch = try ScratchFolder()
        path = scratch.url.path
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(bytes)", "none", path)
    }

    deinit { try? Self.run("umount", "-l", path) }

    /// Lets nothing be written from now on; what is open for writing makes this fail.
    public func makeReadOnly() throws { try Self.run("mount", "-o", "remount,ro", path) }

    private static func run(_ command: String...) throws {
        guard try ChildProcess("/usr/bin/env", command).wait() == 0 else {
            throw FailingFileSystemError(description: command.joined(separator: " ") + " failed")
        }
    }
}

/// Why a ``FailingFileSystem`` could not be had.
public struct FailingFileSystemError: Error, CustomStringConvertible {
    /// The command.
    public let description: String
}
