package import Foundation

/// Calls of the operating system.
package enum SystemCall {
    /// Repeats a call that ended because a signal arrived (`EINTR`). Returns the result of the last call. If the result is
    /// negative, `errno` contains the error.
    package static func retrying<Count: SignedInteger>(_ call: () -> Count) -> Count {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Repeats a call that reads or writes a part of `count` bytes, until all bytes are done.
    ///
    /// - Parameter call: Reads or writes a part. Receives the number of bytes that are done and the number of bytes that
    ///   remain. Returns the number of bytes of the part.
    /// - Returns: 0 when all bytes are done, otherwise the number of the error; `EIO` if a part was empty.
    package static func transfer(_ count: Int, _ call: (_ done: Int, _ rest: Int) -> Int) -> Int32 {
        var done = 0
        while done < count {
            let part = retrying { call(done, count - done) }
            guard part > 0 else { return part == 0 ? EIO : errno }
            done += part
        }
        return 0
    }
}

extension sockaddr_un {
    /// The address of a Unix socket. A path that is too long is cut; the caller checks the length.
    package init(path: some Collection<UInt8>) {
        self.init()
        sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: path.prefix($0.count - 1)) }
    }

    /// Calls `body` with the address in its general form and its length.
    package func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: self) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
