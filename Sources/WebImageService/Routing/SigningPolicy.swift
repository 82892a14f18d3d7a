import WebImageCore

/// Decides which signatures of imgproxy's grammar the service accepts.
struct SigningPolicy: Sendable, Hashable {
    /// The keys for signatures in imgproxy's grammar. A signature is accepted if it matches at least one key. Without
    /// keys, unsigned targets are accepted.
    var signers: [URLSigner] = []
    /// Texts that are accepted instead of a signature, without verification.
    var trusted: Set<String> = []

    var isRequired: Bool { !signers.isEmpty }

    /// Checks the signature of a target. The signature is the first segment of the path and signs the rest of the path.
    func check(_ signature: Substring, path: @autoclosure () -> String) throws(ServiceRefusal) {
        guard isRequired else {
            // Without keys, the first segment is not checked. If the first segment contains an option, the client has
            // omitted the signature. Refuse the target, because the option would otherwise be ignored silently.
            if signature.contains(":") {
                throw ServiceRefusal(403, .signature, "the first segment of the path is the signature, not an option")
            }
            return
        }
        if trusted.contains(where: { HMAC.isEqual(Array($0.utf8), Array(signature.utf8)) }) { return }
        let (text, path) = (String(signature), path())
        // Try every key, so that the response time does not reveal which key matched.
        let matches = signers.count { $0.isValid(text, of: path) }
        guard matches > 0 else { throw ServiceRefusal(403, .signature, "the signature is not valid") }
    }
}
