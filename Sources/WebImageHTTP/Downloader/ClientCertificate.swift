/// A certificate that identifies this client to servers (TLS client authentication).
public struct ClientCertificate: Sendable, Hashable {
    /// PEM file of the certificate.
    public var certificateFile: String
    /// PEM file of its private key; nil when it is in the same file.
    public var keyFile: String?
    /// The password of the private key; nil when it has none.
    public var password: String?

    /// Makes a certificate from the paths of its files.
    public init(certificateFile: String, keyFile: String? = nil, password: String? = nil) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.password = password
    }
}
