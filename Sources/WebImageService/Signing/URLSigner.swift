public import Foundation
import WebImageCore

/// Makes and checks signatures in imgproxy's grammar. A signature is the HMAC-SHA-256 of a salt and the path, in
/// base64url.
public struct URLSigner: Sendable, Hashable {
    private let key: [UInt8]
    private let salt: [UInt8]
    private let byteCount: Int

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: The secret.
    ///   - salt: The bytes that precede the path in the hashed message.
    ///   - byteCount: The number of bytes of the hash in a signature; clamped to 1...32.
    public init(key: Data, salt: Data, byteCount: Int = 32) {
        self.key = [UInt8](key)
        self.salt = [UInt8](salt)
        self.byteCount = min(max(byteCount, 1), 32)
    }

    /// Creates a signer from a hexadecimal key and a hexadecimal salt; nil if the key or the salt is empty or not
    /// hexadecimal.
    public init?(hexKey: String, hexSalt: String, byteCount: Int = 32) {
        guard let key = Self.bytes(hexKey), let salt = Self.bytes(hexSalt) else { return nil }
        self.init(key: Data(key), salt: Data(salt), byteCount: byteCount)
    }

    /// The signature of a path. The path begins with the `/` before the options.
    public func signature(of path: String) -> String { Base64URL.encode(hash(path)) }

    /// The target for a path: the signature followed by the path.
    public func target(for path: String) -> String { "/" + signature(of: path) + path }

    /// Whether a signature is valid for a path. The comparison takes constant time.
    public func isValid(_ signature: String, of path: String) -> Bool {
        guard let given = Base64URL.decode(signature) else { return false }
        return HMAC.isEqual(given, hash(path))
    }

    private func hash(_ path: String) -> [UInt8] {
        Array(HMAC.sha256(key: key, message: salt + Array(path.utf8)).prefix(byteCount))
    }

    /// The bytes of hexadecimal digits; nil if there are none, or if the text is not hexadecimal.
    static func bytes(_ hex: String) -> [UInt8]? {
        let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard !digits.isEmpty, digits.count == hex.utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { (place: Int) -> UInt8 in
            UInt8(digits[place] * 16 + digits[place + 1])
        }
    }
}

extension URLSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type. Signers can appear in logs and dumps, so this text must not contain the key.
    public var description: String { "URLSigner" }
    /// The same text as ``description``.
    public var debugDescription: String { description }
    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Makes and checks signatures in thumbor's grammar. A signature is the HMAC-SHA-1 of the path without its leading
/// slash, in base64url with padding.
public struct ThumborSigner: Sendable, Hashable {
    private let key: [UInt8]

    /// Creates a signer; nil for an empty key.
    public init?(key: String) {
        guard !key.isEmpty else { return nil }
        self.key = Array(key.utf8)
    }

    /// The signature of a path such as `300x200/smart/example.com/a.jpg`.
    public func signature(of path: String) -> String {
        Base64URL.encode(HMAC.sha1(key: key, message: Array(path.utf8)), isPadded: true)
    }

    /// The target for a path: the signature followed by the path.
    public func target(for path: String) -> String { "/" + signature(of: path) + "/" + path }

    /// Whether a signature is valid for a path. The comparison takes constant time.
    public func isValid(_ signature: String, of path: String) -> Bool {
        guard let given = Base64URL.decode(signature) else { return false }
        return HMAC.isEqual(given, HMAC.sha1(key: key, message: Array(path.utf8)))
    }
}

extension ThumborSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type. Signers can appear in logs and dumps, so this text must not contain the key.
    public var description: String { "ThumborSigner" }
    /// The same text as ``description``.
    public var debugDescription: String { description }
    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
