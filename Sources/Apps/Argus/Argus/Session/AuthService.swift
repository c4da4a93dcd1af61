public import Concurrency
internal import Foundation
public import ServiceClient
public import Services
public import Transport

/// Pairs this device with a hub, keeps its tokens fresh, and ends the session.
@MainActor
public final class AuthService {
    /// Whether this device is paired, as far as is known.
    public nonisolated let isAuthenticated: Published<Bool>
    /// What calls carry.
    public nonisolated let tokens: BearerTokens
    /// The number of the session: what a call of an earlier one brings is nothing.
    public private(set) var session = 0

    private let keychain: KeychainService
    private let discovery: DiscoveryService
    private let client: ServiceClient
    private let deviceName: @Sendable () -> String

    /// Makes a service; nothing is read or sent.
    ///
    /// - Parameters:
    ///   - http: Makes the requests.
    ///   - keychain: Keeps the session.
    ///   - discovery: Knows where the hub is.
    ///   - deviceName: What the hub is to show for this device.
    public init(
        _ http: any HTTPClient,
        keychain: KeychainService,
        discovery: DiscoveryService,
        deviceName: @escaping @Sendable () -> String
    ) {
        self.keychain = keychain
        self.discovery = discovery
        self.deviceName = deviceName
        let open = ServiceClient(WatchedHTTP(http, discovery), policy: .hub) { discovery.baseURL }
        client = ServiceClient(WatchedHTTP(http, discovery), policy: .hubOnce) { nil }
        tokens = BearerTokens(in: keychain.store, named: KeychainService.sessionName) {
            last throws(ServiceFailure) in
            guard let refresh = last?.refresh else {
                throw ServiceFailure(
                    .signedOut,
                    operation: "renew the token",
                    peer: "",
                    detail: "there is none"
                )
            }
            var call = try Call.post("\(APIClient.root)/auth/refresh", RefreshRequest(token: refresh))
            call.isAuthorized = false
            // What has come to nothing may have taken the old token back: only asking again, within the hub's grace, can bring the next one.
            call.repeats = .always
            return try Self.bearer(try await open.send(call), last: refresh)
        }
        isAuthenticated = tokens.isSignedIn
    }

    /// Finds out at launch whether this device is paired.
    ///
    /// A token that is valid still is not asked about. One that has ended is renewed, where there is something to renew it with; only a hub
    /// that refuses ends the session, and one that cannot be reached leaves it.
    public func checkAuthentication() async {
        do throws(ServiceFailure) {
            guard let token = try await tokens.kept(), !token.isValid(at: Date()) else { return }
            guard token.refresh != nil else { return try await forget() }
            _ = try await tokens.valid()
        } catch {
            // The session goes on, and its first call says what is wrong, or it has ended and pairing is shown.
            return
        }
    }

    /// Pairs this device by the code that the hub shows.
    ///
    /// - Throws: ``PairingError``, ``APIError``, `CancellationError`: nothing is kept then.
    public func verifyPairingCode(_ code: String) async throws {
        guard PairingError.isCode(code) else { throw PairingError.invalidCode }
        await discovery.settle()
        let device: UUID
        do { device = try keychain.deviceID() } catch { throw PairingError.notKept }
        let session = session
        let (token, hub): (BearerToken, String)
        do throws(ServiceFailure) {
            let request = VerifyRequest(
                code: code,
                deviceID: device.uuidString.lowercased(),
                deviceName: String(deviceName().prefix(100))
            )
            let (answer, way) = try await verify(request)
            token = try Self.bearer(answer, last: nil)
            hub = answer.hubID ?? way?.hubID ?? KeychainService.namelessHub
        } catch {
            if error.code == .refused, [400, 401].contains(error.status) { throw PairingError.invalidCode }
            if error.status == 429 { throw PairingError.tooManyTries(wait: error.retryAfter) }
            throw error.asAppError
        }
        guard session == self.session else { throw CancellationError() }
        do { try keychain.setHubID(hub) } catch { throw PairingError.notKept }
        discovery.pair(with: hub)
        self.session += 1
        await tokens.signIn(token)
    }

    /// Sends a code to the hub that was found first, and to the relay where none is or it cannot be reached.
    ///
    /// - Returns: The answer, and the way on which it came, which says which hub has answered; `nil` for the relay.
    private func verify(
        _ request: VerifyRequest
    ) async throws(ServiceFailure) -> (answer: AuthToken, way: HubWay?) {
        var tried: Set<String> = []
        while true {
            let way = discovery.found
            var call = try Call.post("\(APIClient.root)/auth/verify", request)
            call.isAuthorized = false
            call.address = way?.address ?? discovery.relay
            do throws(ServiceFailure) { return (try await client.send(call), way) } catch {
                tried.insert(way?.authority ?? "")
                // What was sent to nobody may take another way; a code that was taken, and whose answer was not in time, is refused there.
                guard [.unreachable, .timedOut].contains(error.code),
                    !tried.contains(discovery.found?.authority ?? "")
                else {
                    throw error
                }
            }
        }
    }

    /// Renews the token now.
    ///
    /// - Throws: ``APIError``, `CancellationError`.
    public func refreshAccessToken() async throws {
        do throws(ServiceFailure) {
            guard let token = try await tokens.kept() else { throw Self.signedOut }
            _ = try await tokens.renewed(after: token)
        } catch { throw error.asAppError }
    }

    /// Ends the session.
    ///
    /// Tokens are forgotten, and what is under way changes nothing any more; the name of this device stays.
    ///
    /// - Throws: Where the store does not forget them: they are gone from memory, and the next launch would find them.
    public func signOut() async throws(SecretStoreError) {
        session += 1
        try await tokens.signOut()
    }

    private func forget() async throws(ServiceFailure) {
        do throws(SecretStoreError) { try await signOut() } catch { throw Self.signedOut }
    }

    private static let signedOut = ServiceFailure(.signedOut, operation: "renew the token", peer: "")

    private nonisolated static func bearer(
        _ token: AuthToken,
        last: Secret?
    ) throws(ServiceFailure) -> BearerToken {
        // A session without a way to go on would end unasked.
        guard let bearer = token.bearer(at: Date(), last: last), bearer.refresh != nil else {
            throw ServiceFailure(
                .malformed,
                operation: "read a token",
                peer: "",
                detail: "it cannot be carried"
            )
        }
        return bearer
    }
}
