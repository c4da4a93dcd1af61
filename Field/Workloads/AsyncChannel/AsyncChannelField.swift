import AsyncAlgorithms
import SimulationTesting
import Testing

@Suite struct AsyncChannelField {
    @Test(.simulated(seeds: 1...200))
    func `senders and receivers end, though some receivers are cancelled`() async throws {
        let channel = AsyncAlgorithms.AsyncChannel<Int>()
        let impatient = Task { for await _ in channel {} }
        try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
        impatient.cancel()
        await impatient.value
        let receiver = Task { for await _ in channel {} }
        for number in 0..<3 { await channel.send(number) }
        await channel.finish()
        await receiver.value
    }

    @Test(.simulated(seeds: 1...200))
    func `senders and receivers of a throwing channel end, though some receivers are cancelled`() async throws
    {
        let channel = AsyncThrowingChannel<Int, any Error>()
        let impatient = Task { for try await _ in channel {} }
        try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
        impatient.cancel()
        _ = await impatient.result
        let receiver = Task { for try await _ in channel {} }
        for number in 0..<3 { await channel.send(number) }
        await channel.finish()
        try await receiver.value
    }

    @Test(.simulated(seeds: 1...200))
    func `a finished channel ends all its receivers`() async throws {
        let channel = AsyncAlgorithms.AsyncChannel<Int>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { for await _ in channel {} } }
            group.addTask { await channel.finish() }
        }
    }

    @Test(.simulated(seeds: 1...200))
    func `a sender that is cancelled ends`() async throws {
        let channel = AsyncAlgorithms.AsyncChannel<Int>()
        let sender = Task { await channel.send(1) }
        try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
        sender.cancel()
        await sender.value
    }
}
