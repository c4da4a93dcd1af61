package import ScenarioKit
internal import Services
internal import SimulatedDevice
internal import SimulatedTransport
internal import SupabaseServer

/// A device with the app, a store of files and a service that takes words.
package struct DeliveryWorld: Sendable {
    /// The device, the network and the services.
    package let base: AppWorld<DeliveriesPhone>
    /// The service that takes words.
    package let actions: ActionServer
    /// What was promised, and what was seen.
    package let promise: Promise
    private let store: SupabaseServer

    /// Starts it inside the current simulation.
    ///
    /// - Parameter tokenLifetime: How long a token of the store is good.
    static func start(tokenLifetime: Duration) async throws -> DeliveryWorld {
        let (promise, actions) = (Promise(), ActionServer())
        var project = SupabaseProject.uploads(to: DeliveriesApp.bucket)
        // What a key without a user may do would hide that tokens are wrong.
        project.policies = project.policies.filter { $0.role == .authenticated }
        project.signIn.users = [.init("ada@example.org", password: "difference", id: "ada")]
        project.signIn.tokenLifetime = tokenLifetime
        let store = try SupabaseServer(project)
        let (key, secrets) = (Secret(project.anonymousKey), InMemorySecretStore())
        let blueprint = Blueprint(
            peers: [
                WorldPeer("store", store, faultPoints: SupabaseServer.faultPoints),
                WorldPeer("actions", actions, faultPoints: ActionServer.faultPoints),
            ],
            link: LinkConditions(latency: .exponential(mean: .milliseconds(40)))
        ) { device in
            let account = StoreAccount(
                address: device.address(of: "store"),
                key: key,
                email: "ada@example.org",
                password: Secret("difference"),
                secrets: secrets
            )
            return try DeliveriesPhone(promise) { process, isFirst in
                try DeliveriesApp(device: device, account: account, isFirst: isFirst) { delivery, crashes in
                    if crashes > 0 { promise.note(delivery.number) { $0.mayBeLate = true } }
                } onSending: { delivery in
                    promise.sends(delivery, by: process)
                }
            }
        } shutdown: { phone in
            await phone.shutdown()
        }
        let base = try await AppWorld.start(blueprint)
        return DeliveryWorld(base: base, actions: actions, promise: promise, store: store)
    }

    /// What took effect at either service, in that order.
    package var effects: [ActionServer.Effect] {
        let files = store.events.filter { $0.kind == .created || $0.kind == .replaced }.map { event in
            let name = event.key.split(separator: "/").last ?? ""
            return ActionServer.Effect(number: Int(name.prefix { $0 != "." }) ?? -1, date: event.date)
        }
        return (files + actions.effects).sorted { $0.date < $1.date }
    }

    /// The bytes of a file in the store; `nil` where it is not there.
    package func storedBytes(of number: Int) -> [UInt8]? {
        let key = DeliveriesApp.key(of: number).path
        return store.objects(in: DeliveriesApp.bucket).first { $0.key == key }?.bytes
    }
}
