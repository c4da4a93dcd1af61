import Conformance
import Services

extension NetworkMonitorConformance {
    /// What is said of the network now.
    static let states: [Case] = [
        Case("state.connected", "a device with a network is connected") { trial in
            try require(trial.monitor.isConnected, is: true, "a device with a network is connected")
        },
        Case(
            "state.disconnected",
            "a device without a network is not connected",
            needs: [.changes],
            isConnected: false
        ) { trial in
            try require(trial.monitor.isConnected, is: false, "a device without a network is not connected")
        },
        Case("state.newest", "what holds now is the change that was read last", needs: [.changes]) { trial in
            for isConnected in [false, true, false] {
                try await trial.set(isConnected)
                try require(trial.monitor.isConnected, is: isConnected, "a change that was read holds now")
            }
        },
    ]
}
