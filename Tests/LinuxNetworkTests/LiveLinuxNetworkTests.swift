import Foundation
import LinuxNetwork
import NetworkNamespaces
import Services
import SimulatedDevice
import Testing

@Suite("The network of a Linux machine", .serialized, .timeLimit(.minutes(2)))
struct LiveLinuxNetworkTests {
    private static let program = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(
            path: ".build/debug/NetworkWatcher"
        )
        .path()

    /// What is done to the kernel's links and routes, and whether there is a network then.
    private static let changes: [(command: String, isConnected: Bool)] = [
        // A link with an address leads nowhere else; one more command makes it a way out.
        (
            """
            ip link add v0 type veth peer name v1; ip link set v0 up; ip link set v1 up; ip link set lo up
            ip address add 10.9.0.1/24 dev v0; ip route add default via 10.9.0.2 dev v0
            """, true
        ),
        // Its other end, as a cable that is pulled: the route stays.
        ("ip link set v1 down", false), ("ip link set v1 up", true),
        ("ip route del default", false),
        ("ip -6 route add default dev v0", true), ("ip -6 route del default dev v0", false),
        // Two ways out: one of them is enough.
        (
            """
            ip link add w0 type veth peer name w1; ip link set w0 up; ip link set w1 up
            ip address add 10.9.1.1/24 dev w0; ip route add default nexthop via 10.9.0.2 nexthop via 10.9.1.2
            """, true
        ),
        ("ip link set v1 down; ip link set w1 down", false), ("ip link set w1 up", true),
        ("ip link del w0", false),
        // Traffic that is thrown away has no way out.
        ("ip link set v1 up; ip route add blackhole default; ip route replace default via 10.9.0.2", true),
        ("ip route replace blackhole default", false),
    ]

    private static func words(_ isConnected: Bool) -> String { isConnected ? "network" : "no network" }

    @Test(
        "LENS-213 LENS-214 a monitor of Linux reports at first and then once for each change what the kernel's links and routes say, and a simulated one what a script says, through one protocol",
        .enabled(
            if: NetworkNamespace.isPossible,
            "needs unshare and ip (apt-get install util-linux iproute2) and the right to make a network namespace"
        )
    )
    func reports() async throws {
        let expected = ["no network"] + Self.changes.map { Self.words($0.isConnected) }
        let namespace = try NetworkNamespace(watchedBy: Self.program)
        #expect(try await namespace.answers(to: Self.changes.map(\.command)) == expected)

        let simulated = SimulatedNetworkMonitor(isConnected: false)
        var changes = simulated.changes().makeAsyncIterator()
        var said = [await changes.next()]
        for change in Self.changes {
            simulated.report(isConnected: change.isConnected)
            simulated.report(isConnected: change.isConnected)
            said.append(await changes.next())
        }
        #expect(said.compactMap { $0 }.map(Self.words) == expected)
    }

    @Test func `the streams of a monitor end when it is released, and its sockets are closed`() async throws {
        /// Other tests open sockets meanwhile, but none of the kernel's tables.
        func sockets() throws -> Set<String> {
            let tables = try String(contentsOfFile: "/proc/net/netlink", encoding: .utf8)
            let inodes = Set(tables.split(separator: "\n").compactMap { $0.split(separator: " ").last })
            let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            return Set(names.filter { inodes.contains($0.dropFirst("socket:[".count).dropLast()) })
        }
        for _ in 0..<8 {
            var monitor: LinuxNetworkMonitor? = try LinuxNetworkMonitor()
            #expect(try sockets().count >= 2)
            let changes = try #require(monitor?.changes())
            monitor = nil
            // They end once the sockets are closed.
            for await _ in changes {}
        }
        #expect(try sockets().isEmpty)
    }
}
