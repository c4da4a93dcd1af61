import Foundation

/// What a client has to know about a service that is served, for people and for programs.
package struct ServedFacts: Sendable {
    /// One thing to know.
    package struct Fact: Sendable {
        /// Its name for people.
        var label: String
        /// Its name in JSON.
        var key: String
        var value: String
        /// Whether people have read it before.
        var isKnown = false
        /// Whether programs read a number.
        var isNumber = false

        /// Makes a fact of a text, or of a number.
        package init(label: String, key: String, value: String, isKnown: Bool = false, isNumber: Bool = false)
        {
            (self.label, self.key, self.value) = (label, key, value)
            (self.isKnown, self.isNumber) = (isKnown, isNumber)
        }
    }

    /// The name of the service.
    var service: String
    /// Where it is, as a URL.
    var address: String
    /// Everything else, in the order in which people read it.
    var facts: [Fact]
    /// The certificate to trust, where the service has a local authority.
    package var authorityFile: String?

    /// Makes the facts of a service, in the order in which people read them.
    package init(service: String, address: String, facts: [Fact]) {
        (self.service, self.address, self.facts) = (service, address, facts)
    }

    /// One object on one line, which is complete once the service can be used.
    package func json() throws -> String {
        var object = Dictionary(uniqueKeysWithValues: facts.map { ($0.key, $0.inJSON) })
        object["service"] = .text(service)
        object["caFile"] = authorityFile.map { .text($0) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(object), as: UTF8.self)
    }

    /// A fact in JSON.
    fileprivate enum Value: Encodable {
        case text(String)
        case number(Int)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }

    /// Lines for people.
    package var lines: [String] {
        var lines = ["\(service) at \(address), Ctrl-C ends it"]
        if let authorityFile { lines.append("  SSL_CERT_FILE=\(authorityFile)") }
        let shown = facts.filter { !$0.isKnown }
        let width = shown.map(\.label.count).max() ?? 0
        for fact in shown {
            let label = fact.label.padding(toLength: width, withPad: " ", startingAt: 0)
            lines.append("  \(label)  \(fact.value)")
        }
        return lines
    }
}

extension ServedFacts.Fact {
    fileprivate var inJSON: ServedFacts.Value {
        if isNumber, let number = Int(value) { .number(number) } else { .text(value) }
    }
}
