internal import Foundation
// Models a push service as providers and devices see it. Providers speak Apple's interface: `POST /3/device/<token>` with an ES256 token, the reasons of its
// table, expiry, priorities, collapse IDs, one notification kept for an app on a device that is not connected, 410 with its time. Devices
// speak a protocol of our own over a WebSocket (`PushWire`), since Apple's is not public.
//
// Does not model: certificates of providers, keys of one environment, broadcast channels, rules that belong to a connection (one team on each, one stream
// until the first accepted token), the power of a device (priorities are passed on and change nothing), storage over restarts. The requests are those of
// HTTP/2, as values: `HTTP2Host` puts them on sockets, and the simulated network brings the same values without HTTP/2's frames.
//
// Faults: fault points, which `faults` lists: plans of faults, swarms, worlds and tests arm them.
//
// Compared with the real service: status codes, reasons and headers follow Apple's documentation, and what public provider clients need; the order of checks,
// the limits in `PushProject`, and all of the device's side are our own. `Tests/Clients/apns_client.py` has these clients deliver through it.
public import PeerKit
internal import Synchronization
public import Transport

/// A simulated push service, with a server for providers and another one for devices.
///
/// Both see one state, and each change happens at once. Safe to use from any task.
public final class PushServer: Sendable {
    /// How it is set up.
    public let project: PushProject
    /// Where something may go wrong at every such service.
    public static var faultPoints: [PeerFaultPoint] { PushFaultPoints.points }
    /// What goes wrong here outside a simulation; see `PeerFaults`.
    public let faults: PeerFaults = PeerFaults(PushServer.faultPoints)

    private let state: Mutex<PushState>

    /// Makes a service that knows no device.
    public init(_ project: PushProject) {
        self.project = project
        state = Mutex(PushState(project))
    }

    /// What providers talk to, on a socket of HTTP/2 or on the simulated network.
    public var providerSide: any Server { ProviderSide(service: self) }

    /// What devices connect to, with WebSockets at ``devicePath``.
    public var deviceSide: any Server { DeviceSide(service: self) }

    /// The path of a device's WebSocket.
    public static let devicePath: String = "/device"

    // MARK: Watching

    /// What has happened, oldest first.
    public var log: [PushServerEvent] { state.withLock { $0.log.entries } }

    /// How many requests of providers have come, of any kind.
    public var requestCount: Int { state.withLock { $0.requestCount } }

    /// The tokens that are valid, in order.
    public var tokens: [String] { state.withLock { $0.validTokens } }

    /// How many devices are connected.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    // MARK: Acting

    /// Ends a token, as where its app was removed from the device: providers get 410 from now on.
    public func end(_ token: String) {
        state.withLock { state in
            guard let name = state.installation(of: token) else { return }
            state.remove(name, now: .now)
        }
    }

    /// Gives a device another token, as after a restore: it gets it at once where it is connected; the one that it had ends.
    public func renew(_ token: String) {
        state.withLock { state in
            guard let name = state.installation(of: token) else { return }
            state.renewToken(of: name, now: .now)
        }
    }

    // MARK: State

    /// Reads or changes the state in one step.
    func withState<Outcome: Sendable>(_ body: (inout PushState) -> Outcome) -> Outcome {
        state.withLock { body(&$0) }
    }

    /// The same for what can be refused.
    func change<Outcome: Sendable, Refusal: Error>(
        _ body: (inout PushState) throws(Refusal) -> Outcome
    ) throws(Refusal) -> Outcome {
        let result = state.withLock { state -> Result<Outcome, Refusal> in
            do throws(Refusal) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
