/// The refusal of a request: a status, a reason for metrics and a message for the client.
struct ServiceRefusal: Error, Sendable, Hashable {
    /// The label under which refusals are counted.
    enum Reason: String, Sendable, CaseIterable {
        case method, target, option, signature, source, expired, limit, notPicture, format
        case upstreamStatus, upstream, upstreamTimeout, timeout, queue, client, draining, gone, unauthorized, notFound
        case range, precondition, internalError
        /// A head or a connection that the transport refuses.
        case head
    }

    var status: Int
    var reason: Reason
    /// One sentence for the client and the log. It contains no secret and no local path.
    var message: String
    /// The name of the option that caused the refusal, as written in the target; nil for other refusals.
    var option: String?
    /// The time in seconds after which a retry may succeed; nil if this time is not known.
    var retryAfter: Int?
    /// The methods that the resource supports, for status 405; nil for the methods of a picture.
    var allow: String?
    /// Whether a retry can succeed at once, so that the failure is neither remembered nor cached.
    var isFleeting = false
    /// The time in seconds for which caches may use the refusal again, if the source's server has said so or if the refusal
    /// is remembered; nil for the time of the settings.
    var lifetime: Int?
    /// Whether the source's server has refused the request for the picture. A stale result must not stand for it.
    var isDenial = false
    /// Whether the source's server has sent a text or nothing in the place of a picture, as it does during its maintenance. A
    /// stale result may stand for it.
    var isSubstitute = false
    /// Whether this refusal was remembered from an earlier request.
    var isFromMemory = false

    init(
        _ status: Int, _ reason: Reason, _ message: String, option: String? = nil, retryAfter: Int? = nil
    ) {
        self.status = status
        self.reason = reason
        self.message = message
        self.option = option
        self.retryAfter = retryAfter
    }

    /// A refusal with status 405 that names the supported methods.
    static func method(allowed: String) -> ServiceRefusal {
        var refusal = ServiceRefusal(405, .method, "the method is not one of \(allowed)")
        refusal.allow = allowed
        return refusal
    }

    /// A refusal with status 400 because of an option. The message contains the first 64 characters of the option's
    /// name.
    static func option(_ name: some StringProtocol, _ problem: String) -> ServiceRefusal {
        let name = String(name.prefix(64))
        return ServiceRefusal(400, .option, "option \(Printable(name)): \(problem)", option: name)
    }

    /// A refusal because the source's server redirects to a host that the configuration does not allow.
    static var redirect: ServiceRefusal {
        ServiceRefusal(403, .source, "the source redirects to a host that is not allowed")
    }

    /// A refusal with status 400 for a target that matches no grammar.
    static func target(_ problem: String) -> ServiceRefusal { ServiceRefusal(400, .target, problem) }
}

/// Converts text that a client sent to a form that is safe in messages. The form is one line in quotes. It contains at
/// most the first 200 characters of the text. Control characters, format characters and single quotes are replaced by
/// U+FFFD.
struct Printable: CustomStringConvertible {
    let description: String

    init(_ text: some StringProtocol) {
        let short = text.prefix(200)
        let scalars = short.unicodeScalars.map { scalar -> UnicodeScalar in
            // Format characters can reverse the direction of the following text on a terminal.
            let isHidden = [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory)
            return isHidden || scalar == "'" ? "\u{FFFD}" : scalar
        }
        description = "'" + String(String.UnicodeScalarView(scalars)) + (short.endIndex < text.endIndex ? "…'" : "'")
    }
}
