import MulticastDNS
import Services
import SimulationTesting
import Testing
import Transport

@Suite("The responder of multicast DNS", .simulated(seeds: 1...10))
struct ResponderTests {
    private let names = ServiceNames(Neighbourhood.type)
    private let instance: DomainName
    private let host: DomainName
    private var run: AgentRun<Responder>

    private static let offer = ServiceOffer(
        name: "Kitchen",
        type: Neighbourhood.type,
        port: 8_000,
        attributes: ["id": "one"]
    )

    init() throws {
        instance = try #require(names.instance("Kitchen"))
        host = try #require(DomainName.local("hub"))
        run = AgentRun(try #require(Responder(Self.offer, host: "hub")))
    }

    /// One that has announced itself and is silent.
    private func settled() throws -> AgentRun<Responder> {
        var run = run
        run.pass(.seconds(60))
        _ = try run.takeSent()
        return run
    }

    private func query(_ keys: RecordKey..., wantsUnicast: Bool = false) -> DNSMessage {
        var message = DNSMessage(isResponse: false)
        message.questions = keys.map { DNSQuestion($0, wantsUnicast: wantsUnicast) }
        return message
    }

    private var typeKey: RecordKey { RecordKey(names.type, .pointer) }

    private func response(_ records: ResourceRecord...) -> DNSMessage {
        var message = DNSMessage(isResponse: true)
        message.answers = records
        return message
    }

    private func otherService(_ port: UInt16 = 9, seconds: UInt32 = 120) -> ResourceRecord {
        let data = RecordData.service(priority: 0, weight: 0, port: port, target: host)
        return ResourceRecord(instance, data, timeToLive: seconds, flushes: true)
    }

    // MARK: Probes and announcements

    @Test func `names are probed three times, 250 ms apart, then announced three times`() throws {
        var run = run
        run.pass(.seconds(60))
        let sent = try run.takeSent()
        #expect(sent.map(\.message.isResponse) == [false, false, false, true, true, true])
        let first = try #require(sent.first?.time)
        #expect(first >= .zero && first <= .milliseconds(250))
        let gaps = zip(sent, sent.dropFirst()).map { $1.time - $0.time }
        #expect(
            gaps == [.milliseconds(250), .milliseconds(250), .milliseconds(250), .seconds(1), .seconds(2)]
        )
        let probe = sent[0].message
        #expect(probe.questions.map(\.key) == [RecordKey(instance, .any), RecordKey(host, .any)])
        #expect(probe.questions.filter(\.wantsUnicast).count == 2)
        #expect(Set(probe.authorities.map(\.data.type)) == [.service, .text, .a])
        #expect(probe.authorities.filter(\.flushes).isEmpty)
        let announcement = sent[3].message
        #expect(announcement.questions.isEmpty)
        let shared = announcement.answers.filter { !$0.flushes }
        #expect(shared.map(\.data) == [.pointer(instance), .pointer(names.type)])
        #expect(announcement.answers.filter(\.flushes).map(\.timeToLive) == [120, 4_500, 120])
    }

    @Test func `a name that another has gets a number, and is probed again on all links`() throws {
        var run = run
        run.pass(.milliseconds(300))
        run.hear(response(otherService()))
        run.pass(.seconds(10))
        #expect(run.agent.names.instance == "Kitchen (2)")
        #expect(run.agent.names.host == "hub.local")
        #expect(run.agent.takeReport() == .published(name: "Kitchen (2)"))
        run.hear(
            response(ResourceRecord(host, .address(IPAddress(10, 0, 0, 9)), timeToLive: 120, flushes: true))
        )
        // Ours until somebody defends it.
        run.pass(.milliseconds(300))
        #expect(run.agent.names.host == "hub.local")
        run.hear(
            response(ResourceRecord(host, .address(IPAddress(10, 0, 0, 9)), timeToLive: 120, flushes: true))
        )
        run.pass(.seconds(10))
        #expect(run.agent.names.host == "hub-2.local")
        #expect(run.agent.names.instance == "Kitchen (2)")
    }

