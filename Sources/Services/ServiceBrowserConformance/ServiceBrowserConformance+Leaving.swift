import Conformance
import Services

extension ServiceBrowserConformance {
    /// Services that go.
    static let leaving: [Case] = [
        Case("leave.withdrawn", "a service that is withdrawn is no longer listed, and others are") { trial in
            let neighbour = try await trial.publish("Kitchen")
            _ = try await trial.publish("Cellar")
            let stream = trial.browser.listings(of: trial.type)
            try await trial.waits("both services are listed", in: stream) { $0.count == 2 }
            try await neighbour.withdraw()
            try await trial.waits("a withdrawn service leaves alone", in: stream) {
                $0.map(\.name) == ["Cellar"]
            }
        },
        Case("leave.returns", "a service that comes back is found again") { trial in
            let neighbour = try await trial.publish("Kitchen")
            let stream = trial.browser.listings(of: trial.type)
            try await trial.waits("a service is listed", in: stream) { !$0.isEmpty }
            try await neighbour.withdraw()
            try await trial.waits("a withdrawn service leaves", in: stream) { $0.isEmpty }
            _ = try await trial.publish("Kitchen", port: 8_001)
            try await trial.waits("a service that comes back is listed as it is now", in: stream) {
                $0.count == 1 && $0.first?.ways.first?.port == 8_001
            }
        },
        Case(
            "leave.crashed",
            "a service that has crashed is no longer listed soon after it was asked about",
            needs: [.crash],
            calmBecause: "it demands answers in time"
        ) { trial in
            let neighbour = try await trial.publish("Kitchen")
            _ = try await trial.publish("Cellar", ["id": "two"])
            let stream = trial.browser.listings(of: trial.type)
            let found = try await trial.waits("both services are listed", in: stream) { $0.count == 2 }
            // What it has said last is not on its way any more.
            try await Task.sleep(for: .seconds(5))
            try await neighbour.crash()
            let reader = Task { () -> [[String]] in
                var all: [[String]] = []
                for await listing in stream {
                    all.append(listing.services.map(\.name))
                    if listing.services.count < 2 { break }
                }
                return all
            }
            for service in found { await trial.browser.reconfirm(service) }
            try await Task.sleep(for: Trial.quiet)
            reader.cancel()
            try require(
                await reader.value.last,
                is: ["Cellar"],
                "a crashed service leaves within 10 s, alone"
            )
        },
    ]
}
