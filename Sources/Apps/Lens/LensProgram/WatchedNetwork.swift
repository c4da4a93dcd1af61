import Foundation
import GeminiAPI
import LinuxNetwork
import Services
import Transport

/// The network that the app watches: that of the machine when a service is elsewhere, and none when all are on it.
struct WatchedNetwork {
    let monitor: any NetworkMonitor
    /// Why the machine's network is not watched although it matters.
    let problem: String?

    /// - Parameter store: The store's address; `nil` for a simulated one.
    init(_ choices: Household.Choices, store: String?) {
        let hosts = [
            choices.gemini.map { SocketAddress(authority: $0.authority, port: 443)?.host ?? $0.authority },
            store.flatMap { URL(string: $0)?.host() },
        ]
        guard hosts.contains(where: { $0.map(Self.isElsewhere) ?? false }) else {
            (monitor, problem) = (UnwatchedNetwork(), nil)
            return
        }
        do throws(LinuxNetworkError) {
            (monitor, problem) = (try LinuxNetworkMonitor(), nil)
        } catch {
            (monitor, problem) = (UnwatchedNetwork(), "\(error)")
        }
    }

    private static func isElsewhere(_ host: String) -> Bool {
        host != "localhost" && IPAddress(host)?.isLoopback != true
    }
}
