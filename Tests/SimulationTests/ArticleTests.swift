import Simulation
import SimulationTesting
import Testing

// What the articles of Simulation and SimulationTesting show, word for word; a house rule compares them.

actor Inbox {
    private(set) var letters: [Int] = []

    func put(_ letter: Int) { letters.append(letter) }
}

@Suite("Inbox", .simulated(seeds: 1...100))
struct InboxTests {
    @Test func `every letter arrives within a second`() async throws {
        let inbox = Inbox()
        try await withThrowingTaskGroup { group in
            for letter in 1...3 {
                group.addTask {
                    try await Task.sleep(for: .milliseconds(.random(in: 1...900)))
                    await inbox.put(letter)
                }
            }
            try await group.waitForAll()
        }
        #expect(await inbox.letters.sorted() == [1, 2, 3])
        #expect(try #require(Simulation.current).now < .seconds(1))
    }
}

actor Gate {
    private var isOpen = false
    private var guest: CheckedContinuation<Void, Never>?

    func open() {
        isOpen = true
        guest?.resume()
    }

    func pass() async {
        if isOpen { return }
        await Task.yield()
        await withCheckedContinuation { guest = $0 }
    }
}

func meet() async {
    let gate = Gate()
    let guest = Task(name: "guest") { await gate.pass() }
    await gate.open()
    await guest.value
}

func firstFailure(in seeds: ClosedRange<UInt64>) -> (seed: UInt64, error: any Error)? {
    for seed in seeds {
        do { try Simulation(seed: seed).run { await meet() } } catch { return (seed, error) }
    }
    return nil
}

func trace(of seed: UInt64) -> Trace {
    var configuration = Simulation.Configuration()
    configuration.recordsSteps = true
    let simulation = Simulation(seed: seed, configuration: configuration)
    try? simulation.run { await meet() }
    return simulation.trace(events: [])
}

@Suite("Articles")
struct ArticleTests {
    @Test func `the gate of the article forgets its guest, and the error and the trace name the guest`()
        throws
    {
        let failure = try #require(firstFailure(in: 1...100))
        #expect("\(failure.error)".contains("“guest” on node test, suspended at"), "\(failure.error)")
        #expect(trace(of: failure.seed).tasks.contains { $0.name == "guest" })
    }
}
