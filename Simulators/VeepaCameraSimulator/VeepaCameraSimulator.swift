public import PeerKit
import Synchronization
public import Transport

/// A simulated Wi-Fi camera of the VStarcam family, such as those of Veepa, which speaks PPPP over datagrams.
///
/// **Models.** Searches on the local network, answered without giving away a place; punches and readiness, from the port at which it
/// is searched or from another; sessions of several clients, told apart by their addresses, with ordered channels, acknowledgements one
/// by one, packets that are sent again with their index, a window, questions whether the client is there, and silence after which a client
/// counts as gone; logins to directory servers, punches to the addresses that they name, and relays (``VeepaDirectory``); the obfuscation of packets by a key, and clear packets. The CGI dialect: login by `get_status.cgi` and
/// `check_user.cgi`, `livestream.cgi`, `snapshot.cgi`, `wifi_scan.cgi` and `set_wifi.cgi`, after which the camera leaves its network;
/// credentials in every request, of which the first pair with the right user counts; wrong ones answered with −1 or with silence; too many users. Frames of Motion-JPEG
/// with the 32-byte header, each beginning with a packet of its own; frames are dropped while the client acknowledges too slowly. The JSON dialect
/// of SHIX cameras (100, 101, 111 and plain acceptance of some others) and the binary one of iLnk cameras (login with a ticket, status,
/// video, Wi-Fi), with its scrambled bodies.
///
/// **Does not model.** Quality and rate as the client asks for them (frames are what the simulator is given), sound beyond silence, talking to the camera,
/// motors, recordings on its card, alarms, owners and accounts of the vendor's cloud, sleeping cameras and their wake server,
/// TCP fallbacks, the extra layers of CRC and DSK messages, and what firmware does with malformed requests beyond ignoring them.
///
/// **Faults.** Fault points, which ``faults`` lists: plans of faults, swarms, worlds and tests arm them. Loss, duplicates and order
/// have points of their own, for real sockets; on the simulated network its links do the same.
///
/// **How it was compared.** Not compared with a real camera: none is here. Messages and times follow public descriptions and
/// clients (vstarcamctl, cam-reverse, aiopppp, a client for O-KAM cameras). aiopppp 0.2.3, unmodified and over UDP, discovers
/// it, logs in and streams from it in JSON and binary, also where 15 % of the datagrams are lost. No public program for other machines than phones was found that speaks
/// CGI and could be tried. Window, times of resending and of giving up, and codes other than −1 to −4 are not confirmed by any source.
public final class VeepaCameraSimulator: Sendable {
    /// Where something may go wrong at every such camera.
    public static var faultPoints: [PeerFaultPoint] { VeepaFaultPoints.points }
    /// What goes wrong here outside a simulation; see `PeerFaults`.
    public let faults: PeerFaults = PeerFaults(VeepaCameraSimulator.faultPoints)

    private let settings: Mutex<VeepaCameraSettings>
    private let frames: @Sendable (Int) -> [UInt8]
    package let journal = CameraJournal()

    /// Makes a camera without power.
    ///
    /// - Parameters:
    ///   - settings: What it is.
    ///   - frames: Returns the picture with that number, a JPEG file; called for each frame that is sent.
    public init(_ settings: VeepaCameraSettings, frames: @escaping @Sendable (Int) -> [UInt8]) {
        self.settings = Mutex(settings)
        self.frames = frames
    }

    /// What it has seen and done, over all restarts.
    public var record: VeepaCameraRecord { journal.record }

    /// What it is.
    package var presentSettings: VeepaCameraSettings { settings.withLock { $0 } }

    /// Changes what it is, from its next start on.
    public func reconfigure(_ change: (inout VeepaCameraSettings) -> Void) {
        settings.withLock { change(&$0) }
    }

    /// Gives it power, and returns once it can be found.
    ///
    /// - Parameters:
    ///   - host: Where it is.
    ///   - address: Where it waits for searches; cameras do so at port 32108 of all their addresses.
    /// - Throws: `addressUnavailable`, `cancelled`.
    public func start(
        on host: any DatagramNetwork,
        at address: SocketAddress = SocketAddress(host: "0.0.0.0", port: 32_108)
    ) async throws(TransportError) -> RunningVeepaCamera {
        let settings = settings.withLock { $0 }
        let searchSocket = try await host.bind(address)
        let sessionSocket: any DatagramSocket
        if settings.sessionPort == .ephemeral {
            do throws(TransportError) {
                sessionSocket = try await host.bind(SocketAddress(host: address.host, port: 0))
            } catch {
                await searchSocket.close()
                throw error
            }
        } else {
            sessionSocket = searchSocket
        }
        // What directories tell clients, besides the address from which the login comes.
        let interfaces = (try? await host.interfaces())?.flatMap(\.addresses).map(\.address) ?? []
        let own = interfaces.first { $0.version == .v4 && !$0.isLoopback } ?? .loopbackV4
        let process = CameraProcess(
            settings,
            faults,
            journal,
            searchSocket: searchSocket,
            sessionSocket: sessionSocket,
            local: Endpoint(own, port: sessionSocket.localAddress.port),
            frames: frames
        )
        return RunningVeepaCamera(
            address: searchSocket.localAddress,
            sessionAddress: sessionSocket.localAddress,
            sockets: [searchSocket, sessionSocket],
            task: Task { await process.run() }
        )
    }
}

/// A simulated camera that has power.
public struct RunningVeepaCamera: Sendable {
    /// Where it waits for searches.
    public let address: Endpoint
    /// Where its sessions are.
    public let sessionAddress: Endpoint
    let sockets: [any DatagramSocket]
    let task: Task<Void, Never>

    /// Takes its power: nobody is notified, and all sessions are forgotten.
    public func stop() async {
        task.cancel()
        await task.value
        for socket in sockets { await socket.close() }
    }
}
