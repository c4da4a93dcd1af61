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

    /// How long a launch waits for a token.
    public static let launchPatience: Duration = .seconds(2)

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
        client = ServiceClient(WatchedHTTP(http, discovery), policy: .hubOnce) { nil }
        tokens = BearerTokens(in: keychain.store, named: KeychainService.sessionName, refusals: [401]) {
            last throws(ServiceFailure) in
            // A refresh token is for the hub that has given it, also where another one is paired before the answer comes.
            let hub = discovery.paired
            let open = ServiceClient(WatchedHTTP(http, discovery), policy: .hub) {
                discovery.address(of: hub)
            }
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
    /// A token that is valid still is not asked about. One that has ended is renewed, for ``launchPatience`` at most, and the renewal goes on after
    /// that; only a hub that refuses ends the session, and one that cannot be reached leaves it.
    public func checkAuthentication() async {
        guard let token = try? await tokens.kept() else { return }
        // A session without a way to go on would end unasked.
        guard token.refresh != nil else { return await forget() }
        guard !token.isValid(at: Date()) else { return }
        let (tokens, discovery) = (tokens, discovery)
        _ = await withDeadline(Self.launchPatience) {
            await discovery.settle()
            // The session goes on, and its first call says what is wrong, or it has ended and pairing is shown.
            _ = try? await tokens.valid()
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
        let (token, hub): (BearerToken, PairedHub)
        do throws(ServiceFailure) {
            let request = VerifyRequest(
                code: code,
                deviceID: device.uuidString.lowercased(),
                deviceName: String(deviceName().prefix(100))
            )
            let (answer, way) = try await verify(request)
            token = try Self.bearer(answer, last: nil)
            let id = answer.hubID ?? way?.hubID
            hub = id.map { .known($0) } ?? (way == nil ? .behindRelay : .nameless)
        } catch {
            if error.code == .refused, [400, 401].contains(error.status) { throw PairingError.invalidCode }
            if error.status == 429 { throw PairingError.tooManyTries(wait: error.retryAfter) }
            throw error.asAppError
        }
        guard session == self.session else { throw CancellationError() }
        // From here on nothing of an earlier session is sent, and tokens are kept only where it is known whose they are.
        do {
            try await signOut()
            try keychain.setHub(hub)
        } catch { throw PairingError.notKept }
        discovery.pair(with: hub)
        await tokens.signIn(token)
    }

    /// Sends a code to the hubs that are found, one after the other, until one takes it; to the relay where none of them was reached.
    ///
    /// The first may be a neighbour's.
    ///
    /// - Returns: The answer, and the way on which it came, which says which hub has answered; `nil` for the relay.
    private func verify(
        _ request: VerifyRequest
    ) async throws(ServiceFailure) -> (answer: AuthToken, way: HubWay?) {
        var tried: Set<String> = []
        var refusal: ServiceFailure?
        while true {
            let way = discovery.found.first { !tried.contains($0.authority) }
            if way == nil, let refusal { throw refusal }
            var call = try Call.post("\(APIClient.root)/auth/verify", request)
            call.isAuthorized = false
            call.address = way?.address ?? discovery.relay
            do throws(ServiceFailure) { return (try await client.send(call), way) } catch {
                guard let way else { throw error }
                tried.insert(way.authority)
                switch error.code {
                // A code that was taken, and whose answer was not in time, is refused on the next way.
                case .unreachable, .timedOut: break
                case .refused where [400, 401].contains(error.status): refusal = error
                default: throw error
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

    private func forget() async {
        // What cannot be forgotten is found again by the next launch, and of no use to it either.
        try? await signOut()
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
