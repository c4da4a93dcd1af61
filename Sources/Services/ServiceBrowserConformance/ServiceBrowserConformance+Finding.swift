import Conformance
import Services

extension ServiceBrowserConformance {
    /// What is listed, and how.
    static let finding: [Case] = [
        Case("find.first", "the first listing comes at once, before anything is found") { trial in
            let listing = try await requireEnd("the first listing comes at once", within: .seconds(1)) {
                for await listing in trial.browser.listings(of: trial.type) { return listing }
                throw ConformanceFailure("there is a first listing", saw: "none")
            }
            try require(listing.services, is: [], "nothing is listed that nobody has published")
        },
        Case("find.present", "a service that is there already is found, with all it says") { trial in
            _ = try await trial.publish("Kitchen", port: 8_123, ["id": "one", "version": "1.0"])
            let found = try await trial.waits("a service that is there is listed") { !$0.isEmpty }
            let service = try only(found)
            try require(service.name, is: "Kitchen", "a service has its name")
            try require(service.type, is: trial.type, "a service has its type")
            try require(
                service.attributes,
                is: ["id": "one", "version": "1.0"],
                "a service has its attributes"
            )
            try require(
                service.ways.map(\.port).allSatisfy { $0 == 8_123 },
                "ways have the port",
                saw: "\(service.ways)"
            )
            try require(!service.ways.isEmpty, "a service that is listed can be reached", saw: "no way")
            try require(
                Set(service.ways).count == service.ways.count,
                "each way is listed once",
                saw: "\(service.ways)"
            )
            try require(!service.host.isEmpty, "a service has a host", saw: "none")
            try require(
                service.expires > .now,
                "a service that is listed has not expired",
                saw: "\(service.expires)"
            )
        },
        Case("find.later", "a service that comes later is found by a browse that has begun") { trial in
            let stream = trial.browser.listings(of: trial.type)
            _ = try await trial.publish("Late")
            try await trial.waits("a service that comes later is listed", in: stream) {
                $0.map(\.name) == ["Late"]
            }
        },
        Case("find.type", "services of other types are not listed") { trial in
            _ = try await trial.publish(ServiceOffer(name: "Other", type: trial.otherType, port: 9))
            _ = try await trial.publish("Own")
            try await trial.waits("the other type has its service", of: trial.otherType) {
                $0.map(\.name) == ["Other"]
            }
            let found = try await trial.waits("a service is listed by its type") { !$0.isEmpty }
            try require(found.map(\.name), is: ["Own"], "only services of the type are listed")
        },
        Case("find.whole", "each listing has all services, each once and in the order of their names") {
            trial in
            for name in ["b", "C", "a"] { _ = try await trial.publish(name) }
            try await trial.waits("a listing has all services in order") {
                $0.map(\.name) == ["C", "a", "b"]
            }
        },
        Case("find.names", "names are kept as they are: spaces, dots, letters of all languages, 63 bytes") {
            trial in
            let names = ["Living. Room", "Küche 🔑", String(repeating: "x", count: 63)].sorted()
            for name in names { _ = try await trial.publish(name) }
            try await trial.waits("names are kept") { $0.map(\.name) == names }
        },
        Case("find.attributes", "attributes are kept: bytes, absent and empty values, keys in any case") {
            trial in
            let attributes = ServiceAttributes([
                .init(key: "Bytes", value: [0, 0xFF, 0x3D]), .init(key: "empty", value: []),
                .init(key: "bare", value: nil),
            ])
            _ = try await trial.publish("All", attributes)
            _ = try await trial.publish("None", [:])
            let found = try await trial.waits("both are listed") { $0.count == 2 }
            try require(found[0].attributes, is: attributes, "attributes are kept")
            try require(
                found[0].attributes.bytes(of: "bytes"),
                is: [0, 0xFF, 0x3D],
                "keys are found in any case"
            )
            try require(found[1].attributes, is: [:], "a service may say nothing")
        },
    ]

    /// The only service of a listing.
    static func only(_ services: [DiscoveredService]) throws -> DiscoveredService {
        guard services.count == 1, let service = services.first else {
            throw ConformanceFailure("one service is listed once", saw: "\(services.map(\.name))")
        }
        return service
    }
}
