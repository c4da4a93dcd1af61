import TestSupport
import Testing
import Transport

@testable import SimulatedTransport

/// Hosts that come and go behind a router, until all of its ports were given more than once.
@Suite("A model of mappings behind a NAT")
struct NATModelTests {
    private static let second: Int64 = 1_000_000_000

    @Test(arguments: [NATBehaviour.fullCone, .portRestrictedCone, .symmetric])
    func `a public port leads to the host that sends under it, also when it belonged to another before`(
        behaviour: NATBehaviour
    ) throws {
        let nat = SimulatedNAT(publicAddress: IPAddress(198, 18, 0, 1), behaviour: behaviour)
        nat.forward(port: 41_000, to: Endpoint(IPAddress(192, 168, 200, 9), port: 80))
        let peer = Endpoint(IPAddress(10, 0, 0, 1), port: 9)
        var random = SeededGenerator(seed: 5)
        var now: Int64 = 0
        /// Who sends now and then, and always keeps its port while its mapping lives.
        var regulars: [(inside: Endpoint, port: Int, last: Int64)] = []
        /// Who sends once more when its mapping has expired and its port belongs to another.
        var late: [(inside: Endpoint, number: Int)] = []
        let timeout = behaviour.mappingTimeout.nanoseconds
        // More than all ports, and most hosts are never heard of again.
        for number in 0..<140_000 {
            now += timeout / 50_000
            let address = IPAddress(192, 168, UInt8(number >> 16 & 3), UInt8(number >> 8 & 255))
            let inside = Endpoint(address, port: 1 + number & 255)
            let public_ = try #require(nat.translate(inside, to: peer, now: now))
            guard public_.port != 41_000, nat.admit(to: public_.port, from: peer, now: now) == inside else {
                Issue.record("\(inside) sends under port \(public_.port), which leads to another")
                return
            }
            if number.isMultiple(of: 1_001) { late.append((inside, number)) }
            if let first = late.first, number > first.number + 70_000 {
                late.removeFirst()
                let again = try #require(nat.translate(first.inside, to: peer, now: now))
                guard nat.admit(to: again.port, from: peer, now: now) == first.inside else {
                    Issue.record("\(first.inside) is back under port \(again.port), which leads to another")
                    return
                }
            }
            if number.isMultiple(of: 7_000) { regulars.append((inside, public_.port, now)) }
            guard number.isMultiple(of: 500), let index = regulars.indices.randomElement(using: &random)
            else {
                continue
            }
            let again = try #require(nat.translate(regulars[index].inside, to: peer, now: now))
            guard nat.admit(to: again.port, from: peer, now: now) == regulars[index].inside else {
                Issue.record(
                    "\(regulars[index].inside) sends again under port \(again.port), which leads to another"
                )
                return
            }
            if now < regulars[index].last + timeout { #expect(again.port == regulars[index].port) }
            (regulars[index].port, regulars[index].last) = (again.port, now)
        }
    }
}

@Suite("A model of kept connections")
struct KeptConnectionModelTests {
    @Test func `the connection that was used last serves the next request, whatever ended in between`() {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            var kept = KeptConnections()
            let origins = ["one", "two"].map { KeptConnections.Origin(isSecure: false, name: $0, port: 80) }
            var wanted: [KeptConnections.Origin: [Int]] = [:]
            for number in 0..<60 {
                let origin = origins[Int.random(in: 0...1, using: &random)]
                switch Int.random(in: 0...3, using: &random) {
                case 0, 1:
                    let hasRoom = wanted[origin, default: []].count < KeptConnections.mostPerOrigin
                    #expect(kept.hasRoom(origin) == hasRoom, "seed \(seed)")
                    guard hasRoom else { continue }
                    kept.add(number, origin)
                    wanted[origin, default: []].append(number)
                case 2: #expect(kept.take(origin) == wanted[origin]?.popLast(), "seed \(seed)")
                default:
                    guard let ended = wanted[origin]?.randomElement(using: &random) else { continue }
                    kept.remove(ended, origin)
                    wanted[origin]?.removeAll { $0 == ended }
                }
            }
        }
    }
}
