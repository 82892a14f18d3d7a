package import Foundation
import WebImageCore

/// An access key for an S3-compatible store.
package struct S3Credentials: Sendable, Hashable {
    package var keyID: String
    package var secret: String
    /// The token of temporary credentials; nil for permanent ones.
    package var sessionToken: String?
    /// When temporary credentials end; nil for permanent ones.
    var expiry: Date?

    package init(keyID: String, secret: String, sessionToken: String? = nil, expiry: Date? = nil) {
        (self.keyID, self.secret, self.sessionToken, self.expiry) = (keyID, secret, sessionToken, expiry)
    }

    /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; nil if one of the first two is
    /// missing or empty.
    package init?(environment: [String: String]) {
        guard let keyID = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"],
            !keyID.isEmpty, !secret.isEmpty
        else { return nil }
        let token = environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        self.init(keyID: keyID, secret: secret, sessionToken: token)
    }

    /// The path of the shared credentials file.
    static func sharedFile(_ environment: [String: String]) -> String {
        environment["AWS_SHARED_CREDENTIALS_FILE"] ?? "\(environment["HOME"] ?? "/root")/.aws/credentials"
    }

    /// Reads a profile of a shared credentials file, such as `~/.aws/credentials`; nil if the profile is missing or
    /// incomplete.
    package init?(sharedFile text: String, profile: String) {
        var (values, isInProfile) = ([String: String](), false)
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
                let name = line[line.index(after: line.startIndex)..<end].trimmingCharacters(in: .whitespaces)
                isInProfile = name == profile
            } else if isInProfile, let equals = line.firstIndex(of: "=") {
                let name = line[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
                values[name] = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            }
        }
        guard let keyID = values["aws_access_key_id"], let secret = values["aws_secret_access_key"], !keyID.isEmpty,
            !secret.isEmpty
        else { return nil }
        self.init(keyID: keyID, secret: secret, sessionToken: values["aws_session_token"])
    }
}

/// Where the access key of a store comes from.
package enum S3CredentialSource: Sendable {
    /// Requests are not signed: the store is public.
    case anonymous
    case fixed(S3Credentials)
    /// The variables of ``S3Credentials/init(environment:)``; without them the file of `AWS_SHARED_CREDENTIALS_FILE`,
    /// by default `~/.aws/credentials`, with the profile of `AWS_PROFILE`, by default `default`.
    case system
    /// A profile of the shared credentials file; the variables with an access key are not used.
    case profile(String)
    /// Called before the first request, again a minute before the expiry, and after the store has refused the key as
    /// expired. Called once at a time, on a task.
    case provider(@Sendable () async throws -> S3Credentials)
}

/// Keeps the credentials of a source until they expire.
final class S3CredentialCache: Sendable {
    private struct State {
        var current: S3Credentials?
        var reading: Task<S3Credentials, any Error>?
        /// Counts the readings, so that the end of an old one does not clear a newer one.
        var generation = 0
    }

    /// Credentials that end within this time are replaced before they are used.
    private static let margin: TimeInterval = 60

    private let source: S3CredentialSource
    private let clock: any DelayClock
    private let environment: [String: String]
    private let state = Locked(State())

    init(_ source: S3CredentialSource, clock: any DelayClock, environment: [String: String]) {
        (self.source, self.clock, self.environment) = (source, clock, environment)
    }

    /// Returns the credentials; nil for an anonymous source.
    func credentials() async throws -> S3Credentials? {
        if case .anonymous = source { return nil }
        let now = clock.date
        let task = state.withLock { state -> Task<S3Credentials, any Error>? in
            if let current = state.current,
                current.expiry.map({ $0.timeIntervalSince1970 - now > Self.margin }) ?? true
            {
                return nil
            }
            if let reading = state.reading { return reading }
            state.generation += 1
            // Detached: the reading is shared, so the cancel of one caller must not end it.
            let task = Task.detached { [source, environment] in try await Self.read(source, environment) }
            state.reading = task
            return task
        }
        guard let task else { return state.withLock { $0.current } }
        let generation = state.withLock { $0.generation }
        let result = await task.result
        state.withLock { state in
            guard state.generation == generation else { return }
            state.reading = nil
            state.current = try? result.get()
        }
        return try result.get()
    }

    /// Forgets credentials that the store has refused. Returns false if they cannot change.
    func refuse(_ credentials: S3Credentials) -> Bool {
        if case .fixed = source { return false }
        state.withLock { state in
            if state.current == credentials { state.current = nil }
        }
        return true
    }

    private static func read(
        _ source: S3CredentialSource, _ environment: [String: String]
    ) async throws -> S3Credentials {
        switch source {
        case .anonymous: throw missing("no credentials are configured")
        case .fixed(let credentials): return credentials
        case .provider(let provide): return try await provide()
        case .profile(let profile): return try await shared(profile, environment)
        case .system:
            if let credentials = S3Credentials(environment: environment) { return credentials }
            return try await shared(environment["AWS_PROFILE"] ?? "default", environment)
        }
    }

    /// Reads the shared credentials file.
    private static func shared(_ profile: String, _ environment: [String: String]) async throws -> S3Credentials {
        let path = S3Credentials.sharedFile(environment)
        // Reading a file can block.
        let text = try await UserCodePool.downloads.run { try? String(contentsOfFile: path, encoding: .utf8) }
        guard let text else {
            throw missing("no access key in the configuration or AWS_ACCESS_KEY_ID, and no file \(path)")
        }
        guard let credentials = S3Credentials(sharedFile: text, profile: profile) else {
            throw missing("the profile \(profile) in \(path) has no access key")
        }
        return credentials
    }

    private static func missing(_ text: String) -> WebImageError {
        WebImageError(
            .transport, stage: .cache, underlying: .message(text),
            hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write a credentials file.")
    }
}
