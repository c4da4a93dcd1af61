public import Exploration
import FaultPlans
import Foundation
import Services
public import SessionRecording
import SimulatedTransport
import Simulation
import Transport

/// A recording over real sockets as something to explore: its program, with peers that answer what they answered then.
///
/// All of it is in memory: workers are forked from the process that searches, and a database does not come through that.
struct ExploredRecording<Recorded: RecordedProgram>: Sendable {
    private let session: SessionReader
    private let program: Recorded
    private let traffic: RecordedTraffic
    private let screens: [RecordedScreen]
    private let events: [TraceEvent]
    private let film: AnsweringCamera.Film
    private let files: [String: [UInt8]]
    /// The last that it has, in nanoseconds since its start.
    private let last: Int64
    private let mask: SecretMask

    /// Reads a recording.
    ///
    /// - Throws: `SessionError`, ``ReplayError``.
    init(_ session: SessionReader) throws {
        self.session = session
        program = try Recorded(session)
        traffic = try RecordedTraffic(
            session,
            secrets: [ReplayedSession.secret] + (try session.typedSecrets())
        )
        guard !traffic.hasDatagrams else { throw ReplayError.datagrams(path: session.path) }
        screens = try session.screens().filter { $0.kind == .action }
        events = try session.events()
        film = try AnsweringCamera.Film(session)
        files = try session.files()
        last = try session.lastMoment()
        mask = session.mask(of: [ReplayedSession.secret])
    }

    /// What is explored.
    var explored: Program {
        var explored = Program(
            name: Recorded.name,
            summary: "what was recorded in \(session.path), in other orders and at other times",
            command: "lenssim run --from \(ShellWord.word(session.path))"
        ) { try await run() }
        let command = explored.command ?? ""
        explored.reproductionLine = { "\(command) --recipe '\($0)'" }
        explored.configuration = configuration
        return explored
    }

    /// As long as it was, with its program's patience, and with all that may come late.
    private var configuration: Simulation.Configuration {
        var configuration = Simulation.Configuration()
        configuration.startOfTime = .nanoseconds(session.manifest.startOfTime)
        configuration.maximumTime =
            .nanoseconds(max(last, session.outcome?.stoppedAt ?? 0)) + program.patience
            + Departures.mostDelay * min(traffic.count, 360)
        configuration.unwindsCrashedNodes = true
        return configuration
    }

    // MARK: One run

    private static var deviceName: String { "phone" }

    private func run() async throws {
        guard let simulation = Simulation.current else { throw OutsideASimulation() }
        let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.zero)))
        let phone = network.host(Self.deviceName)
        let departures = Departures(of: simulation)
        let peers = try await RecordedPeers(
            traffic,
            on: network,
            from: phone,
            departures: departures,
            isCutOff: session.outcome == nil
        )
        let space = FaultSpace(
            hosts: network.hostNames,
            clocks: [Self.deviceName],
            seconds: max(1, Double(last) / 1e9)
        )
        if let plan = try FaultPlan.ofThisRun(over: space) { try plan.apply(network: network) }
        let folder = try Simulation.asPlatform { Result { try filledFolder() } }.get()
        let device = simulation.node(Self.deviceName)
        // The names that the program draws stand in what its peers say.
        device.draw(as: "test", seed: session.manifest.seed)
        do {
            try await device.run { try await use(peers, departures, folder) }
        } catch  where session.outcome?.failure.map(mask.masked) == mask.masked("\(error)") {
            // As it failed in the recording.
        }
    }

    private func filledFolder() throws -> WorldFolder {
        let folder = try WorldFolder()
        try session.restore(files, in: folder.path)
        return folder
    }

    /// One use of the program, which ends at the latest where a recording was cut off.
    private func use(_ peers: RecordedPeers, _ departures: Departures, _ folder: WorldFolder) async throws {
        let clock = SessionClock()
        let stop = session.outcome == nil ? last : session.outcome?.stoppedAt
        let device = AnsweringDevice(path: session.path, events: events, clock: clock) {
            departures.delay(of: $0)
        }
        let replayed = ReplayedSession(
            session,
            clock,
            transport: peers,
            screenLog: CheckedScreens(properties: Recorded.properties),
            device: device,
            actions: departures.moved(screens, end: stop ?? last),
            stoppedAt: stop,
            folder: folder.path
        ) { [film] maker in maker ?? AnsweringCamera(film) }
        guard session.outcome == nil else { return try await program.run(on: replayed) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await program.run(on: replayed) }
            group.addTask { try await clock.sleep(until: last + Self.afterCut) }
            try await group.next()
            group.cancelAll()
        }
    }

    /// How long a program has to end after the last that a recording has which was cut off.
    private static var afterCut: Int64 { 1_000_000_000 }
}

extension SessionReader {
    /// The recording as something to explore: a search begins with its answers, its settings and its files.
    ///
    /// One over real sockets runs its program again, with peers that answer what they answered; the seed decides about the order of steps,
    /// about when each answer comes, and with a plan of faults about what gets lost. One that was simulated is its scenario with
    /// its settings.
    ///
    /// - Throws: ``ReplayError``, `SessionError`.
    public func program(with catalogue: ScenarioCatalogue) throws -> Program {
        try checkInputs()
        switch manifest.fidelity {
        case .simulated: return try scenario(in: catalogue).program
        case .loopback:
            guard let program = catalogue.program(named: manifest.scenario) else {
                throw ReplayError.unknownScenario(manifest.scenario)
            }
            return try explored(program)
        }
    }

    private func explored<Recorded: RecordedProgram>(_ type: Recorded.Type) throws -> Program {
        try ExploredRecording<Recorded>(self).explored
    }
}
