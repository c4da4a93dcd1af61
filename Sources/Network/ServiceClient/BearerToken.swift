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
    /// What the service calls the holder, where a renewal has to say so; `nil` where it has not.
    public var holder: String?

    /// Makes a token of its parts.
    public init(
        _ value: Secret,
        expiry: Date,
        refresh: Secret? = nil,
        renewal: Date? = nil,
        holder: String? = nil
    ) {
        self.value = value
        self.expiry = expiry
        self.refresh = refresh
        self.renewal = renewal
        self.holder = holder
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
            renewal: kept.renewal.map { Date(timeIntervalSince1970: $0) },
            holder: kept.holder
        )
        guard value.isHeaderValue else { return nil }
    }

    /// All of it as one secret.
    var asSecret: Secret {
        let kept = Kept(
            token: value.reveal(),
            expiry: expiry.timeIntervalSince1970,
            refresh: refresh?.reveal(),
            renewal: renewal?.timeIntervalSince1970,
            holder: holder
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
        let holder: String?
    }
}
