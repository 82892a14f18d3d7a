import Foundation

@testable import WebImageService

/// The rules of RFC 9111 §3 to §5 for a cache that several users share, as a small model that knows nothing of the service,
/// and what the settings of a service add to them.
struct SharedCacheModel {
    struct Settings: Equatable {
        var ttl = 86_400, least = 0, most = 31_536_000, staleIfError = 0
        /// The seconds of a rule for results; nil for none.
        var rule: Int?
        var allowsLoopback = true
        var maxBytes = 50 << 20
        var formats: [String] = []
    }

    /// A date as an origin writes it, and what it means in seconds since 1970; nil if it is no date.
    struct Date {
        var text: String
        var seconds: Int?
    }

    /// The fields of an origin's response.
    struct Fields: CustomStringConvertible {
        /// The lines of `Cache-Control`, of `Age` and of `Vary`.
        var control: [String] = [], age: [String] = [], vary: [String] = []
        var date: Date?
        var expires: Date?
        var pragma: String?
        var cookie: String?

        /// Several lines of a field are one value with further lines.
        var sent: [String: String] {
            func lines(_ name: String, _ values: [String]) -> String? {
                values.isEmpty ? nil : values.joined(separator: "\r\n\(name): ")
            }
            let fields = [
                "Cache-Control": lines("Cache-Control", control), "Age": lines("Age", age), "Vary": lines("Vary", vary),
                "Date": date?.text, "Expires": expires?.text, "Pragma": pragma, "Set-Cookie": cookie,
            ]
            return fields.compactMapValues { $0 }
        }

        var description: String { "\(sent)" }
    }

    let fields: Fields
    /// The time at which the response was received.
    let received: Int
    private let directives: [String: String?]

    init(fields: Fields, received: Int) {
        (self.fields, self.received) = (fields, received)
        directives = Self.directives(fields.control.joined(separator: ","))
    }

    /// The directives of a field (§5.2): names in any case, values plain or quoted. Of two, the first counts (§4.2.1).
    private static func directives(_ text: String) -> [String: String?] {
        var found: [String: String?] = [:]
        var (name, value) = ("", String?.none)
        var (isQuoted, isEscaped) = (false, false)
        func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespaces) }
        func end() {
            let key = trimmed(name).lowercased()
            if !key.isEmpty, found[key] == nil { found[key] = .some(value.map(trimmed)) }
            (name, value) = ("", nil)
        }
        for character in text {
            switch character {
            case _ where isEscaped: (isEscaped, value) = (false, (value ?? "") + String(character))
            case "\\" where isQuoted: isEscaped = true
            case "\"" where value != nil: isQuoted.toggle()
            case "," where !isQuoted: end()
            case "=" where value == nil: value = ""
            case _ where value == nil: name.append(character)
            default: value?.append(character)
            }
        }
        end()
        return found
    }

    private func has(_ name: String) -> Bool { directives[name] != nil }

    /// The seconds of a directive; nil without it. What is no number makes the response stale (§4.2.1).
    private func seconds(_ name: String) -> Int? {
        guard let text = directives[name] else { return nil }
        let digits = text ?? ""
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return 0 }
        return min(Int(digits) ?? Int(Int32.max), Int(Int32.max) + 1)
    }

    private var mustAsk: Bool {
        has("no-cache") || fields.control.isEmpty && fields.pragma?.lowercased().hasPrefix("no-cache") == true
    }

    /// A cache that understands 200 ignores `no-store` beside `must-understand` (§5.2.2.3).
    var isStored: Bool {
        let varies = fields.vary.joined(separator: ",").split(separator: ",").contains {
            $0.trimmingCharacters(in: .whitespaces) == "*"
        }
        return (!has("no-store") || has("must-understand")) && !has("private") && !varies
    }

    /// The age at which the response arrived (§4.2.3). Of several values of `Age` the first counts (§5.1).
    var age: Int {
        let first = fields.age.first?.split(separator: ",", omittingEmptySubsequences: false).first.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let isNumber = first.map { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } } ?? false
        let named = isNumber ? Int(first ?? "") ?? 1_000_000_000 : 0
        return max(named, received - (fields.date?.seconds ?? received), 0)
    }

    private var stated: Int? {
        if mustAsk { return 0 }
        if let seconds = seconds("s-maxage") ?? seconds("max-age") { return seconds }
        return fields.expires.map { max(0, ($0.seconds ?? 0) - (fields.date?.seconds ?? received)) }
    }

    /// The age at which the response becomes stale.
    func lifetime(_ settings: Settings, hasLeast: Bool = true) -> Int {
        var lifetime = stated ?? age + settings.ttl
        if hasLeast, settings.least > 0 { lifetime = max(lifetime, age + settings.least) }
        lifetime = min(lifetime, age + settings.most)
        return settings.rule.map { min(lifetime, age + $0) } ?? lifetime
    }

    /// The seconds for which an answer to a failure with these fields may be used again. `most` is the setting for failures,
    /// which also stands for a lifetime that the fields do not state.
    func secondsOfFailure(_ settings: Settings, most: Int) -> Int {
        guard isStored else { return 0 }
        var settings = settings
        (settings.ttl, settings.most, settings.rule) = (most, max(settings.most, most), nil)
        return min(max(lifetime(settings) - age, 0), most)
    }

    private var isStrict: Bool {
        mustAsk || has("must-revalidate") || has("proxy-revalidate") || has("s-maxage")
    }

    /// Whether a stale result may be sent while it is made again (RFC 5861 §3).
    func isUsableMeanwhile(age: Int, _ settings: Settings) -> Bool {
        guard isStored, !isStrict, let window = seconds("stale-while-revalidate") else { return false }
        return age < lifetime(settings) + window
    }

    /// Whether a stale result may be sent when the origin fails.
    func isUsableAfterError(age: Int, _ settings: Settings, hasResult: Bool) -> Bool {
        guard isStored, !isStrict else { return false }
        let window = seconds("stale-if-error")
        if hasResult { return age < lifetime(settings) + (window ?? settings.staleIfError) }
        // A source alone is used only if the origin says so.
        return window.map { age - (stated ?? 0) <= $0 && age < lifetime(settings) + $0 } ?? false
    }

    /// The seconds for which a tier holds the response; 0 if it must not leave the machine.
    func tierSeconds(_ writer: Settings) -> Int {
        let names = fields.vary.joined(separator: ",").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        guard isStored, fields.cookie == nil, names.allSatisfy({ $0.isEmpty || $0 == "accept-encoding" }) else {
            return 0
        }
        // The rule is for results; the source is there for longer.
        var writer = writer
        writer.rule = nil
        return lifetime(writer, hasLeast: false) - age
    }
}

