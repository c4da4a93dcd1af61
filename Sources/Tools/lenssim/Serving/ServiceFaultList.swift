import CommandKit
import PeerKit

/// Faults of a service as they are typed: `s3.slowDown=0.1,s3.answerLost=1:silence=2`.
///
/// Each is the name of a point, its probability, and numbers that say how, between colons.
struct ServiceFaultList: Hashable {
    private struct Fault: Hashable {
        var point: String
        var probability: Double
        var values: [String: Double]
    }

    private let faults: [Fault]

    /// Whether a text is such a list, and no name of a file.
    static func isWritten(in text: String) -> Bool { text.contains("=") }

    /// Reads a list.
    ///
    /// - Throws: ``RefusedFaults`` for what is no such list.
    init(_ text: String) throws(RefusedFaults) {
        var faults: [Fault] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pairs = part.split(separator: ":", omittingEmptySubsequences: false).map { Self.pair($0) }
            guard let first = pairs.first, let (point, probability) = first, (0...1).contains(probability)
            else {
                throw RefusedFaults(
                    description:
                        "“\(part)” is no fault: write POINT=PROBABILITY, with a probability from 0 to 1, and :NAME=NUMBER for its numbers"
                )
            }
            var values: [String: Double] = [:]
            for (number, pair) in pairs.dropFirst().enumerated() {
                guard let (name, value) = pair, values.updateValue(value, forKey: name) == nil else {
                    let word = part.split(separator: ":", omittingEmptySubsequences: false)[number + 1]
                    throw RefusedFaults(
                        description: "“\(word)” is no number of \(point): write NAME=NUMBER, each once"
                    )
                }
            }
            guard !faults.contains(where: { $0.point == point }) else {
                throw RefusedFaults(description: "\(point) is there twice")
            }
            faults.append(Fault(point: point, probability: probability, values: values))
        }
        self.faults = faults
    }

    private static func pair(_ text: Substring) -> (name: String, value: Double)? {
        let sides = text.split(separator: "=", omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty, let value = Double(sides[1]), value.isFinite else {
            return nil
        }
        return (String(sides[0]), value)
    }

    /// Arms the points of a service.
    ///
    /// - Parameter seed: What their chances follow.
    /// - Throws: ``RefusedFaults`` for a point that the service does not have, and for numbers that the point does not take.
    func arm(_ service: PeerFaults, seed: UInt64) throws(RefusedFaults) {
        for fault in faults {
            do throws(FaultNotArmed) {
                try service.arm(fault.point, probability: fault.probability, values: fault.values, seed: seed)
            } catch {
                throw RefusedFaults(description: "--faults: \(error)")
            }
        }
    }
}

/// The faults that a service is served with, and the seed of their chances.
struct ServiceFaults {
    /// Where they are written.
    enum Source {
        case file(ServiceFaultFile)
        case list(ServiceFaultList)
    }

    /// What was typed.
    let text: String
    let source: Source
    let seed: UInt64

    /// Arms the points of a service.
    ///
    /// - Throws: ``RefusedFaults``.
    func arm(_ service: PeerFaults) throws {
        switch source {
        case .file(let file): try file.arm(service, seed: seed)
        case .list(let list): try list.arm(service, seed: seed)
        }
    }

    /// What people and programs read of them.
    var facts: [ServedFacts.Fact] {
        [
            .init(label: "faults", key: "faults", value: text),
            .init(label: "seed of faults", key: "seed", value: "\(seed)"),
        ]
    }
}
