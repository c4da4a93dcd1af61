import AppKernel
public import Notes
import Probes
public import ScenarioKit
import SimulatedTransport
import Simulation

extension AppWorld<NotesApp> {
    /// A device with the app, and its service, inside the current simulation.
    ///
    /// - Parameters:
    ///   - server: The service.
    ///   - keepsKeys: Whether the attempts of a note share a key.
    public static func notes(_ server: NotesServer, keepsKeys: Bool = true) async throws -> AppWorld {
        let blueprint = Blueprint(
            peers: [WorldPeer("notes", server, faultPoints: NotesServer.faultPoints)],
            link: LinkConditions(latency: .exponential(mean: .milliseconds(50)))
        ) { device in
            try NotesApp(
                database: AppDatabase(path: device.databasePath("notes.sqlite")),
                http: device.transport,
                address: device.address(of: "notes"),
                network: device.network,
                keepsKeys: keepsKeys
            )
        } shutdown: { app in
            await app.shutdown()
        }
        return try await start(blueprint)
    }
}

/// Notes are written while the network comes and goes, answers are lost, and the process is killed.
public struct NotesSync: Scenario {
    /// The command-line name.
    public static let name = "notes-sync"
    /// One sentence.
    public static let summary = "the service has every note once, in the order of writing, whatever breaks"
    /// What a sweep over it should reach.
    public static let expects = [
        "a note is written without a network", "the process is killed with a note to send",
        "the service gets a note again",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("notes", \.notes, in: 1...1_000, "Notes to write."),
        Setting("keeps-keys", \.keepsKeys, "The attempts of a note share a key."),
    ]

    /// Notes to write.
    public var notes = 8
    /// Whether the attempts of a note share a key; without that the app has a bug.
    public var keepsKeys = true

    /// Makes one with its defaults.
    public init() {}

    /// What happens before a note is written.
    private enum Event: CaseIterable { case nothing, networkLost, networkBack, kill, answerLost, refusal }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        let server = NotesServer()
        let world = try await AppWorld.notes(server, keepsKeys: keepsKeys)
        // Drawn before the first note: a run that leaves out some of them does the same to the others.
        let pauses = (0..<notes).map { _ in Duration.milliseconds(Int.random(in: 0...2_000)) }
        let events = (0..<notes).map { _ in Event.allCases.randomElement() ?? .nothing }
        var written: [String] = []
        for number in Simulation.work("notes", count: notes) {
            try await Task.sleep(for: pauses[number])
            switch events[number] {
            case .nothing: break
            case .networkLost: world.goOffline()
            case .networkBack: world.goOnline()
            case .kill:
                let waits = try world.app.notes().contains { $0.status == .waiting }
                sometimes("the process is killed with a note to send", waits)
                try await world.restart()
            case .answerLost: world.arm("notes.answerLost", atMost: 1)
            case .refusal: world.arm("http.503", atMost: 1)
            }
            sometimes("a note is written without a network", events[number] == .networkLost)
            let text = "note \(number)"
            try await world.onDevice { try $0.write(text) }
            written.append(text)
        }
        // The last note, too, may meet what was armed for it.
        try await Task.sleep(for: .seconds(2))
        world.heal()
        world.goOnline()
        try await settle(world)
        try check(server.notes == written, "the service has every note once, in order", "\(server.notes)")
        let kept = try world.app.notes().map(\.text)
        try check(kept == written, "the app has every note once, in order", "\(kept)")
        sometimes("the service gets a note again", server.repetitions > 0)
        try await world.shutdown()
        return ScenarioSummary([
            "notes": written.count, "kills": world.device.crashes, "repetitions": server.repetitions,
        ])
    }

    /// Waits until all is sent, and tries again what has failed, as a person would: an hour at most.
    private func settle(_ world: AppWorld<NotesApp>) async throws {
        for _ in 0..<360 where try world.app.notes().contains(where: { $0.status != .sent }) {
            try await world.onDevice { try $0.retry() }
            try await Task.sleep(for: .seconds(10))
        }
        let left = try world.app.notes().filter { $0.status != .sent }
        try check(left.isEmpty, "every note is sent once the faults are over", "\(left)")
    }
}
