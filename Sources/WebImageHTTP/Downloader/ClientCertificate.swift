/// A certificate that identifies this client to servers (TLS client authentication).
public struct ClientCertificate: Sendable, Hashable {
    /// The path of the PEM file with the certificate.
    public var certificateFile: String
    /// The path of the PEM file with the certificate's private key; nil if the key is in ``certificateFile``.
    public var keyFile: String?
    /// The password of the private key; nil when the key has no password.
    public var password: String?

    /// Makes a certificate from the paths of its files.
    public init(certificateFile: String, keyFile: String? = nil, password: String? = nil) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.password = password
    }
}
