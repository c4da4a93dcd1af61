import Concurrency
import Foundation
import ServiceClient
import Services
import SimulationTesting
import Synchronization
import Testing

@Suite("Bearer tokens", .simulated(seeds: 1...10))
struct BearerTokensTests {
    /// Gives tokens with numbers, each after a moment.
    private final class Issuer: Sendable {
        private let state = Mutex<(asked: [String?], failure: ServiceFailure?)>(([], nil))
        let lifetime: Double

        init(lifetime: Double = 100) { self.lifetime = lifetime }

        /// What was asked with: the refresh tokens.
        var asked: [String?] { state.withLock { $0.asked } }

        func fail(_ failure: ServiceFailure?) { state.withLock { $0.failure = failure } }

        func renew(_ last: BearerToken?) async throws(ServiceFailure) -> BearerToken {
            let (number, failure) = state.withLock { state in
                state.asked.append(last?.refresh?.reveal())
                return (state.asked.count, state.failure)
            }
            do { try await Task.sleep(for: .milliseconds(200)) } catch {
                throw ServiceFailure(.cancelled, operation: "renew", peer: "issuer")
            }
            if let failure { throw failure }
            return BearerToken(
                Secret("token-\(number)"),
                expiry: Date(timeIntervalSinceNow: lifetime),
                refresh: Secret("refresh-\(number)")
            )
        }
    }

    private func tokens(
        _ issuer: Issuer,
        in secrets: any SecretStore = BrittleSecrets(),
        leeway: Duration = .zero
    ) -> BearerTokens {
        BearerTokens(in: secrets, named: "token", leeway: leeway) { last throws(ServiceFailure) in
            try await issuer.renew(last)
        }
    }

    private func value(_ tokens: BearerTokens) async -> String {
        do throws(ServiceFailure) { return try await tokens.valid().value.reveal() } catch {
            return error.code.rawValue
        }
    }

