import Dispatch
package import Foundation
import WebImageCore
import WebImageTesting

/// Replaces the certificate authorities of the system, as one thread and the threads that it starts see them.
///
/// The thread receives a view of the file system of its own (a mount namespace, mount_namespaces(7)), in which a folder
/// with one certificate lies over ``folder``. Other threads and processes see nothing of it. It needs the rights of root.
package enum SystemAuthorities {
    /// Where the libraries of Debian look for authorities.
    private static let folder = "/etc/ssl/certs"

    // Glibc's module does not declare these functions and constants.
    private typealias Unshare = @convention(c) (Int32) -> Int32
    private typealias Mount =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafePointer<CChar>, UnsafePointer<CChar>?, UInt, UnsafeRawPointer?
        ) -> Int32
    private static let (newMounts, bind, recursive, isPrivate) = (
        Int32(0x20000), UInt(4096), UInt(16384), UInt(1 << 18)
    )

    /// Why authorities cannot be replaced here; nil if they can.
    package static let refusal: String? = {
        guard FileManager.default.fileExists(atPath: folder), NginxServer.tool("openssl") != nil else {
            return "there is no \(folder), or openssl is not installed"
        }
        return onThread { cover(folder, with: "/tmp") } ? nil : "a mount namespace needs the rights of root"
    }()

    /// Runs `body` on a new thread for which a certificate, in PEM, is the only authority of the system. Blocks until it
    /// returns. A thread that it starts keeps this view, as long as the folder of the certificate exists.
    package static func replaced<Value: Sendable>(
        by certificate: URL, _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        let own = certificate.deletingLastPathComponent()
            .appendingPathComponent("authorities-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        for name in ["ca-certificates.crt", "authority.pem"] {
            try FileManager.default.copyItem(at: certificate, to: own.appendingPathComponent(name))
        }
        guard let openssl = NginxServer.tool("openssl"), try ChildProcess(openssl, ["rehash", own.path]).wait() == 0
        else {
            throw NginxError("openssl could not make the names of the certificates")
        }
        let result = onThread { () -> Result<Value, any Error> in
            guard cover(folder, with: own.path) else { return .failure(NginxError("\(folder) could not be covered")) }
            return Result { try body() }
        }
        return try result.get()
    }

    /// Makes the certificate of an authority beside another one, and returns its file. Its name differs: libcurl's TLS library
    /// looks for an authority by its name, and does not look further when it has found one.
    package static func makeOther(beside certificate: URL) throws -> URL {
        let file = certificate.deletingLastPathComponent().appendingPathComponent("other.pem")
        guard let openssl = NginxServer.tool("openssl"),
            try ChildProcess(
                openssl,
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=other", "-keyout", file.path + ".key", "-out", file.path,
                ]
            ).wait() == 0
        else { throw NginxError("openssl could not make a certificate") }
        return file
    }

    /// Lays a folder over another one, for the calling thread.
    private static func cover(_ folder: String, with other: String) -> Bool {
        guard let unshare = dlsym(nil, "unshare"), let mount = dlsym(nil, "mount") else { return false }
        let mountNow = unsafeBitCast(mount, to: Mount.self)
        // Without private mounts, all other processes would receive this one.
        return unsafeBitCast(unshare, to: Unshare.self)(newMounts) == 0
            && mountNow(nil, "/", nil, recursive | isPrivate, nil) == 0
            && mountNow(other, folder, nil, bind, nil) == 0
    }

    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
        let value = Locked<Value?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Thread {
            let made = body()
            value.withLock { $0 = made }
            ended.signal()
        }.start()
        ended.wait()
        guard let value = value.withLock({ $0 }) else { preconditionFailure("the thread has set it") }
        return value
    }
}
