import Foundation
import LinuxNetwork

/// Writes a line for the network that there is at first, and one for each change, until it is ended.
@main
struct NetworkWatcher {
    static func main() async throws {
        let monitor = try LinuxNetworkMonitor()
        for await isConnected in monitor.changes() {
            try FileHandle.standardOutput.write(
                contentsOf: Data((isConnected ? "network\n" : "no network\n").utf8)
            )
        }
    }
}
