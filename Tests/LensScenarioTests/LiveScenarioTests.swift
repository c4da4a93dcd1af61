import LensScenarios
import ScenarioKit
import Simulation
import TestSupport
import Testing

@Suite("Scenarios over real sockets", .timeLimit(.minutes(10)))
struct LiveScenarioTests {
    @Test(
        "a scenario runs over simulators in virtual time, every step the same for the same seed, and over real sockets"
    )
    func anywhere() async throws {
        var scenario = LensStreaming()
        // Long enough for an answer also where many tests share two cores.
        scenario.seconds = 10
        var hashes: Set<UInt64> = []
        for seed in 1...3 as ClosedRange<UInt64> {
            let simulated = scenario.runSimulated(Recipe(seed: seed), checkingDeterminism: true)
            #expect(simulated.failure == nil)
            let report = try #require(simulated.report)
            #expect(report.time >= .seconds(10))
            hashes.insert(report.hash)
        }
        #expect(hashes.count == 3)
        let outcome = await scenario.runOverLoopback(seed: 1)
        #expect(outcome.failure == nil)
        #expect(outcome.summary?.figures.first { $0.name == "frames sent" }?.value ?? 0 >= 8)
    }

    /// Few things each, since time is real.
    private static let settings = [
        "lens-cameras": [:], "lens-user": ["actions": "5", "starts": "1"],
        "lens-chat": ["questions": "2"], "lens-files": ["files": "2"],
    ]

    @Test(
        "a scenario that needs no fault of a simulated world holds over real sockets too",
        arguments: settings.keys.sorted()
    )
    func holds(name: String) async throws {
        let type = try #require(ScenarioCatalogue.lens.scenario(named: name))
        let outcome = try await type.init(settings: Self.settings[name] ?? [:]).runOverLoopback(seed: 2)
        #expect(outcome.failure == nil)
        let figures = try #require(outcome.summary?.figures)
        switch name {
        case "lens-files": #expect(figures.first { $0.name == "usable" }?.value == 2)
        case "lens-chat": #expect(figures.first { $0.name == "requests" }?.value ?? 0 > 0)
        default: break
        }
    }

    @Test func `each scenario says whether it needs a simulated world`() {
        let live = ScenarioCatalogue.lens.scenarios.filter { !$0.needsSimulatedNetwork }
        #expect(Set(live.map { $0.name }) == Set(Self.settings.keys).union([LensStreaming.name]))
    }

    @Test func `a process that is killed leaves no session open, in the simulation and over real sockets`()
        async
    {
        let scenario = KilledStream()
        let (simulated, live) = (
            scenario.runSimulated(Recipe(seed: 1)), await scenario.runOverLoopback(seed: 1)
        )
        for outcome in [simulated, live] {
            #expect(outcome.failure == nil)
            #expect(outcome.summary == ScenarioSummary(["sessions": 1]))
        }
    }

    @Test(
        "the app uses each service that its environment has, in virtual time with the same log for the same seed, and over real sockets"
    )
    func exchanged() async throws {
        let scenario = EveryService()
        var logs: [[UInt64]] = []
        for _ in 1...2 {
            logs.append(
                try (1...3 as ClosedRange<UInt64>).map { seed in
                    let simulated = scenario.runSimulated(Recipe(seed: seed))
                    #expect(simulated.failure == nil)
                    return try #require(simulated.report).hash
                }
            )
        }
        #expect(logs[0] == logs[1] && Set(logs[0]).count == 3)
        let live = await scenario.runOverLoopback(seed: 1)
        #expect(live.failure == nil)
        #expect(live.summary?.figures.map(\.value) == [UsedServices.Service.allCases.count])
    }

    @Test(
        "LENS-249 one environment wires for each protocol what is simulated or the real thing, and a scenario of simulators has the same log twice from a seed",
        .enabled(if: RealServices.isPossible, RealServices.reason)
    )
    func wired() async throws {
        let simulated = EveryService()
        let hashes = (1...2).map { _ in simulated.runSimulated(Recipe(seed: 1)).report?.hash }
        #expect(hashes[0] != nil && hashes[0] == hashes[1])
        #expect(Set(simulated.used.types.keys) == Set(UsedServices.Service.allCases))

        let folder = try TemporaryFolder()
        let machine = try await RealServices(in: folder)
        for services in RealServices.exchanged {
            let used = try await machine.use(services)
            // The clients of models and stores are the real ones wherever their services are.
            for (service, type) in RealServices.types {
                #expect((used[service] == type) == services.contains(service), "\(service): \(used)")
                #expect(simulated.used.types[service] != type)
            }
            #expect(services == [.network] || Set(used.keys) == Set(UsedServices.Service.allCases))
        }
    }
}
