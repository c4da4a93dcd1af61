internal import Foundation
public import Nova
internal import ScenarioKit
internal import Services
public import SessionRecording

extension DeviceCall where Request == IdentityRequest, Reply == IdentityReply {
    /// The sheet of “Sign in with Apple”.
    public static var identities: Self { Self("identity", title: "the provider of identity tokens") }
}

/// What the sheet is shown for.
public struct IdentityRequest: Codable, Hashable, Sendable, CustomStringConvertible {
    /// What the token has to hold the hash of.
    var nonce: String

    /// What is asked.
    public var description: String { "authorize, with the nonce \(nonce)" }
}

/// What the person has allowed; in a recording without the token, which is a secret.
public enum IdentityReply: Codable, Sendable {
    case authorized(AppleAuthorization)
    /// The person has changed their mind.
    case cancelled
    /// There is no such sheet, or it has failed.
    case unavailable(String)

    /// What it is in a recording.
    private struct Recorded: Codable {
        var user: String?
        var email: String?
        var fullName: String?
        /// What stands for the token; `nil` where there was none.
        var identityToken: String?
        var unavailable: String?
    }

    /// Reads a recorded reply.
    public init(from decoder: any Decoder) throws {
        let recorded = try Recorded(from: decoder)
        if let reason = recorded.unavailable {
            self = .unavailable(reason)
        } else if let user = recorded.user {
            self = .authorized(
                AppleAuthorization(
                    identityToken: recorded.identityToken.map { _ in ReplayedSession.secret },
                    user: user,
                    email: recorded.email,
                    fullName: recorded.fullName
                )
            )
        } else {
            self = .cancelled
        }
    }

    /// Writes the reply, with a mask for the token.
    public func encode(to encoder: any Encoder) throws {
        var recorded = Recorded()
        switch self {
        case .authorized(let person):
            (recorded.user, recorded.email) = (person.user, person.email)
            recorded.fullName = person.fullName
            recorded.identityToken = person.identityToken.map { _ in ReplayedSession.secret.reveal() }
        case .cancelled: break
        case .unavailable(let reason): recorded.unavailable = reason
        }
        try recorded.encode(to: encoder)
    }
}

/// A provider of identity tokens outside the simulation, or what it said when a session was recorded.
public struct RecordedIdentities: IdentityTokenProvider {
    private let calls: any DeviceCalls<IdentityRequest, IdentityReply>
    private let provider: any IdentityTokenProvider
    private let log: any ScreenLog

    /// Records what a provider says, and keeps its tokens out of the recording.
    ///
    /// - Parameters:
    ///   - calls: Records the calls.
    ///   - provider: Is asked.
    ///   - log: Learns the tokens.
    public init(
        _ calls: any DeviceCalls<IdentityRequest, IdentityReply>,
        provider: any IdentityTokenProvider,
        log: any ScreenLog
    ) {
        (self.calls, self.provider, self.log) = (calls, provider, log)
    }

    /// Says what the provider of a recording said.
    ///
    /// - Parameters:
    ///   - calls: Those of the recording.
    ///   - log: That of the replay.
    public init(_ calls: any DeviceCalls<IdentityRequest, IdentityReply>, log: any ScreenLog) {
        (self.calls, self.log) = (calls, log)
        provider = NoIdentityTokens()
    }

    /// Asks the person.
    ///
    /// - Throws: `NovaError.unavailable`, also in a replay that asks what the recording does not have.
    public func authorize(nonce: String) async throws(NovaError) -> AppleAuthorization? {
        let reply = await calls.call(IdentityRequest(nonce: nonce)) { [provider] in
            do throws(NovaError) {
                return try await provider.authorize(nonce: nonce).map { .authorized($0) } ?? .cancelled
            } catch {
                guard case .unavailable(let reason) = error else { return .unavailable("\(error)") }
                return .unavailable(reason)
            }
        }
        switch reply {
        case .authorized(let person):
            log.learn([person.identityToken].compactMap(\.self))
            return person
        case .cancelled: return nil
        case .unavailable(let reason): throw .unavailable(reason)
        case nil: throw .unavailable("the recording has no such authorisation")
        }
    }
}
