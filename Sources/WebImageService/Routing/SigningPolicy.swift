/// Which signatures a service accepts.
struct SigningPolicy: Sendable, Hashable {
    /// Keys of imgproxy's grammar, any of which may match; none accepts unsigned targets.
    var signers: [URLSigner] = []
    /// Signatures that are accepted as they are.
    var trusted: Set<String> = []

    var isRequired: Bool { !signers.isEmpty }

    /// Checks the first segment of a target over the rest of its path.
    func check(_ signature: Substring, path: @autoclosure () -> String) throws(ServiceRefusal) {
        guard isRequired else {
            // Options in the place of the signature: the segment was forgotten, and the options would be lost.
            if signature.contains(":") {
                throw ServiceRefusal(403, .signature, "the first segment of the path is the signature, not an option")
            }
            return
        }
        if trusted.contains(where: { HMAC.isEqual(Array($0.utf8), Array(signature.utf8)) }) { return }
        let (text, path) = (String(signature), path())
        // Every key is tried, so that the time does not tell which one matched.
        let matches = signers.count { $0.isValid(text, of: path) }
        guard matches > 0 else { throw ServiceRefusal(403, .signature, "the signature is not valid") }
    }
}
