import Concurrency
import Testing

@Suite("Retry policy")
struct RetryPolicyTests {
    @Test("waits double from the first to the longest, then end")
    func waits() {
        let policy = RetryPolicy(retries: 5, first: .seconds(1), longest: .seconds(6))
        let waits = (0...6).map { policy.wait(beforeRetry: $0) }
        #expect(waits == [nil, .seconds(1), .seconds(2), .seconds(4), .seconds(6), .seconds(6), nil])
    }

    @Test("jitter adds up to its fraction and never takes away", arguments: 1...3)
    func jitter(retry: Int) throws {
        let policy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4), jitter: 0.25)
        let plain = try #require(policy.wait(beforeRetry: retry))
        for _ in 0..<200 {
            let wait = try #require(policy.jitteredWait(beforeRetry: retry))
            #expect(wait >= plain && wait <= plain * 1.25)
        }
    }

    @Test("a huge number of retries neither overflows nor takes long")
    func huge() {
        let policy = RetryPolicy(retries: .max, first: .seconds(1), longest: .seconds(60))
        #expect(policy.wait(beforeRetry: .max) == .seconds(60))
    }

    @Test("negative numbers count as zero")
    func negative() {
        let policy = RetryPolicy(retries: -1, first: .seconds(-1), longest: .seconds(-5), jitter: -1)
        #expect(policy.wait(beforeRetry: 1) == nil)
        #expect(policy.first == .zero && policy.longest == .zero && policy.jitter == 0)
    }
}
