import Concurrency
import SimulationTesting
import Synchronization
import Testing

// The example of Concurrency.docc, word for word.
actor Catalogue {
    private let loading = SingleFlight<[String]>()
    private let load: @Sendable () async -> [String]

    init(load: @escaping @Sendable () async -> [String]) { self.load = load }

    func titles() async -> [String]? { await loading.run(load) }
}

@Test(.simulated(seeds: 1...20))
func `many readers of a catalogue load it once`() async throws {
    let loads = CurrentValue(0)
    let catalogue = Catalogue {
        loads.update { $0 += 1 }
        try? await Task.sleep(for: .seconds(1))
        return ["Emma"]
    }
    let readers = (0..<5).map { _ in Task { await catalogue.titles() } }
    for reader in readers { #expect(await reader.value == ["Emma"]) }
    #expect(loads.value == 1)
}
