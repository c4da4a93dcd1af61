public import Foundation
public import Services

/// A token that opens an API for a time.
public struct BearerToken: Sendable, Hashable {
    /// What is sent as `Authorization: Bearer …`.
    public var value: Secret
    /// When it ends: at this instant it is expired.
    public var expiry: Date
    /// What renews it once, where the service gives such a thing.
    public var refresh: Secret?
    /// After which instant it is renewed before a call, though it is valid still; `nil` for at its end.
    public var renewal: Date?

    /// Makes a token of its parts.
    public init(_ value: Secret, expiry: Date, refresh: Secret? = nil, renewal: Date? = nil) {
        self.value = value
        self.expiry = expiry
        self.refresh = refresh
        self.renewal = renewal
    }

    /// Whether it ends after an instant, and not at it.
    public func isValid(at instant: Date) -> Bool { expiry > instant }

    /// Whether a call may carry it at an instant without its being renewed first.
    func isFresh(at instant: Date, leeway: Duration) -> Bool {
        isValid(at: instant + leeway / .seconds(1)) && renewal.map { instant <= $0 } ?? true
    }

    // MARK: In a store of secrets

    /// A token as one secret, so that its parts never part.
    init?(kept secret: Secret) {
        guard let kept = try? JSONDecoder().decode(Kept.self, from: Data(secret.reveal().utf8)) else {
            return nil
        }
        self.init(
            Secret(kept.token),
            expiry: Date(timeIntervalSince1970: kept.expiry),
            refresh: kept.refresh.map { Secret($0) },
            renewal: kept.renewal.map { Date(timeIntervalSince1970: $0) }
        )
        guard value.isHeaderValue else { return nil }
    }

    /// All of it as one secret.
    var asSecret: Secret {
        let kept = Kept(
            token: value.reveal(),
            expiry: expiry.timeIntervalSince1970,
            refresh: refresh?.reveal(),
            renewal: renewal?.timeIntervalSince1970
        )
        guard let bytes = try? JSONEncoder().encode(kept) else {
            preconditionFailure("an instant of a token is finite")
        }
        return Secret(String(decoding: bytes, as: UTF8.self))
    }

    private struct Kept: Codable {
        let token: String
        let expiry: Double
        let refresh: String?
        let renewal: Double?
    }
}
