public import Concurrency
internal import Foundation
public import Services

/// Has a valid token for every call, and renews it once however many calls wait for that.
///
/// A token is renewed when it is expired, and when the service has refused it: ``valid()`` and ``renewed(after:)`` share one renewal that is under
/// way, and the second does nothing where the token that was refused is not the present one any more. A waiter that is cancelled leaves alone;
/// the renewal goes on, since its answer may hold the only token that the service will still take.
///
/// The present token is kept in a store of secrets before it is used. A store that cannot keep it leaves it in memory, until the process
/// ends. A token that is expired when it arrives serves the calls that wait for it, and no other.
public actor BearerTokens {
    /// Asks the service for a token.
    ///
    /// - Parameter last: The present token, as it may be needed for the next one; `nil` where there is none.
    /// - Throws: `refused` with one of the refusals where the service takes the last token for no good: it is then forgotten.
    public typealias Renewal =
        @Sendable (_ last: BearerToken?) async throws(ServiceFailure) -> BearerToken

    /// Whether there is a token, of whatever age.
    public nonisolated let isSignedIn: Published<Bool>
    /// Whether the store has what is in memory: false from a token that it could not keep to the next one that it keeps, or to a sign-out.
    public nonisolated let isKept: Published<Bool>

    private let renew: Renewal
    private let secrets: any SecretStore
    private let name: String
    private let leeway: Duration
    private let refusals: Set<Int>
    private let signedIn = CurrentValue(false)
    private let stored = CurrentValue(true)
    private var token: BearerToken?
    private var wasRead = false
    private var renewals = SingleFlight<Result<BearerToken, ServiceFailure>>()
    private var isRenewing = false
    /// The number of the sign-in: what an earlier one still answers is nothing.
    private var era = 0

    /// Keeps tokens under a name of a store, which is read when the first token is needed.
    ///
    /// - Parameters:
    ///   - secrets: Where the token is kept.
    ///   - name: What it is called there.
    ///   - leeway: How long before its end a token is renewed.
    ///   - refusals: The statuses that say that the last token is no good.
    ///   - renew: Asks for a token; at most one call of it is under way for each sign-in.
    public init(
        in secrets: any SecretStore,
        named name: String,
        leeway: Duration = .zero,
        refusals: Set<Int> = [400, 401, 403],
        renew: @escaping Renewal
    ) {
        self.secrets = secrets
        self.name = name
        self.leeway = leeway
        self.refusals = refusals
        self.renew = renew
        isSignedIn = signedIn.published
        isKept = stored.published
    }

    /// A token that is not expired.
    ///
    /// - Throws: What the renewal throws, to all that wait for it; `signedOut` after ``signOut()``; `cancelled`.
    public func valid() async throws(ServiceFailure) -> BearerToken {
        try read()
        if let token, !isRenewing, token.isFresh(at: Date(), leeway: leeway) { return token }
        return try await renewed()
    }

    /// The present token, of whatever age, as the store has it, without asking for another one; `nil` where there is none.
    ///
    /// - Throws: `signedOut` where the store cannot be read.
    public func kept() throws(ServiceFailure) -> BearerToken? {
        try read()
        return token
    }

    /// Another token than one that the service has refused.
    ///
    /// - Parameter refused: The token that was sent.
    /// - Throws: As ``valid()``.
    public func renewed(after refused: BearerToken) async throws(ServiceFailure) -> BearerToken {
        try read()
        if let token, !isRenewing, token.value != refused.value { return token }
        return try await renewed()
    }

    /// Takes over the token of a sign-in, in the place of any other.
    public func signIn(_ new: BearerToken) {
        begin()
        take(new)
    }

    /// Forgets the token; what waits for one fails with `signedOut` when the request that is under way has ended, and its answer is dropped.
    ///
    /// - Throws: Where the store does not forget it: it is gone from memory, and the next process would find it.
    public func signOut() throws(SecretStoreError) {
        begin()
        wasRead = true
        token = nil
        signedIn.set(false)
        stored.set(true)
        try secrets.set(nil, named: name)
    }

    /// The present token, where it can be used without asking for another one.
    func present() -> BearerToken? {
        guard wasRead, !isRenewing, let token, token.isFresh(at: Date(), leeway: leeway) else { return nil }
        return token
    }

    // MARK: One renewal

    /// Begins another sign-in: what is under way for the one before is dropped.
    private func begin() {
        era += 1
        renewals = SingleFlight()
        isRenewing = false
    }

    private func renewed() async throws(ServiceFailure) -> BearerToken {
        isRenewing = true
        let era = era
        let outcome = await renewals.run { await self.renewal(in: era) }
        guard let outcome else {
            throw ServiceFailure(.cancelled, operation: "renew the token", peer: name)
        }
        return try outcome.get()
    }

    private func renewal(in era: Int) async -> Result<BearerToken, ServiceFailure> {
        let outcome: Result<BearerToken, ServiceFailure>
        do throws(ServiceFailure) { outcome = .success(try await renew(token)) } catch {
            outcome = .failure(error)
        }
        guard era == self.era else {
            return .failure(
                ServiceFailure(
                    .signedOut,
                    operation: "renew the token",
                    peer: name,
                    detail: "signed out meanwhile"
                )
            )
        }
        isRenewing = false
        switch outcome {
        case .success(let new) where !new.value.isHeaderValue:
            // It would fail each call, and be renewed by none.
            return .failure(
                ServiceFailure(
                    .malformed,
                    operation: "renew the token",
                    peer: name,
                    detail: "the token holds characters that no token has"
                )
            )
        case .success(let new): take(new)
        case .failure(let failure)
        where failure.code == .refused && refusals.contains(failure.status ?? 0):
            forget()
        case .failure: break
        }
        return outcome
    }

    // MARK: The store

    private func read() throws(ServiceFailure) {
        guard !wasRead else { return }
        let kept: Secret?
        do { kept = try secrets.secret(named: name) } catch {
            throw ServiceFailure(.signedOut, operation: "read the token", peer: name, detail: "\(error)")
        }
        wasRead = true
        token = kept.flatMap { BearerToken(kept: $0) }
        signedIn.set(token != nil)
    }

    private func take(_ new: BearerToken) {
        wasRead = true
        token = new
        let isKept: Bool
        do {
            try secrets.set(new.asSecret, named: name)
            isKept = true
        } catch { isKept = false }
        if stored.value != isKept { stored.set(isKept) }
        signedIn.set(true)
    }

    private func forget() {
        token = nil
        try? secrets.set(nil, named: name)
        signedIn.set(false)
    }
}
