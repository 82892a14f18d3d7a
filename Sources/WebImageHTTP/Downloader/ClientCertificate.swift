/// A certificate by which this client shows who it is (TLS client authentication).
public struct ClientCertificate: Sendable, Hashable {
    /// PEM file of the certificate.
    public var certificateFile: String
    /// PEM file of its private key; nil when it is in the same file.
    public var keyFile: String?
    /// What opens the key.
    public var password: String?

    /// Names the files.
    public init(certificateFile: String, keyFile: String? = nil, password: String? = nil) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.password = password
    }
}
