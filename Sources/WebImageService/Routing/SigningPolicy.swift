/// Which signatures a service accepts.
struct SigningPolicy: Sendable, Hashable {
    /// Keys of imgproxy's grammar, any of which may match. Without keys, unsigned targets are accepted.
    var signers: [URLSigner] = []
    /// Signatures that are accepted without verification.
    var trusted: Set<String> = []

    var isRequired: Bool { !signers.isEmpty }

    /// Checks the signature, which is the first segment of a target, against the rest of its path.
    func check(_ signature: Substring, path: @autoclosure () -> String) throws(ServiceRefusal) {
        guard isRequired else {
            // Options in the place of the signature: the client forgot the signature segment, and the options would be lost.
            if signature.contains(":") {
                throw ServiceRefusal(403, .signature, "the first segment of the path is the signature, not an option")
            }
            return
        }
        if trusted.contains(where: { HMAC.isEqual(Array($0.utf8), Array(signature.utf8)) }) { return }
        let (text, path) = (String(signature), path())
        // Tries every key, so that the time does not reveal which one matched.
        let matches = signers.count { $0.isValid(text, of: path) }
        guard matches > 0 else { throw ServiceRefusal(403, .signature, "the signature is not valid") }
    }
}