/// Request fields, and the status of an answer that has a picture (RFC 9110 §13, §14). For a client, the service is the origin:
/// fields of `Cache-Control` in a request change nothing, and answers have no `Last-Modified`.
struct ClientRequest: CustomStringConvertible {
    let description: String
    /// The fields for a client that has a picture with an entity tag.
    let fields: @Sendable (_ tag: String) -> ServiceHeaders
    /// The status, by whether the answer's picture has this tag.
    let status: @Sendable (_ isSame: Bool) -> Int

    private init(
        _ name: String, _ fields: @escaping @Sendable (String) -> ServiceHeaders,
        _ status: @escaping @Sendable (Bool) -> Int = { _ in 200 }
    ) { (description, self.fields, self.status) = (name, fields, status) }

    static let plain = ClientRequest("plain", { _ in [:] })

    private static let range = "bytes=0-7"
    private static let past = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let future = "Sun, 06 Nov 2050 08:49:37 GMT"

    static let all: [ClientRequest] =
        [
            "no-cache", "no-store", "max-age=0", "only-if-cached", "min-fresh=99999999", "max-stale", "max-stale=0",
            "no-transform, stale-if-error=0",
        ].map { control in ClientRequest(control, { _ in ["Cache-Control": control] }) } + [
            plain,
            ClientRequest("pragma", { _ in ["Pragma": "no-cache"] }),
            ClientRequest("credentials", { _ in ["Authorization": "Basic YTpi", "Cookie": "a=b"] }),
            ClientRequest("same tag", { ["If-None-Match": $0] }, { $0 ? 304 : 200 }),
            ClientRequest("weak tag", { ["If-None-Match": "W/" + $0] }, { $0 ? 304 : 200 }),
            ClientRequest("list of tags", { ["If-None-Match": "\"a,\", W/\"b\" , \($0)"] }, { $0 ? 304 : 200 }),
            ClientRequest("any tag", { _ in ["If-None-Match": "*"] }, { _ in 304 }),
            ClientRequest("other tag", { _ in ["If-None-Match": "\"*\""] }),
            ClientRequest("other tag, later", { _ in ["If-None-Match": "\"x\"", "If-Modified-Since": future] }),
            ClientRequest("later", { _ in ["If-Modified-Since": future] }),
            ClientRequest("match", { ["If-Match": $0] }, { $0 ? 200 : 412 }),
            ClientRequest("match in a list", { ["If-Match": "\"x\", \($0)"] }, { $0 ? 200 : 412 }),
            ClientRequest("weak match", { ["If-Match": "W/" + $0] }, { _ in 412 }),
            ClientRequest("any match", { _ in ["If-Match": "*"] }),
            ClientRequest("no match, range", { _ in ["If-Match": "\"x\"", "Range": range] }, { _ in 412 }),
            ClientRequest("match, range", { ["If-Match": $0, "Range": range] }, { $0 ? 206 : 412 }),
            ClientRequest("match and none", { ["If-Match": $0, "If-None-Match": $0] }, { $0 ? 304 : 412 }),
            ClientRequest("unmodified", { _ in ["If-Unmodified-Since": past] }),
            ClientRequest("unmodified, range", { _ in ["If-Unmodified-Since": past, "Range": range] }),
            ClientRequest("range", { _ in ["Range": range] }, { _ in 206 }),
            ClientRequest("range if same", { ["Range": range, "If-Range": $0] }, { $0 ? 206 : 200 }),
            ClientRequest("range if weakly same", { ["Range": range, "If-Range": "W/" + $0] }),
            ClientRequest("range if unmodified", { _ in ["Range": range, "If-Range": past] }),
            ClientRequest("range, same tag", { ["Range": range, "If-None-Match": $0] }, { $0 ? 304 : 206 }),
            ClientRequest("range behind the end", { _ in ["Range": "bytes=999999-"] }, { _ in 416 }),
        ]
}
