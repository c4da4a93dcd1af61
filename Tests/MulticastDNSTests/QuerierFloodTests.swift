import MulticastDNS
import Services
import SimulationTesting
import Testing
import Transport

@Suite("The querier of multicast DNS in floods", .simulated(seeds: 1...1))
struct QuerierFloodTests {
    private let names = ServiceNames(Neighbourhood.type)
    private let instance: DomainName
    private let host: DomainName
    private let run = AgentRun(Querier(Neighbourhood.type))

    init() throws {
        instance = try #require(names.instance("Kitchen"))
        host = try #require(DomainName.local("hub"))
    }

    private func response(_ records: [ResourceRecord]) -> DNSMessage {
        var message = DNSMessage(isResponse: true)
        message.answers = records
        return message
    }

    private var service: ResourceRecord {
        let data = RecordData.service(priority: 0, weight: 0, port: 8_000, target: host)
        return ResourceRecord(instance, data, timeToLive: 120, flushes: true)
    }

    private func whole() -> DNSMessage {
        response([
            ResourceRecord(names.type, .pointer(instance), timeToLive: 4_500), service,
            ResourceRecord(instance, .text([0]), timeToLive: 4_500, flushes: true),
            ResourceRecord(host, .address(IPAddress(10, 0, 0, 2)), timeToLive: 120, flushes: true),
        ])
    }

    @Test func `ten thousand instances take bounded memory, and do not push out one that is known`() throws {
        var run = run
        run.hear(whole())
        for number in 0..<10_000 {
            let other = try #require(names.instance("Flood \(number)"))
            let target = try #require(DomainName.local("flood-\(number)"))
            let data = RecordData.service(priority: 0, weight: 0, port: 1, target: target)
            run.hear(
                response([
                    ResourceRecord(names.type, .pointer(other), timeToLive: .max / 2),
                    ResourceRecord(other, data, timeToLive: .max / 2, flushes: true),
                    ResourceRecord(
                        other,
                        .text([UInt8](repeating: 0, count: 1_000)),
                        timeToLive: .max / 2,
                        flushes: true
                    ),
                    ResourceRecord(
                        target,
                        .address(IPAddress(10, 0, 0, 3)),
                        timeToLive: .max / 2,
                        flushes: true
                    ),
                ])
            )
            #expect(run.agent.byteCount <= RecordCache.Limits().bytes)
        }
        #expect(run.agent.services.count <= 256)
        #expect(run.agent.services.contains { $0.name == "Kitchen" })
        // In five minutes of silence no more is asked than there is room for.
        run.pass(.seconds(300))
        #expect(try run.takeSent().count < 2_000)
    }

    @Test func `short lifetimes make no flood of questions`() throws {
        var run = run
        for _ in 0..<600 {
            run.hear(response([ResourceRecord(names.type, .pointer(instance), timeToLive: 1), service]))
            run.pass(.milliseconds(100))
        }
        #expect(try run.takeSent().count < 120)
    }
}
