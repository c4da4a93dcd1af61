import ArgusHub
import ArgusPage
import Concurrency
import Foundation
import LiveTransport
import ServiceClient
import SimulatedPush
import Transport

/// A home of this run: a hub with three cameras on the local network and behind a relay, and the notifications of this device.
///
/// The local network is a port of this machine, and so is the relay, which is slower. A hub that is taken off the network says nothing: it stays
/// listed until the app notices.
@MainActor
final class SimulatedHome: HomeControls {
    nonisolated let states: Published<HomeState>
    /// What finds the hub.
    nonisolated let network: HomeNetwork
    /// The notifications of this device.
    nonisolated let push: SimulatedPushCentre
    /// Where the hub is reached from everywhere.
    nonisolated let relay: ServiceAddress
    /// Where the hub is at home.
    nonisolated let hubAddress: ServiceAddress

    /// The code that pairs a device now.
    nonisolated var code: String { states.value.code }

    private let hub: ArgusHub
    private let host: LoopbackHost
    private let pushes: HomePushes
    private let hubPort: Int
    private let relayPort: Int
    private var hubListener: (any Listener)?
    private var relayListener: (any Listener)?
    private let current: CurrentValue<HomeState>
    private let running = OwnedTasks()
    private var rings = 0
    /// What is switched last is what is there in the end.
    private var switching: Task<Void, Never>?

    /// How long a code is shown before the next one, in seconds: less than the hub takes it.
    private static let codeSeconds = 240

    /// Starts hub and relay on free ports.
    static func start(_ choices: RunningArgus.Choices, on host: LoopbackHost) async throws -> SimulatedHome {
        let push = SimulatedPushCentre(token: (0..<32).map { _ in .random(in: 0...255) })
        let pushes = HomePushes(push)
        let hub = ArgusHub(.home(choices), pushes: pushes)
        let hubListener = try await host.listen(hub, at: .loopback())
        do {
            let relayListener = try await host.listen(Relay(hub), at: .loopback())
            guard let relay = ServiceAddress("http://\(relayListener.address)"),
                let address = ServiceAddress("http://\(hubListener.address)")
            else {
                throw TransportError(.protocolViolation, operation: "serve", peer: "\(relayListener.address)")
            }
            return SimulatedHome(hub, pushes, push, host, (hubListener, address), (relayListener, relay))
        } catch {
            await hubListener.stop()
            throw error
        }
    }

    private init(
        _ hub: ArgusHub,
        _ pushes: HomePushes,
        _ push: SimulatedPushCentre,
        _ host: LoopbackHost,
        _ atHome: (listener: any Listener, address: ServiceAddress),
        _ fromEverywhere: (listener: any Listener, address: ServiceAddress)
    ) {
        (self.hub, self.pushes, self.push, self.host) = (hub, pushes, push, host)
        (hubListener, hubAddress) = atHome
        (relayListener, relay) = fromEverywhere
        (hubPort, relayPort) = (atHome.listener.address.port, fromEverywhere.listener.address.port)
        network = HomeNetwork()
        current = CurrentValue(HomeState(code: hub.makeCode()))
        states = current.published
        network.list(hub.project.hubID, at: hubPort)
    }

    /// Runs the rules of the hub, and shows a new code as soon as one is wanted again.
    ///
    /// - Parameter isPaired: Whether the app is paired; without it a new code is shown only in its time.
    func follow(_ isPaired: Published<Bool> = CurrentValue(false).published) {
        let hub = hub
        running.replace(with: [
            Task { await hub.run() },
            Task { [weak self] in
                // The first code is there.
                for await isPaired in isPaired.values().dropFirst() where !isPaired { self?.showCode() }
            },
            Task { [weak self] in
                while (try? await Task.sleep(for: .seconds(Self.codeSeconds))) != nil { self?.showCode() }
            },
        ])
    }

    /// Ends all of it.
    func stop() async {
        running.cancelAll()
        await switching?.value
        await hubListener?.stop()
        await relayListener?.stop()
    }

    // MARK: What a person does

    func setHub(isAtHome: Bool) async {
        await change { home in
            if isAtHome, home.hubListener == nil {
                home.hubListener = try? await home.host.listen(home.hub, at: .loopback(port: home.hubPort))
                if home.hubListener != nil { home.network.list(home.hub.project.hubID, at: home.hubPort) }
            } else if !isAtHome, let listener = home.hubListener {
                home.hubListener = nil
                home.network.lose()
                await listener.stop()
            }
            let isThere = home.hubListener != nil
            home.current.update { $0.isHubAtHome = isThere }
        }
    }

    func setInternet(isOn: Bool) async {
        await change { home in
            if isOn, home.relayListener == nil {
                home.relayListener = try? await home.host.listen(
                    Relay(home.hub),
                    at: .loopback(port: home.relayPort)
                )
            } else if !isOn, let listener = home.relayListener {
                home.relayListener = nil
                await listener.stop()
            }
            let isThere = home.relayListener != nil
            home.pushes.setOnline(isThere)
            home.current.update { $0.isInternetOn = isThere }
        }
    }

    func ring() {
        rings += 1
        hub.add(
            HubEvent(
                id: "evt_ring_\(rings)",
                timestamp: Date(),
                detectionType: "ring",
                description: "Somebody is at the front of the house, and has rung the bell."
            )
        )
    }

    func showCode() {
        let code = hub.makeCode()
        current.update { $0.code = code }
    }

    /// One change after the other.
    private func change(_ body: @escaping @MainActor (SimulatedHome) async -> Void) async {
        let before = switching
        let task = Task { @MainActor in
            await before?.value
            await body(self)
        }
        switching = task
        await task.value
    }
}
