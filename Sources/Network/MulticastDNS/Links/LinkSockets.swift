import Services
import Transport

/// The sockets of an agent, one for each path, as interfaces come and go.
struct LinkSockets {
    /// What an interface is known by: one that comes back with another number has lost its groups.
    private struct Identity: Hashable {
        var path: LinkPath
        var index: Int
    }

    private let network: any DatagramNetwork
    private let settings: LinkSettings
    /// A socket, and a number that no other one has had.
    struct Numbered {
        var number: Int
        var path: LinkPath
        var socket: any DatagramSocket
    }

    private var open: [Identity: Numbered] = [:]
    private var nextNumber = 0
    /// Why there is none.
    private(set) var trouble: DiscoveryError?

    init(_ network: any DatagramNetwork, _ settings: LinkSettings) {
        (self.network, self.settings) = (network, settings)
    }

    /// The socket of a path.
    func socket(_ path: LinkPath) -> (any DatagramSocket)? {
        open.first { $0.key.path == path }?.value.socket
    }

    /// Looks which interfaces there are, closes sockets of those that are gone, and opens others.
    ///
    /// - Parameter broken: The numbers of sockets that have failed.
    /// - Returns: The links with at least one socket, by number, and the new sockets.
    mutating func look(broken: Set<Int>) async -> (links: [Link], new: [Numbered]) {
        let interfaces = await usable()
        var wanted: Set<Identity> = []
        for interface in interfaces {
            for version in Set(interface.addresses.map(\.address.version)) {
                wanted.insert(
                    Identity(
                        path: LinkPath(interface: interface.name, version: version),
                        index: interface.index
                    )
                )
            }
        }
        for (identity, old) in open where !wanted.contains(identity) || broken.contains(old.number) {
            await old.socket.close()
            open[identity] = nil
        }
        var new: [Numbered] = []
        var refusal: TransportError?
        for identity in wanted.subtracting(open.keys).sorted(by: { $0.path < $1.path }) {
            do throws(TransportError) {
                let socket = try await bind(identity.path)
                let numbered = Numbered(number: nextNumber, path: identity.path, socket: socket)
                nextNumber += 1
                open[identity] = numbered
                new.append(numbered)
            } catch {
                refusal = refusal ?? error
            }
        }
        if open.isEmpty {
            trouble =
                refusal.map { .portUnavailable(port: MulticastGroup.port, detail: $0.detail) } ?? .noInterface
        } else {
            trouble = nil
        }
        let links = interfaces.compactMap { interface -> Link? in
            let versions = open.keys.filter { $0.path.interface == interface.name }.map(\.path.version)
                .sorted()
            return versions.isEmpty ? nil : Link(interface, versions: versions)
        }
        return (links, new)
    }

    /// Closes all.
    mutating func close() async {
        for old in open.values { await old.socket.close() }
        open = [:]
    }

    private func usable() async -> [NetworkInterface] {
        guard let all = try? await network.interfaces() else { return [] }
        let chosen = all.filter { settings.interfaces?.contains($0.name) ?? !$0.isLoopback }
        return Array(chosen.prefix(LinkSettings.mostLinks))
    }

    private func bind(_ path: LinkPath) async throws(TransportError) -> any DatagramSocket {
        let address = path.version == .v4 ? "0.0.0.0" : "::"
        let socket = try await network.bind(
            SocketAddress(host: address, port: MulticastGroup.port),
            options: .multicastDNS(interface: path.interface)
        )
        do throws(TransportError) {
            try await socket.join(MulticastGroup.endpoint(path.version).address, on: path.interface)
        } catch {
            await socket.close()
            throw error
        }
        return socket
    }
}