    @Test func `any number of waiters share one renewal, whichever of them leaves`() async throws {
        let issuer = Issuer()
        let tokens = tokens(issuer)
        let waiters = (0..<20).map { _ in Task { await value(tokens) } }
        let leaving = Set((0..<5).map { _ in Int.random(in: 0..<20) } + [0])
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
        for number in leaving { waiters[number].cancel() }
        for (number, waiter) in waiters.enumerated() {
            let value = await waiter.value
            #expect(
                value == "token-1" || leaving.contains(number) && value == "cancelled",
                "\(number): \(value)"
            )
        }
        #expect(issuer.asked.count == 1)
    }

    @Test func `a call waits for a token no longer than it may take`() async throws {
        let tokens = BearerTokens(in: BrittleSecrets(), named: "token") { _ throws(ServiceFailure) in
            try? await Task.sleep(for: .seconds(100))
            return BearerToken(Secret("late"), expiry: .distantFuture)
        }
        let http = ListedClient([.answer(200)])
        let start = ContinuousClock.now
        var code: ServiceFailure.Code?
        do throws(ServiceFailure) {
            _ = try await ServiceClient(http, deadline: .seconds(20), tokens: tokens).answer(to: .get("/a"))
        } catch { code = error.code }
        #expect(code == .timedOut && http.sent.isEmpty)
        #expect(ContinuousClock.now - start >= .seconds(20) && ContinuousClock.now - start < .seconds(21))
        // Its renewal served the next one.
        try await Task.sleep(for: .seconds(90))
        #expect(await value(tokens) == "late")
    }

    @Test func `a renewal goes on without those that asked for it, and its token is kept`() async throws {
        let (issuer, secrets) = (Issuer(), BrittleSecrets())
        let tokens = tokens(issuer, in: secrets)
        let waiter = Task { await value(tokens) }
        try await Task.sleep(for: .milliseconds(100))
        waiter.cancel()
        #expect(await waiter.value == "cancelled")
        try await Task.sleep(for: .seconds(1))
        #expect(await value(tokens) == "token-1")
        #expect(issuer.asked.count == 1)
        #expect(try secrets.secret(named: "token") != nil)
    }

    @Test func `a token is renewed before its end by the leeway, with what renews it`() async throws {
        let issuer = Issuer(lifetime: 100)
        let tokens = tokens(issuer, leeway: .seconds(30))
        #expect(await value(tokens) == "token-1")
        try await Task.sleep(for: .seconds(69))
        #expect(await value(tokens) == "token-1")
        try await Task.sleep(for: .seconds(2))
        #expect(await value(tokens) == "token-2")
        #expect(issuer.asked == [nil, "refresh-1"])
    }

    @Test func `refusals of one token renew once, also those that come when it is renewed already`()
        async throws
    {
        let issuer = Issuer()
        let tokens = tokens(issuer)
        let old = try await tokens.valid()
        let refused = (0..<5).map { number in
            Task {
                try await Task.sleep(for: .milliseconds(number * 100))
                return try await tokens.renewed(after: old).value.reveal()
            }
        }
        for task in refused { #expect(try await task.value == "token-2") }
        #expect(issuer.asked.count == 2)
    }

    @Test func `while a refused token is renewed it is given to no other call`() async throws {
        let issuer = Issuer()
        let tokens = tokens(issuer)
        let old = try await tokens.valid()
        let renewal = Task { try await tokens.renewed(after: old).value.reveal() }
        try await Task.sleep(for: .milliseconds(100))
        #expect(await value(tokens) == "token-2")
        #expect(try await renewal.value == "token-2")
    }

    @Test func `a failure reaches every waiter, and the next call tries again with what was kept`()
        async throws
    {
        let issuer = Issuer()
        let tokens = tokens(issuer)
        let old = try await tokens.valid()
        issuer.fail(ServiceFailure(.interrupted, operation: "renew", peer: "issuer"))
        let waiters = (0..<3).map { _ in Task { try? await tokens.renewed(after: old) } }
        for waiter in waiters { #expect(await waiter.value == nil) }
        issuer.fail(nil)
        // The answer was lost: the service may have given another token, and is asked with the same.
        #expect(try await tokens.renewed(after: old).value.reveal().hasPrefix("token"))
        #expect(issuer.asked.dropFirst().allSatisfy { $0 == "refresh-1" })
    }

    @Test(arguments: [400, 401, 403])
    func `what renews a token is forgotten where the service refuses it`(_ status: Int) async throws {
        let (issuer, secrets) = (Issuer(), BrittleSecrets())
        let tokens = tokens(issuer, in: secrets)
        let old = try await tokens.valid()
        #expect(tokens.isSignedIn.value)
        issuer.fail(ServiceFailure(.refused, operation: "renew", peer: "issuer", status: status))
        await #expect(throws: ServiceFailure.self) { try await tokens.renewed(after: old) }
        #expect(!tokens.isSignedIn.value)
        #expect(try secrets.secret(named: "token") == nil)
        // Another refusal says nothing of it.
        issuer.fail(nil)
        _ = try await tokens.valid()
        issuer.fail(ServiceFailure(.refused, operation: "renew", peer: "issuer", status: 503))
        await #expect(throws: ServiceFailure.self) {
            try await tokens.renewed(after: try await tokens.valid())
        }
        #expect(tokens.isSignedIn.value)
    }

    @Test func `a sign-out ends those that wait, and the answer that comes after it restores nothing`()
        async throws
    {
        let (issuer, secrets) = (Issuer(), BrittleSecrets())
        let tokens = tokens(issuer, in: secrets)
        let waiter = Task { await value(tokens) }
        try await Task.sleep(for: .milliseconds(100))
        try await tokens.signOut()
        #expect(await waiter.value == "signedOut")
        try await Task.sleep(for: .seconds(1))
        #expect(!tokens.isSignedIn.value)
        #expect(try secrets.secret(named: "token") == nil)
        // A store that does not forget is said.
        secrets.fail()
        await #expect(throws: SecretStoreError.self) { try await tokens.signOut() }
        secrets.fail(false)
        // A sign-in while the renewal of the one before is under way is not touched by it.
        let second = Task { await value(tokens) }
        try await Task.sleep(for: .milliseconds(100))
        await tokens.signIn(BearerToken(Secret("signed-in"), expiry: Date(timeIntervalSinceNow: 100)))
        _ = await second.value
        try await Task.sleep(for: .seconds(1))
        #expect(await value(tokens) == "signed-in")
    }

    @Test
    func `a kept token is used by the next process, and one that cannot be read is an error that passes`()
        async throws
    {
        let (issuer, secrets) = (Issuer(), BrittleSecrets())
        _ = try await tokens(issuer, in: secrets).valid()
        let next = tokens(issuer, in: secrets)
        secrets.fail()
        #expect(await value(next) == "signedOut")
        secrets.fail(false)
        #expect(await value(next) == "token-1")
        #expect(issuer.asked.count == 1)
        // A store that takes nothing leaves the token in memory.
        let brittle = BrittleSecrets()
        let third = tokens(issuer, in: brittle)
        let first = Task { await value(third) }
        try await Task.sleep(for: .milliseconds(100))
        brittle.fail()
        #expect(await first.value == "token-2")
        #expect(await value(third) == "token-2")
        #expect(issuer.asked.count == 2)
    }

    @Test func `a token that another process has renewed is taken from the store, and not asked for again`()
        async throws
    {
        let (issuer, store) = (Issuer(), BrittleSecrets())
        let (first, second) = (tokens(issuer, in: store), tokens(issuer, in: store))
        let old = try await first.valid()
        _ = try await second.kept()
        let new = try await first.renewed(after: old)
        let taken = try await second.renewed(after: old)
        #expect(taken.value == new.value && taken.refresh == new.refresh)
        #expect(issuer.asked.count == 2)
    }

    @Test
    func
        `a refresh token that the service gives back does not take the place of the one that another process has got`()
        async throws
    {
        let store = BrittleSecrets()
        func sessions() -> BearerTokens {
            BearerTokens(in: store, named: "token") { last throws(ServiceFailure) in
                try? await Task.sleep(for: .milliseconds(100))
                // As the public hub within its grace: the old one comes back.
                return BearerToken(Secret("late"), expiry: .distantFuture, refresh: last?.refresh)
            }
        }
        let (first, second) = (sessions(), sessions())
        let old = BearerToken(Secret("old"), expiry: .distantFuture, refresh: Secret("r0"))
        await first.signIn(old)
        #expect(try await second.kept() == old)
        let renewal = Task { try await second.renewed(after: old) }
        try await Task.sleep(for: .milliseconds(50))
        await first.signIn(BearerToken(Secret("new"), expiry: .distantFuture, refresh: Secret("r1")))
        let renewed = try await renewal.value
        #expect(renewed.value.reveal() == "late" && renewed.refresh?.reveal() == "r1")
        #expect(try store.secret(named: "token")?.reveal().contains("r1") == true)
        // One that was kept by nobody else stays.
        #expect(try await second.renewed(after: renewed).refresh?.reveal() == "r1")
    }

    @Test func `a refusal of a token that another process has renewed meanwhile ends no session`()
        async throws
    {
        let store = BrittleSecrets()
        let old = BearerToken(Secret("old"), expiry: .distantFuture, refresh: Secret("r0"))
        let new = BearerToken(Secret("new"), expiry: .distantFuture, refresh: Secret("r1"), holder: "7")
        let first = BearerTokens(in: store, named: "token") { _ in new }
        let second = BearerTokens(in: store, named: "token") { _ throws(ServiceFailure) in
            try? await Task.sleep(for: .milliseconds(100))
            throw ServiceFailure(.refused, operation: "renew", peer: "issuer", status: 401)
        }
        await first.signIn(old)
        _ = try await second.kept()
        let renewal = Task { try await second.renewed(after: old) }
        try await Task.sleep(for: .milliseconds(50))
        await first.signIn(new)
        #expect(try await renewal.value == new)
        #expect(try second.isSignedIn.value && store.secret(named: "token") != nil)
        // The next refusal is of the present one.
        await #expect(throws: ServiceFailure.self) { try await second.renewed(after: new) }
        #expect(try !second.isSignedIn.value && store.secret(named: "token") == nil)
    }

    @Test func `a store that kept nothing of the present token does not bring an older one back`()
        async throws
    {
        let (issuer, store) = (Issuer(), BrittleSecrets())
        let tokens = tokens(issuer, in: store)
        let first = try await tokens.valid()
        store.fail()
        let second = try await tokens.renewed(after: first)
        store.fail(false)
        _ = try await tokens.renewed(after: second)
        #expect(issuer.asked == [nil, "refresh-1", "refresh-2"])
    }
}
