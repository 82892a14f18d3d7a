import Foundation

/// A small mounted file system for one test. The test can fill it or make it read-only. Mounting requires root and
/// mount(8).
public final class FailingFileSystem {
    private let scratch: ScratchFolder
    /// The path of the mount point.
    public let path: String

    /// Whether this machine allows a test to mount a file system.
    public static let isAvailable: Bool = geteuid() == 0 && (try? FailingFileSystem(bytes: 65_536)) != nil

    /// Mounts an empty file system.
    ///
    /// - Parameter bytes: The size in bytes, rounded up to pages.
    /// - Throws: ``FailingFileSystemError`` if it cannot be mounted.
    public init(bytes: Int) throws {
        scratch = try ScratchFolder()
        path = scratch.url.path
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(bytes)", "none", path)
    }

    deinit { try? Self.run("umount", "-l", path) }

    /// Makes the file system read-only. Throws if a file is open for writing.
    public func makeReadOnly() throws { try Self.run("mount", "-o", "remount,ro", path) }

    private static func run(_ command: String...) throws {
        guard try ChildProcess("/usr/bin/env", command).wait() == 0 else {
            throw FailingFileSystemError(description: command.joined(separator: " ") + " failed")
        }
    }
}

/// The error for a failed command of a ``FailingFileSystem``.
public struct FailingFileSystemError: Error, CustomStringConvertible {
    /// The command that failed.
    public let description: String
}
