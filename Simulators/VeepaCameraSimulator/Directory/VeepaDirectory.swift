import PPPP
public import Transport

/// A simulated directory server of PPPP, and its relay.
///
/// **Models.** The public address of who asks; logins of cameras, which are forgotten when they are not repeated; requests for a camera, answered with a verdict,
/// upon which both sides are given each other's addresses, public and local; the list of relays; a port of the relay for each request, with a token, at which both sides
/// meet, and from then on the passing on of whatever either sends. A port is taken back when nothing has come to it for 30 s, and at most 64 are given out at a time. Packets clear and obfuscated, each answered in its own form.
///
/// **Does not model.** Keys and CRCs that newer cameras add to their logins, tests for the kind of a NAT, several directories that know of each other,
/// other cameras as relays, TCP.
///
/// **Faults.** None of its own; its network's links have them.
///
/// **How it was compared.** Not compared with a real server. Messages, their order and their times are those of one public client for O-KAM cameras, and of
/// descriptions of the protocol; what a server does with a token that it does not know, and when it forgets a camera, is not confirmed by any source.
public final class VeepaDirectory: Sendable {
    private let cipher: PacketCipher?

    /// Makes a directory that is not there yet.
    ///
    /// - Parameter key: The key of obfuscated packets; clear ones are taken besides.
    public init(key: String? = nil) { cipher = key.map { PacketCipher(key: $0) } }

    /// Starts it and its relay, and returns once both can be asked.
    ///
    /// - Parameters:
    ///   - host: Where it is.
    ///   - address: Where it is asked; directories wait at port 32100. The relay takes another port.
    ///   - relayAddress: The relay's address as others see it; `nil` for the first of this host.
    /// - Throws: `addressUnavailable`, `cancelled`.
    public func start(
        on host: any DatagramNetwork,
        at address: SocketAddress = SocketAddress(host: "0.0.0.0", port: 32_100),
        relayAddress: IPAddress? = nil
    ) async throws(TransportError) -> RunningVeepaDirectory {
        let socket = try await host.bind(address)
        let relaySocket: any DatagramSocket
        do throws(TransportError) {
            relaySocket = try await host.bind(SocketAddress(host: address.host, port: 0))
        } catch {
            await socket.close()
            throw error
        }
        var relayEndpoint = relaySocket.localAddress
        if relayEndpoint.address.isUnspecified {
            let own = (try? await host.interfaces())?.flatMap(\.addresses).map(\.address) ?? []
            relayEndpoint.address =
                relayAddress ?? own.first { $0.version == .v4 && !$0.isLoopback } ?? .loopbackV4
        }
        let relay = RelayProcess(cipher, relaySocket, on: host, at: address.host)
        let directory = DirectoryProcess(cipher, socket, relay: relayEndpoint)
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await directory.run() }
                group.addTask { await relay.run() }
            }
        }
        return RunningVeepaDirectory(
            address: socket.localAddress,
            sockets: [socket, relaySocket],
            relay: relay,
            task: task
        )
    }
}

/// A simulated directory server that is up.
public struct RunningVeepaDirectory: Sendable {
    /// Where it is asked.
    public let address: Endpoint
    let sockets: [any DatagramSocket]
    let relay: RelayProcess
    let task: Task<Void, Never>

    /// How many datagrams the relay has passed on.
    public var relayedDatagrams: Int { get async { await relay.passedOn } }

    /// How many ports of the relay are given out; those at which nobody is any more are taken back after half a minute.
    public var openMeetings: Int { get async { await relay.openMeetings } }

    /// Ends it.
    public func stop() async {
        task.cancel()
        await task.value
        await relay.closeMeetings()
        for socket in sockets { await socket.close() }
    }
}
