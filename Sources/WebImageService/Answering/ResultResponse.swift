import Foundation
import WebImageCore

/// Makes the answer that sends a result to the client.
struct ResultResponse {
    var request: ServiceRequest
    let settings: ServiceSettings
    /// The current time in seconds since 1970.
    let now: TimeInterval
    /// The time after which the answer must not be used, in seconds since 1970 (option `expires`). Nil if the target
    /// has no such option.
    var expires: Int?
    /// The maximum remaining lifetime of the answer in seconds. Set only if the answer has a substitute format. An
    /// answer has a substitute format while the result in the preferred format is still being made.
    var maxAge: Int?
    /// The names of the request fields that the answer depends on.
    var vary: [String] = []
    var filename: String?
    var isAttachment = false

    /// The parts of an answer that are the same for every request with the same target and entry.
    struct Fixed: Sendable {
        var headers: ServiceHeaders
        var format: ImageFormat?
        var size: PixelSize?
    }

    /// - Parameter fixed: The value of ``fixed(_:)`` for the entry; nil if this value is not known.
    func response(_ entry: ResultEntry, _ logEntry: ServiceLogEntry, fixed: Fixed? = nil) -> ServiceResponse {
        let (body, start) = (entry.body, entry.body.startIndex)
        return response(entry.head, count: body.count, logEntry: logEntry, fixed: fixed) { range in
            .bytes(range.map { body[(start + $0.lowerBound)..<(start + $0.upperBound)] } ?? body)
        }
    }

    /// - Parameters:
    ///   - count: The number of bytes of the result; nil if it is not known. Ranges are then ignored.
    ///   - body: Makes the body of the answer from the wanted part of the result; nil for the whole result. Not called for
    ///     an answer without a body.
    func response(
        _ head: ResultEntry.Head, count: Int?, logEntry: ServiceLogEntry, fixed: Fixed? = nil,
        body: (Range<Int>?) -> ServiceResponse.Body
    ) -> ServiceResponse {
        let fixed = fixed ?? self.fixed(head)
        var response = ServiceResponse(status: 200, headers: fixed.headers, logEntry: logEntry)
        response.logEntry.format = fixed.format
        response.logEntry.size = fixed.size
        addLifetime(head, to: &response)
        guard ConditionalRequest.holds(request.headers, etag: head.etag) else {
            return refused(response, status: 412, .precondition)
        }
        if EntityTag.matches(request.headers["If-None-Match"], head.etag) {
            response.status = 304
            response.headers["Content-Type"] = nil
            response.headers["Content-Disposition"] = nil
            response.logEntry.outcome = .notModified
            return response
        }
        // Only GET has ranges (RFC 9110 §14.2).
        let range: ConditionalRequest.RangeAnswer =
            if let count, request.method != "HEAD" {
                ConditionalRequest.range(request.headers, etag: head.etag, count: count)
            } else {
                .whole
            }
        switch range {
        case .whole: response.body = body(nil)
        case .part(let range):
            response.status = 206
            response.headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count ?? 0)"
            response.body = body(range)
        case .notSatisfiable:
            response = refused(response, status: 416, .range)
            response.headers["Content-Range"] = "bytes */\(count ?? 0)"
        }
        return response
    }

    /// The answer without the picture. Caches must not keep it with the picture's lifetime.
    private func refused(
        _ response: ServiceResponse, status: Int, _ reason: ServiceRefusal.Reason
    ) -> ServiceResponse {
        var refused = ServiceResponse(status: status, logEntry: response.logEntry)
        refused.headers["Cache-Control"] = "no-store"
        refused.headers["Vary"] = response.headers["Vary"]
        refused.logEntry.outcome = .refused
        refused.logEntry.reason = reason.rawValue
        refused.logEntry.format = nil
        refused.logEntry.size = nil
        return refused
    }

    func fixed(_ entry: ResultEntry) -> Fixed { fixed(entry.head) }

    private func fixed(_ head: ResultEntry.Head) -> Fixed {
        var headers: ServiceHeaders = [
            "Content-Type": head.mediaType, "ETag": head.etag, "Accept-Ranges": "bytes",
        ]
        if head.etag.isEmpty { headers["ETag"] = nil }
        if !vary.isEmpty { headers["Vary"] = vary.joined(separator: ", ") }
        let format = OutputFormat.allCases.first { $0.mediaType == head.mediaType }
        headers["Content-Disposition"] = ContentDisposition.field(
            name: filename, source: head.source,
            fileExtension: format?.fileExtension ?? (head.mediaType == "application/json" ? "json" : ""),
            isAttachment: isAttachment)
        if settings.configuration.linksCanonical, head.source.hasPrefix("http") {
            // Remove the characters that would end the URL in the field. In a valid URL, all these characters are
            // percent-encoded.
            let url = head.source.filter { !"<>\"\\ ".contains($0) }
            headers["Link"] = "<\(url)>; rel=\"canonical\""
        }
        var size: PixelSize?
        if let width = head.width, let height = head.height { size = PixelSize(width: width, height: height) }
        return Fixed(headers: headers, format: format?.imageFormat, size: size)
    }

    private func addLifetime(_ head: ResultEntry.Head, to response: inout ServiceResponse) {
        let lifetime = head.lifetime
        guard lifetime.mayBeStored else {
            response.headers["Cache-Control"] = "no-store"
            return
        }
        let age = head.age(now: now)
        var left = lifetime.maxAge - age
        if let maxAge { left = min(left, maxAge) }
        if let expires { left = min(left, expires - Int(now)) }
        left = max(left, 0)
        let scope = lifetime.isShared ? "public" : "private"
        var control = left == 0 ? "\(scope), max-age=\(age), no-cache" : "\(scope), max-age=\(age + left)"
        if left > 0, maxAge == nil, expires == nil, lifetime.staleWhileRevalidate > 0 {
            control += ", stale-while-revalidate=\(lifetime.staleWhileRevalidate)"
        }
        response.headers["Cache-Control"] = control
        response.headers["Age"] = String(age)
        // nginx reads no `Age`, and would keep the picture for its whole lifetime again. It does not pass this field on.
        if request.isFromTrustedProxy, lifetime.isShared { response.headers["X-Accel-Expires"] = String(left) }
        response.headers["Expires"] = HTTPDateText.text(now + Double(left))
    }
}
