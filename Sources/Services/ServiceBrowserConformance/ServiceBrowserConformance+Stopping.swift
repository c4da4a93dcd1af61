import Conformance
import Services

extension ServiceBrowserConformance {
    /// Browses that end, and others that do not.
    static let stopping: [Case] = [
        Case("stop.cancelled", "a browse ends with its reader's task, and can begin again") { trial in
            _ = try await trial.publish("Kitchen")
            for _ in 0..<2 {
                try await trial.waits("a service is found, at first and again") {
                    $0.map(\.name) == ["Kitchen"]
                }
                let reader = Task { for await _ in trial.browser.listings(of: trial.type) {} }
                reader.cancel()
                try await requireEnd("a browse ends with its reader's task", within: trial.patience) {
                    await reader.value
                }
            }
        },
        Case("stop.silent", "a browse that has ended asks nothing more", needs: [.traffic]) { trial in
            let before = try await trial.sentCount()
            let reader = Task { for await _ in trial.browser.listings(of: trial.type) {} }
            try await Task.sleep(for: .seconds(5))
            reader.cancel()
            await reader.value
            try await Task.sleep(for: .seconds(1))
            let asked = try await trial.sentCount()
            try require(asked > before, "a browse asks", saw: "no message")
            try await Task.sleep(for: .seconds(60))
            try require(try await trial.sentCount(), is: asked, "a browse that has ended asks nothing more")
        },
        Case("stop.others", "the end of one browse leaves others alone") { trial in
            let (one, other) = (
                trial.browser.listings(of: trial.type), trial.browser.listings(of: trial.type)
            )
            let reader = Task { for await _ in one {} }
            try await Task.sleep(for: .seconds(2))
            reader.cancel()
            await reader.value
            _ = try await trial.publish("Kitchen")
            try await trial.waits("the other browse goes on", in: other) { $0.map(\.name) == ["Kitchen"] }
        },
        Case("stop.behind", "a reader that is behind reads the newest listing") { trial in
            let stream = trial.browser.listings(of: trial.type)
            for number in 1...9 { _ = try await trial.publish("Service \(number)") }
            try await trial.waits("all services are found", of: trial.type) { $0.count == 9 }
            try await Task.sleep(for: .seconds(5))
            let next = try await requireEnd("there is a listing for a late reader", within: trial.patience) {
                for await listing in stream { return listing.services.count }
                return 0
            }
            try require(next, is: 9, "a reader that is behind reads the newest listing")
        },
    ]
}
