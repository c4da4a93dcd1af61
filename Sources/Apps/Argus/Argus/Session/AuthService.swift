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
    /// Which calls the hub has, and so who shows the code of a pairing.
    public nonisolated let dialect: HubDialect
    /// The number of the session: what a call of an earlier one brings is nothing.
    public private(set) var session = 0

    /// How long a launch waits for a token.
    public static let launchPatience: Duration = .seconds(2)

    private let keychain: KeychainService
    private let discovery: DiscoveryService
    private let http: WatchedHTTP
    private let pairing: HubPairing
    private let device: @Sendable () throws(SecretStoreError) -> HubDevice
    /// Tells hubs of sessions that have ended.
    private var ending: Task<Void, Never>?

    /// Makes a service; nothing is read or sent.
    ///
    /// - Parameters:
    ///   - http: Makes the requests.
    ///   - keychain: Keeps the session.
    ///   - discovery: Knows where the hub is.
    ///   - dialect: Which calls the hub has.
    ///   - device: This device, as the hub is to list it.
    public init(
        _ http: any HTTPClient,
        keychain: KeychainService,
        discovery: DiscoveryService,
        dialect: HubDialect = .seed,
        device: @escaping @Sendable () throws(SecretStoreError) -> HubDevice
    ) {
        self.keychain = keychain
        self.discovery = discovery
        self.dialect = dialect
        self.device = device
        let http = WatchedHTTP(http, discovery)
        self.http = http
        pairing = HubPairing(http, discovery)
        let calls = dialect.calls
        tokens = BearerTokens(in: keychain.store, named: KeychainService.sessionName, refusals: [401]) {
            last throws(ServiceFailure) in
            // A refresh token is for the hub that has given it, also where another one is paired before the answer comes.
            let hub = discovery.paired
            let client = ServiceClient(http, policy: .hub) { discovery.address(of: hub) }
            guard let last, var question = try calls.refresh(last) else { throw Self.signedOut }
            // What has come to nothing may have taken the old token back: only asking again, within the hub's grace, can bring the next one.
            question.call.repeats = .always
            return try Self.bearer(try await question.ask(client), last: last)
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
        guard (try? dialect.calls.refresh(token)) != nil else { return await forget() }
        guard !token.isValid(at: Date()) else { return }
        let (tokens, discovery) = (tokens, discovery)
        _ = await withDeadline(Self.launchPatience) {
            await discovery.settle()
            // The session goes on, and its first call says what is wrong, or it has ended and pairing is shown.
            _ = try? await tokens.valid()
        }
    }

    // MARK: Pairing

    /// Pairs this device by the code that the hub shows.
    ///
    /// - Throws: ``PairingError``, ``APIError``, `CancellationError`: nothing is kept then.
    public func verifyPairingCode(_ code: String) async throws {
        guard PairingError.isCode(code) else { throw PairingError.invalidCode }
        let (session, device) = (session, try await prepare())
        let (token, hub): (BearerToken, PairedHub)
        do throws(ServiceFailure) {
            let (answer, way) = try await pairing.verify(code, for: device)
            (token, hub) = (try Self.bearer(answer, last: nil), Self.hub(of: answer, way))
        } catch {
            if error.code == .refused, [400, 401].contains(error.status) { throw PairingError.invalidCode }
            if error.status == 429 { throw PairingError.tooManyTries(wait: error.retryAfter) }
            throw error.asAppError
        }
        try await begin(token, with: hub, after: session)
    }

    /// Asks a hub for a code that the person types into the hub's page; ``completePairing(_:)`` waits for that.
    ///
    /// - Parameter last: A code that did not help: where another hub is found, that one is asked.
    /// - Throws: ``PairingError``, ``APIError``, `CancellationError`.
    public func requestPairingCode(after last: ShownCode? = nil) async throws -> ShownCode {
        let device = try await prepare()
        do throws(ServiceFailure) { return try await pairing.code(for: device, after: last) } catch {
            if error.status == 429 { throw PairingError.tooManyCodes(wait: error.retryAfter) }
            throw error.asAppError
        }
    }

    /// Waits until the person has confirmed a code at the hub, and pairs this device; the hub is asked every two seconds until the code has ended.
    ///
    /// - Throws: ``PairingError``, ``APIError``, `CancellationError`: nothing is kept then.
    public func completePairing(_ code: ShownCode) async throws {
        let session = session
        let answer = try await pairing.tokens(for: code)
        let token: BearerToken
        do throws(ServiceFailure) { token = try Self.bearer(answer, last: nil) } catch {
            throw error.asAppError
        }
        // Without it the session could not go on.
        guard token.holder != nil else { throw APIError.decoding }
        try await begin(token, with: Self.hub(of: answer, code.way), after: session)
    }

    /// Waits for what a pairing needs, and says what this device is called.
    private func prepare() async throws -> HubDevice {
        // What ends the last session may name this device, and would end the next one, too.
        await ending?.value
        await discovery.settle()
        do { return try device() } catch { throw PairingError.notKept }
    }

    private static func hub(of answer: AuthToken, _ way: HubWay?) -> PairedHub {
        let id = answer.hubID ?? way?.hubID
        return id.map { .known($0) } ?? (way == nil ? .behindRelay : .nameless)
    }

    /// Begins a session, unless another one has begun or ended meanwhile.
    private func begin(_ token: BearerToken, with hub: PairedHub, after session: Int) async throws {
        guard session == self.session else { throw CancellationError() }
        // From here on nothing of an earlier session is sent, and tokens are kept only where it is known whose they are.
        let begun: Int
        do { begun = try await end(isLeaving: discovery.paired != hub) } catch { throw PairingError.notKept }
        await ending?.value
        guard begun == self.session else { throw CancellationError() }
        do { try keychain.setHub(hub) } catch { throw PairingError.notKept }
        discovery.pair(with: hub)
        await tokens.signIn(token)
    }

    // MARK: The session

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
    /// Tokens are forgotten, and what is under way changes nothing any more; the name of this device stays. The hub is asked to revoke them and to forget
    /// the device's registration, for a few seconds after this has returned; a hub that is not reached keeps both.
    ///
    /// - Throws: Where the store does not forget them: they are gone from memory, and the next launch would find them.
    public func signOut() async throws(SecretStoreError) { _ = try await end(isLeaving: true) }

    /// Ends what is under way with hubs, and returns when it has ended.
    public func stop() async {
        ending?.cancel()
        await ending?.value
    }

    /// Ends the session, if there is one, and returns the number of what comes after it.
    private func end(isLeaving: Bool) async throws(SecretStoreError) -> Int {
        session += 1
        let (number, hub) = (session, discovery.paired)
        if let token = try? await tokens.kept() { tell(hub, of: token, isLeaving: isLeaving) }
        try await tokens.signOut()
        return number
    }

    /// Tells the hub that a session is over.
    private func tell(_ hub: PairedHub?, of token: BearerToken, isLeaving: Bool) {
        guard let id = try? keychain.deviceID(),
            let calls = try? dialect.calls.endings(of: token, for: id, isLeaving: isLeaving)
        else { return }
        let (before, last) = (ending, SessionEnding(calls, with: token, at: hub, http, discovery))
        ending = Task {
            await before?.value
            await last.run()
        }
    }

    private func forget() async {
        session += 1
        // What cannot be forgotten is found again by the next launch, and of no use to it either.
        try? await tokens.signOut()
    }

    private nonisolated static let signedOut = ServiceFailure(
        .signedOut,
        operation: "renew the token",
        peer: "",
        detail: "there is none"
    )

    private nonisolated static func bearer(
        _ token: AuthToken,
        last: BearerToken?
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
