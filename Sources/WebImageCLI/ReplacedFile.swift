import Foundation
import WebImage
import WebImageCore

/// A file whose content is replaced, while its place, permissions, owner, times and extended attributes stay.
struct ReplacedFile: Sendable {
    /// The path of the file itself: every symbolic link on the way is followed.
    let path: String
    private let status: stat

    /// The number of hard links. Only one of them could be replaced.
    var linkCount: Int { Int(status.st_nlink) }

    /// Finds the file.
    ///
    /// - Throws: `.fileSystem` if it is missing, no regular file, or not writable.
    init(_ name: String) throws(WebImageError) {
        guard let resolved = realpath(RawText.cString(name), nil) else { throw Self.failure(name, .download) }
        defer { free(resolved) }
        path = RawText.string(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
        var status = stat()
        guard stat(resolved, &status) == 0 else { throw Self.failure(name, .download) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Self.failure(name, .download, number: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        guard access(resolved, W_OK) == 0 else { throw Self.failure(name, .store) }
        self.status = status
    }

    /// Reads the file.
    func data(limits: DecodingLimits) async throws(WebImageError) -> Data {
        try await InputSource.data(path.hasPrefix("/") ? path : "./" + path, limits: limits, requests: RequestFlags())
    }

    /// Replaces the content. Leaves the file alone if it has changed since it was found, or if something about it cannot be
    /// kept.
    func replace(with data: Data) throws(WebImageError) {
        try OutputFile.replace(path, with: data) { descriptor throws(WebImageError) in
            guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else { throw Self.failure(path, .store) }
            if fchown(descriptor, status.st_uid, status.st_gid) != 0 {
                var own = stat()
                guard fstat(descriptor, &own) == 0, own.st_uid == status.st_uid, own.st_gid == status.st_gid else {
                    throw Self.failure(
                        path, .store, number: EPERM, hint: "Its owner cannot be kept; run this as its owner.")
                }
            }
            // Changing the owner clears some bits.
            guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else { throw Self.failure(path, .store) }
            try ExtendedAttributes.copy(from: path, to: descriptor)
            guard futimens(descriptor, [status.st_atim, status.st_mtim]) == 0, fsync(descriptor) == 0 else {
                throw Self.failure(path, .store)
            }
            guard isUnchanged else {
                throw Self.failure(path, .store, number: ESTALE, hint: "Another program changes it; run this again.")
            }
        }
    }

    /// Whether the path still names the file that was found, with the same content.
    private var isUnchanged: Bool {
        var now = stat()
        return stat(RawText.cString(path), &now) == 0 && now.st_ino == status.st_ino && now.st_dev == status.st_dev
            && now.st_size == status.st_size && now.st_mtim.tv_sec == status.st_mtim.tv_sec
            && now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
    }

    private static func failure(
        _ path: String, _ stage: WebImageError.Stage, number: Int32 = errno, hint: String = "Check the path."
    ) -> WebImageError {
        .posix(number, stage: stage, url: URL(fileURLWithPath: path), hint: hint)
    }
}

/// The extended attributes of a file, which also hold its access control list (xattr(7)).
///
/// Swift's module of the C library does not declare these functions, so that they are looked up by name.
enum ExtendedAttributes {
    private typealias List = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, Int) -> Int
    private typealias Get =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
    private typealias Set = @convention(c) (Int32, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32
    private typealias SetByPath =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        // The type is that of the function's declaration in <sys/xattr.h>.
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }

    /// Copies the attributes of a file. Those that only the system may set are left out if it refuses them.
    static func copy(from path: String, to descriptor: Int32) throws(WebImageError) {
        let name = RawText.cString(path)
        guard let list = function("listxattr", as: List.self), let set = function("fsetxattr", as: Set.self) else {
            return
        }
        let length = list(name, nil, 0)
        guard length > 0 else { return }
        var names = [CChar](repeating: 0, count: length)
        let filled = list(name, &names, length)
        guard filled > 0 else { return }
        for attribute in names.prefix(filled).split(separator: 0) {
            let key = Array(attribute) + [0]
            guard let value = bytes(of: key, at: name) else { continue }
            let text = String(decoding: attribute.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard set(descriptor, key, value, value.count, 0) != 0 else { continue }
            guard text.hasPrefix("security.") || text.hasPrefix("trusted.") else {
                throw .posix(
                    errno, stage: .store, url: URL(fileURLWithPath: path),
                    hint: "Its extended attribute \(text) cannot be kept.")
            }
        }
    }

    /// Returns the value of an attribute. Nil if the file has none, or if its file system knows none.
    static func value(_ attribute: String, of path: String) -> String? {
        bytes(of: RawText.cString(attribute), at: RawText.cString(path)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Sets an attribute, if the file system knows attributes.
    static func set(_ attribute: String, to value: String, of path: String) {
        guard let set = function("setxattr", as: SetByPath.self) else { return }
        let bytes = Array(value.utf8)
        _ = set(RawText.cString(path), RawText.cString(attribute), bytes, bytes.count, 0)
    }

    private static func bytes(of attribute: [CChar], at path: [CChar]) -> [UInt8]? {
        guard let get = function("getxattr", as: Get.self) else { return nil }
        var value = [UInt8](repeating: 0, count: 1 << 16)
        let count = get(path, attribute, &value, value.count)
        return count < 0 ? nil : Array(value.prefix(count))
    }
}
