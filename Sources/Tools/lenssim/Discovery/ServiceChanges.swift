import Foundation
import Services

/// Tells what has changed from one listing of services to the next.
struct ServiceChanges {
    /// A service that has come, changed or gone.
    struct Change {
        enum Kind: String, Encodable {
            case found, changed, gone
        }

        var kind: Kind
        var service: DiscoveredService
    }

    /// Two services of one name have different hosts.
    private struct Identity: Hashable {
        var name: String
        var host: String
    }

    private var known: [Identity: DiscoveredService] = [:]

    /// Takes the next listing; what is only renewed has not changed.
    mutating func take(_ services: [DiscoveredService]) -> [Change] {
        let now = Dictionary(services.map { (Identity(name: $0.name, host: $0.host), $0) }) { first, _ in
            first
        }
        let gone = known.filter { now[$0.key] == nil }.map { Change(kind: .gone, service: $0.value) }
        let others = services.compactMap { service -> Change? in
            guard let old = known[Identity(name: service.name, host: service.host)] else {
                return Change(kind: .found, service: service)
            }
            let isSame = old.ways == service.ways && old.attributes == service.attributes
            return isSame ? nil : Change(kind: .changed, service: service)
        }
        known = now
        return gone.sorted { $0.service.name < $1.service.name } + others
    }
}

extension ServiceChanges.Change {
    /// One line for people.
    var text: String {
        let ways = service.ways.map { $0.authority ?? "[\($0.address)]:\($0.port)" }.joined(separator: " ")
        let attributes = service.attributes.entries.map { entry in
            entry.value.map { "\(entry.key)=\(String(decoding: $0, as: UTF8.self))" } ?? entry.key
        }
        let words = [kind.rawValue, Self.printable(service.name)]
        guard kind != .gone else { return words.joined(separator: "  ") }
        return (words + [service.host, ways, Self.printable(attributes.joined(separator: " "))]).filter {
            !$0.isEmpty
        }
        .joined(separator: "  ")
    }

    /// One line for machines.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let attributes = service.attributes.entries.map { entry in
            (entry.key, entry.value.map { String(decoding: $0, as: UTF8.self) } ?? "")
        }
        let line = Line(
            change: kind,
            name: service.name,
            type: service.type.description,
            host: service.host,
            ways: service.ways.map { Line.Way(interface: $0.interface, address: $0.address, port: $0.port) },
            attributes: Dictionary(attributes) { first, _ in first }
        )
        return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private struct Line: Encodable {
        struct Way: Encodable {
            var interface: String
            var address: String
            var port: Int
        }

        var change: Kind
        var name: String
        var type: String
        var host: String
        var ways: [Way]
        var attributes: [String: String]
    }

    /// What others say, without what would change the terminal.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control })
        )
    }
}