    @Test func `records that are the same as ours are no conflict, and nor is what was taken back`() throws {
        var run = run
        run.pass(.milliseconds(300))
        run.hear(response(otherService(8_000)))
        run.hear(response(otherService(9, seconds: 0)))
        run.hear(response(ResourceRecord(host, .next(host, types: [1]), timeToLive: 120, flushes: true)))
        run.pass(.seconds(10))
        #expect(run.agent.names.instance == "Kitchen")
    }

    @Test func `many conflicts in a short time slow the search for a name down`() throws {
        var run = run
        var probes = 0
        for _ in 0..<400 {
            run.pass(.milliseconds(50))
            probes += try run.takeSent().count
            let label = run.agent.names.instance
            let taken = try #require(names.instance(label))
            run.hear(response(ResourceRecord(taken, .text([0]), timeToLive: 120, flushes: true)))
        }
        // Twenty seconds: fifteen names at once, then one in five seconds, with three probes each at most.
        #expect(probes < 70)
        #expect(run.agent.takeReport() != .published(name: "Kitchen"))
    }

    @Test(arguments: [(8_001 as UInt16, false), (7_999, true)])
    func `of two that probe at once the later records win`(_ port: UInt16, _ wins: Bool) throws {
        var run = run
        run.pass(.milliseconds(260))
        #expect(try run.takeSent().count >= 1)
        var probe = query(RecordKey(instance, .any))
        probe.authorities = [
            otherService(port), ResourceRecord(instance, .text(Array("\u{6}id=one".utf8)), timeToLive: 4_500),
        ]
        let heard = run.now - run.start
        run.hear(probe)
        run.pass(.milliseconds(990))
        let next = try run.takeSent()
        if wins {
            #expect(next.contains { $0.message.isResponse })
        } else {
            // It waits for a second, then probes for the same name again.
            #expect(next.isEmpty)
            run.pass(.milliseconds(100))
            let again = try #require(try run.takeSent().first)
            #expect(again.time - heard == .seconds(1) && !again.message.isResponse)
        }
        run.pass(.seconds(10))
        #expect(run.agent.takeReport() == .published(name: "Kitchen"))
    }

    @Test func `an echo of what was sent is no conflict, also where it comes back on another interface`()
        throws
    {
        let other = AgentRun<Responder>.link("eth1", index: 3, [IPAddress(10, 0, 0, 5)])
        var run = AgentRun(
            try #require(Responder(Self.offer, host: "hub")),
            links: [AgentRun<Responder>.link(), other]
        )
        var probes = 0
        for _ in 0..<200 {
            run.pass(.milliseconds(50))
            for (_, message, _) in try run.takeSent() {
                probes += message.isResponse ? 0 : 1
                for path in [AgentRun<Responder>.eth0, LinkPath(interface: "eth1", version: .v4)] {
                    run.hear(message, from: Endpoint(IPAddress(10, 0, 0, 5), port: 5353), on: path)
                }
            }
        }
        #expect(run.agent.takeReport() == .published(name: "Kitchen"))
        #expect(run.agent.names.host == "hub.local")
        // Neither interface gave way to the other.
        #expect(probes == 6)
    }

    // MARK: Answers

    @Test func `a shared record is answered after 20 to 120 ms, with all that will be asked next`() throws {
        var run = try settled()
        let asked = run.now - run.start
        run.hear(query(typeKey))
        run.pass(.seconds(1))
        let sent = try run.takeSent()
        let answer = try #require(sent.first)
        #expect(sent.count == 1 && answer.destination == MulticastGroup.endpoint(.v4))
        #expect((Duration.milliseconds(20)...(.milliseconds(120))).contains(answer.time - asked))
        #expect(answer.message.answers.map(\.data) == [.pointer(instance)])
        #expect(Set(answer.message.additionals.map(\.data.type)) == [.service, .text, .a])
    }

