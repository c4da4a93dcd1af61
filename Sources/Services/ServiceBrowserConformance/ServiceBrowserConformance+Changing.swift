import Conformance
import Services

extension ServiceBrowserConformance {
    /// What becomes of a service that stays.
    static let changing: [Case] = [
        Case("change.attributes", "changed attributes are listed", needs: [.changes]) { trial in
            let neighbour = try await trial.publish("Kitchen", ["state": "one"])
            let stream = trial.browser.listings(of: trial.type)
            try await trial.waits("a service is listed", in: stream) {
                $0.first?.attributes["state"] == "one"
            }
            try await neighbour.change(["state": "two"])
            try await trial.waits("changed attributes are listed", in: stream) {
                $0.count == 1 && $0.first?.attributes["state"] == "two"
            }
        },
        Case("change.address", "a host's new address is listed, and the old one is not", needs: [.moves]) {
            trial in
            let neighbour = try await trial.publish("Kitchen")
            let stream = trial.browser.listings(of: trial.type)
            let before = try only(try await trial.waits("a service is listed", in: stream) { !$0.isEmpty })
                .ways
            try await neighbour.move()
            try await trial.waits("the new address is listed alone", in: stream) { services in
                guard let ways = services.first?.ways else { return false }
                return !ways.isEmpty && Set(ways).isDisjoint(with: before)
            }
        },
        Case(
            "change.alive",
            "a service that is asked about and answers stays listed",
            calmBecause: "it demands answers in time"
        ) { trial in
            _ = try await trial.publish("Kitchen")
            let stream = trial.browser.listings(of: trial.type)
            let service = try only(try await trial.waits("a service is listed", in: stream) { !$0.isEmpty })
            await trial.browser.reconfirm(service)
            await trial.browser.reconfirm(service)
            let reader = Task {
                for await listing in stream where listing.services.isEmpty { return true }
                return false
            }
            try await Task.sleep(for: Trial.quiet)
            reader.cancel()
            try require(
                await !reader.value,
                "a service that answers stays listed",
                saw: "a listing without it"
            )
        },
        Case("change.stranger", "asking about a service that is not listed does nothing") { trial in
            _ = try await trial.publish("Kitchen")
            let stream = trial.browser.listings(of: trial.type)
            var service = try only(try await trial.waits("a service is listed", in: stream) { !$0.isEmpty })
            service.name = "Cellar"
            await trial.browser.reconfirm(service)
            let found = try await trial.waits("the listing stays") { !$0.isEmpty }
            try require(found.map(\.name), is: ["Kitchen"], "another service is left alone")
        },
    ]
}
