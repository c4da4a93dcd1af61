import Concurrency
import Foundation
import LiveTransport
import Nova
import NovaPage
import NovaServer
import ServiceClient
import Services
import Transport

/// A Nova of this run, with its storage, its issuer of identity tokens and other people, and the device around the app.
///
/// Service and storage are ports of this machine. In aeroplane mode nobody listens there, and the device knows that it has no network.
@MainActor
final class SimulatedNova: SurroundingsControls {
    nonisolated let states: Published<SurroundingsState>
    /// What the device says of its network.
    nonisolated let network = NetworkReports(isConnected: true)
    /// Where Nova is.
    nonisolated let address: ServiceAddress
    /// Where its storage is.
    nonisolated let storage: String
    /// Signs somebody in at the issuer.
    nonisolated let identity: SimulatedIdentity

    private let nova: NovaServer
    private let host: LoopbackHost
    private nonisolated let library: SimulatedLibrary
    private let ports: [Int]
    private var listeners: [any Listener]
    private let current: CurrentValue<SurroundingsState>
    private var acts = 0
    /// What is switched last is what is there in the end.
    private var switching: Task<Void, Never>?

    /// Starts the service and its storage on free ports.
    static func start(_ choices: RunningNova.Choices, on host: LoopbackHost) async throws -> SimulatedNova {
        var project = NovaProject.seeded(posts: choices.posts)
        if let lifetime = choices.tokenLifetime { project.tokenLifetime = lifetime }
        // Who tries things out does them often.
        (project.rates.signIn, project.rates.post) = (nil, nil)
        let nova = NovaServer(project)
        let service = try await host.listen(nova, at: .loopback())
        do {
            let storage = try await host.listen(nova.storage, at: .loopback())
            nova.setStorageURL("http://\(storage.address)")
            guard let address = ServiceAddress("http://\(service.address)"), let person = project.users.first
            else { throw TransportError(.protocolViolation, operation: "serve", peer: "\(service.address)") }
            return SimulatedNova(nova, host, [service, storage], address, person)
        } catch {
            await service.stop()
            throw error
        }
    }

    private init(
        _ nova: NovaServer,
        _ host: LoopbackHost,
        _ listeners: [any Listener],
        _ address: ServiceAddress,
        _ person: NovaUser
    ) {
        (self.nova, self.host, self.listeners, self.address) = (nova, host, listeners, address)
        ports = listeners.map(\.address.port)
        storage = "http://\(listeners[1].address)"
        identity = SimulatedIdentity(issuer: nova.apple)
        library = SimulatedLibrary()
        current = CurrentValue(
            SurroundingsState(
                email: person.email,
                password: person.password,
                photos: library.photos.count
            )
        )
        states = current.published
    }

    /// Ends all of it.
    func stop() async {
        await switching?.value
        for listener in listeners { await listener.stop() }
    }

    // MARK: What a person does

    func setAeroplaneMode(_ isOn: Bool) async {
        let before = switching
        let task = Task {
            await before?.value
            await change(isOn)
        }
        switching = task
        await task.value
    }

    private func change(_ isOn: Bool) async {
        if isOn {
            network.report(isConnected: false)
            let ended = listeners
            listeners = []
            for listener in ended { await listener.stop() }
        } else if listeners.isEmpty {
            for (port, server) in zip(ports, [nova, nova.storage] as [any Server]) {
                guard let listener = try? await host.listen(server, at: .loopback(port: port)) else { break }
                listeners.append(listener)
            }
            if listeners.count == ports.count {
                network.report(isConnected: true)
            } else {
                // One of the ports is somebody else's now: the next try begins with both.
                for listener in listeners { await listener.stop() }
                listeners = []
            }
        }
        let isOff = !network.isConnected
        current.update { $0.isAeroplaneModeOn = isOff }
    }

    /// Somebody likes and comments on the newest post of each account that can be used here, or follows one without posts.
    func act() async {
        let people = [
            nova.account(email: states.value.email), nova.account(appleSubject: SimulatedIdentity.subject),
        ]
        let others = nova.project.users.dropFirst()
        guard let actor = others.dropFirst(acts % max(1, others.count)).first else { return }
        acts += 1
        for person in people.compactMap(\.self) {
            guard let post = nova.posts.first(where: { $0.authorID == person.id }) else {
                nova.follow(person.id, by: actor.id)
                continue
            }
            nova.like(post.id, by: actor.id)
            nova.comment(post.id, by: actor.id, text: "I like how the light falls.")
        }
    }

    nonisolated func photo(_ number: Int) -> [UInt8]? {
        library.photos.indices.contains(number) ? library.photos[number] : nil
    }
}