    @Test func `unique records are answered at once, absent types are denied, other names are left alone`()
        throws
    {
        var run = try settled()
        run.hear(query(RecordKey(host, .a), RecordKey(host, .aaaa)))
        run.pass(.zero)
        let answers = try #require(try run.takeSent().first).message.answers
        #expect(answers.map(\.data) == [.address(AgentRun<Responder>.own), .next(host, types: [1])])
        let other = try #require(DomainName.local("other"))
        run.hear(query(RecordKey(other, .a), RecordKey(names.type, .service)))
        run.pass(.seconds(1))
        #expect(try run.takeSent().isEmpty)
    }

    @Test func `types are enumerated`() throws {
        var run = try settled()
        run.hear(query(RecordKey(try #require(ServiceNames.types), .pointer)))
        run.pass(.seconds(1))
        #expect(try run.takeSent().first?.message.answers.map(\.data) == [.pointer(names.type)])
    }

    @Test func `what the asker knows for at least half of its lifetime is not answered`() throws {
        var run = try settled()
        for (seconds, isAnswered) in [(2_250 as UInt32, false), (2_249, true)] {
            var message = query(typeKey)
            message.answers = [ResourceRecord(names.type, .pointer(instance), timeToLive: seconds)]
            run.hear(message)
            run.pass(.seconds(5))
            #expect(try run.takeSent().isEmpty != isAnswered)
        }
    }

    @Test func `more of what the asker knows may follow, and is waited for`() throws {
        var run = try settled()
        var message = query(typeKey)
        message.isTruncated = true
        var rest = DNSMessage(isResponse: false)
        rest.answers = [ResourceRecord(names.type, .pointer(instance), timeToLive: 4_000)]
        run.hear(message)
        run.pass(.milliseconds(390))
        run.hear(rest, from: Endpoint(IPAddress(10, 0, 0, 3), port: 5353))
        run.pass(.seconds(2))
        // From another asker it is another's.
        #expect(try run.takeSent().count == 1)
        run.hear(message)
        run.pass(.milliseconds(390))
        run.hear(rest)
        run.pass(.seconds(2))
        #expect(try run.takeSent().isEmpty)
    }

    @Test func `a record is multicast once a second at most, and sooner to defend a name`() throws {
        var run = try settled()
        for _ in 0..<30 {
            run.hear(query(RecordKey(host, .a)))
            run.pass(.milliseconds(100))
        }
        #expect((3...4).contains(try run.takeSent().count))
        var probe = query(RecordKey(host, .any))
        probe.authorities = [ResourceRecord(host, .address(IPAddress(10, 0, 0, 200)), timeToLive: 120)]
        for _ in 0..<3 {
            run.pass(.milliseconds(250))
            run.hear(probe)
        }
        run.pass(.zero)
        #expect(try run.takeSent().count == 3)
        #expect(run.agent.names.host == "hub.local")
    }

    @Test func `one who wants unicast gets it where all have heard the record lately`() throws {
        var run = try settled()
        let asker = Endpoint(IPAddress(10, 0, 0, 2), port: 5353)
        run.hear(query(typeKey, wantsUnicast: true), from: asker)
        run.pass(.seconds(1))
        #expect(try run.takeSent().map(\.destination) == [asker])
        run.pass(.seconds(4_500 / 4))
        run.hear(query(typeKey, wantsUnicast: true), from: asker)
        run.pass(.seconds(1))
        #expect(try run.takeSent().map(\.destination) == [MulticastGroup.endpoint(.v4)])
    }

    @Test func `an ordinary resolver gets its question back, its number, and short lifetimes`() throws {
        var run = try settled()
        let resolver = Endpoint(IPAddress(10, 0, 0, 2), port: 40_000)
        var message = query(RecordKey(instance, .service))
        message.id = 77
        run.hear(message, from: resolver)
        run.pass(.zero)
        let answer = try #require(try run.takeSent().first)
        #expect(answer.destination == resolver && answer.message.id == 77)
        #expect(answer.message.questions == message.questions)
        #expect(!answer.message.statements.contains { $0.flushes || $0.timeToLive > 10 })
        #expect(answer.message.additionals.map(\.data) == [.address(AgentRun<Responder>.own)])
    }

    @Test func `nothing is answered before the names are claimed`() throws {
        var run = run
        run.pass(.milliseconds(500))
        _ = try run.takeSent()
        run.hear(query(typeKey))
        run.pass(.milliseconds(150))
        #expect(try !run.takeSent().contains { $0.message.isResponse && $0.time < .milliseconds(750) })
    }

    @Test func `each interface says its own addresses, of both versions`() throws {
        let v6 = try #require(IPAddress("fe80::1%eth0"))
        let links = [
            AgentRun<Responder>.link("eth0", [AgentRun<Responder>.own, v6]),
            AgentRun<Responder>.link("eth1", index: 3, [IPAddress(192, 168, 0, 1)]),
        ]
        var run = AgentRun(try #require(Responder(Self.offer, host: "hub")), links: links)
        run.pass(.seconds(60))
        let announcements = run.sent.filter { DNSMessage($0.packet.bytes)?.isResponse == true }
        func addresses(_ interface: String, _ version: IPAddress.Version) -> [RecordData] {
            let path = LinkPath(interface: interface, version: version)
            let packet = announcements.first { $0.packet.path == path }?.packet
            let records = packet.flatMap { DNSMessage($0.bytes)?.answers } ?? []
            return records.map(\.data).filter { [.a, .aaaa].contains($0.type) }
        }
        let both = [RecordData.address(AgentRun<Responder>.own), .address(v6.inZone(nil))]
        #expect(addresses("eth0", .v4) == both && addresses("eth0", .v6) == both)
        #expect(addresses("eth1", .v4) == [.address(IPAddress(192, 168, 0, 1))])
    }

    // MARK: Changes

    @Test func `changed attributes are announced, and equal ones are not`() throws {
        var run = try settled()
        run.agent.setAttributes(["id": "one"], at: run.now)
        run.pass(.seconds(5))
        #expect(try run.takeSent().isEmpty)
        run.agent.setAttributes(["id": "two"], at: run.now)
        run.pass(.seconds(5))
        let sent = try run.takeSent()
        #expect(sent.count == 2)
        #expect(
            sent[0].message.answers.contains { $0.data == .text(Array("\u{6}id=two".utf8)) && $0.flushes }
        )
    }

    @Test func `what is withdrawn is taken back, once and for all`() throws {
        var run = try settled()
        run.agent.withdraw()
        run.pass(.seconds(60))
        let sent = try run.takeSent()
        let farewell = try #require(sent.first?.message)
        #expect(sent.count == 1 && farewell.answers.allSatisfy { $0.timeToLive == 0 })
        #expect(Set(farewell.answers.map(\.data.type)) == [.pointer, .service, .text, .a])
        run.hear(query(typeKey))
        run.pass(.seconds(60))
        #expect(try run.takeSent().isEmpty)
        #expect(run.agent.takeReport() == .withdrawn)
    }

    @Test func `what another takes back is said again`() throws {
        var run = try settled()
        run.hear(response(ResourceRecord(names.type, .pointer(instance), timeToLive: 0)))
        run.pass(.zero)
        #expect(try run.takeSent().first?.message.answers.map(\.data) == [.pointer(instance)])
    }

    @Test func `a new address is announced, and a new interface is probed first`() throws {
        var run = try settled()
        let moved = AgentRun<Responder>.link("eth0", [IPAddress(10, 0, 0, 77)])
        run.agent.setLinks([moved], at: run.now)
        run.pass(.seconds(5))
        #expect(
            try run.takeSent().first?.message.answers.contains {
                $0.data == .address(IPAddress(10, 0, 0, 77))
            } == true
        )
        run.agent.setLinks(
            [moved, AgentRun<Responder>.link("eth1", index: 3, [IPAddress(10, 1, 0, 1)])],
            at: run.now
        )
        run.pass(.milliseconds(600))
        #expect(try run.takeSent().allSatisfy { !$0.message.isResponse })
        #expect(run.agent.takeReport() == .published(name: "Kitchen"))
    }
}
