import Foundation
import Synchronization
import Testing
import Till

struct TillTests {
    private static let openings = Mutex(0)

    @Test func `one payment is booked`() async throws {
        let till = Till()
        try await Task.sleep(for: .seconds(3600))
        await till.pay(100)
        #expect(await till.cents == 100)
    }

    @Test(arguments: [1, 100]) func `two payments are booked`(amount: Int) async throws {
        let till = Till()
        async let first: Void = till.pay(amount)
        async let second: Void = {
            // Long after the first, as a rule.
            try? await Task.sleep(for: .milliseconds(20))
            await till.pay(amount)
        }()
        _ = await (first, second)
        #expect(await till.cents == 2 * amount)
    }

    @Test func `a queue books a payment`() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "till").async { continuation.resume() }
        }
    }

    @Test func `the till is opened once`() async {
        let opening = Self.openings.withLock { count in
            count += 1
            return count
        }
        await Task.yield()
        #expect(opening == 1)
    }

    /// Whether tests end their process that are not asynchronous.
    private static let breaks = ProcessInfo.processInfo.environment["TILL_BREAKS"] != nil

    @Test(.enabled(if: breaks)) func `a drawer is stuck`() { preconditionFailure("stuck") }

    @Test func `an amount has cents`() { #expect("\(100)".count == 3) }
}
