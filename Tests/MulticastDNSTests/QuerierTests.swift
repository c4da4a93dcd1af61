import MulticastDNS
import Services
import SimulationTesting
import Testing
import Transport

@Suite("The querier of multicast DNS", .simulated(seeds: 1...10))
struct QuerierTests {
    private let names = ServiceNames(Neighbourhood.type)
    private let instance: DomainName
    private let host: DomainName
    private let run = AgentRun(Querier(Neighbourhood.type))

    init() throws {
        instance = try #require(names.instance("Kitchen"))
        host = try #require(DomainName.local("hub"))
    }

    private var typeKey: RecordKey { RecordKey(names.type, .pointer) }
    private var pointer: ResourceRecord { ResourceRecord(names.type, .pointer(instance), timeToLive: 4_500) }

    private func service(port: UInt16 = 8_000, target: DomainName? = nil, priority: UInt16 = 0)
        -> ResourceRecord
    {
        let data = RecordData.service(priority: priority, weight: 0, port: port, target: target ?? host)
        return ResourceRecord(instance, data, timeToLive: 120, flushes: true)
    }

    private var text: ResourceRecord {
        ResourceRecord(instance, .text(Array("\u{6}id=one".utf8)), timeToLive: 4_500, flushes: true)
    }

    private func address(_ text: String = "10.0.0.2", seconds: UInt32 = 120) throws -> ResourceRecord {
        let address = try #require(IPAddress(text))
        return ResourceRecord(host, .address(address), timeToLive: seconds, flushes: true)
    }

    private func response(_ records: [ResourceRecord], more: [ResourceRecord] = []) -> DNSMessage {
        var message = DNSMessage(isResponse: true)
        (message.answers, message.additionals) = (records, more)
        return message
    }

    private func whole() throws -> DNSMessage { response([pointer], more: [service(), text, try address()]) }

    private func ways(_ run: AgentRun<Querier>) -> [String] {
        run.agent.services.flatMap(\.ways).map(\.address)
    }

    // MARK: Questions

    @Test func `it asks after 20 to 120 ms, then with gaps that double up to an hour`() throws {
        var run = run
        run.pass(.seconds(6 * 3_600))
        let sent = try run.takeSent()
        #expect((Duration.milliseconds(20)...(.milliseconds(120))).contains(sent[0].time))
        let gaps = zip(sent, sent.dropFirst()).map { $1.time - $0.time }
        #expect(gaps.prefix(12) == (0..<12).map { .seconds(1 << $0) }[...])
        #expect(gaps.dropFirst(12).allSatisfy { $0 == .seconds(3_600) })
        #expect(sent.allSatisfy { $0.message.questions.map(\.key) == [typeKey] && !$0.message.isResponse })
        // At first whoever has the answer may send it to this host alone.
        #expect(
            sent.map(\.message.questions[0].wantsUnicast) == [true]
                + Array(repeating: false, count: sent.count - 1)
        )
        #expect(sent.allSatisfy { $0.destination == MulticastGroup.endpoint(.v4) })
    }

    @Test func `a question goes out over both versions of every interface`() throws {
        let v6 = try #require(IPAddress("fe80::1%eth0"))
        var run = AgentRun(
            Querier(Neighbourhood.type),
            links: [
                AgentRun<Querier>.link("eth0", [AgentRun<Querier>.own, v6]),
                AgentRun<Querier>.link("eth1", index: 3, [IPAddress(10, 1, 0, 1)]),
            ]
        )
        run.pass(.milliseconds(200))
        let paths = run.sent.map(\.packet.path).sorted()
        #expect(paths.map { "\($0.interface) \($0.version)" } == ["eth0 v4", "eth0 v6", "eth1 v4"])
    }

    @Test
    func
        `what is known for more than half of its lifetime is said with the question, in several messages if need be`()
        throws
    {
        var run = run
        run.pass(.milliseconds(500))
        _ = try run.takeSent()
        var all = response([])
        for number in 0..<200 {
            let instance = try #require(names.instance("Instance number \(number)"))
            all.answers.append(ResourceRecord(names.type, .pointer(instance), timeToLive: 4_500))
        }
        run.hear(all)
        run.pass(.seconds(2))
        let asking = try run.takeSent().filter { message in
            message.message.questions.contains { $0.key == typeKey } || message.message.questions.isEmpty
        }
        let known = asking.flatMap(\.message.answers)
        #expect(Set(known.map(\.data)).count == 200)
        #expect(asking.count > 4)
        let isCut = asking.map(\.message.isTruncated)
        #expect(isCut.contains(true) && isCut.last == false)
        #expect(asking.allSatisfy { $0.message.encoded.count <= 1_440 })
        // After half of it they are not known any more.
        run.pass(.seconds(2_400))
        _ = try run.takeSent()
        run.agent.restart(at: run.now)
        run.pass(.milliseconds(200))
        let late = try run.takeSent().filter { $0.message.questions.contains { $0.key == typeKey } }
        #expect(late.count == 1 && late[0].message.answers.isEmpty)
    }

    @Test func `what an answer lacks is asked for, and no longer once it is known`() throws {
        var run = run
        run.pass(.milliseconds(500))
        run.hear(response([pointer]))
        run.pass(.milliseconds(200))
        #expect(
            Set(try #require(run.takeSent().last).message.questions.map(\.key.type)) == [.service, .text]
        )
        run.hear(response([service(), text]))
        run.pass(.milliseconds(200))
        let questions = try #require(try run.takeSent().last).message.questions
        #expect(Set(questions.map(\.key)) == [RecordKey(host, .a), RecordKey(host, .aaaa)])
        #expect(run.agent.services.isEmpty)
        run.hear(response([try address()]))
        #expect(ways(run) == ["10.0.0.2"])
        // It may have addresses of the other version too, and mostly has none.
        run.pass(.seconds(60))
        let more = try run.takeSent().flatMap(\.message.questions).map(\.key).filter { $0 != typeKey }
        #expect(more == [RecordKey(host, .aaaa), RecordKey(host, .aaaa)])
    }

    @Test func `records that are wanted are asked for again before they end, and end when nobody answers`()
        throws
    {
        var run = run
        run.pass(.milliseconds(500))
        run.hear(try whole())
        run.pass(.seconds(119))
        let again = try run.takeSent().filter {
            $0.message.questions.contains { $0.key == RecordKey(host, .a) }
        }
        #expect(again.count == 4)
        #expect(run.agent.services.count == 1)
        run.pass(.seconds(1))
        #expect(run.agent.services.isEmpty)
        // The pointer is still there: the service is found as soon as it answers.
        run.hear(response([service(), try address()]))
        #expect(run.agent.services.count == 1)
    }

    // MARK: What is listed

    @Test
    func `all sections of an answer count, in whatever order, and so do answers that nobody has asked for`()
        throws
    {
        for (records, more) in [
            ([pointer, service(), text, try address()], []), ([try address()], [text, service(), pointer]),
        ] {
            var run = run
            run.hear(response(records, more: more))
            let service = try #require(run.agent.services.first)
            #expect(service.name == "Kitchen" && service.attributes == ["id": "one"])
            #expect(service.host == "hub.local")
            #expect(service.ways == [ServiceWay(interface: "eth0", address: "10.0.0.2", port: 8_000)])
            #expect(service.expires == run.now + .seconds(120))
        }
    }

    @Test func `addresses that every program can use come first, and those of the link have their zone`()
        throws
    {
        var run = run
        let addresses = try ["fe80::2", "fd00::2", "10.0.0.2"].map { try address($0) }
        run.hear(response([pointer, service(), text] + addresses))
        #expect(ways(run) == ["10.0.0.2", "fd00::2", "fe80::2%eth0"])
    }

    @Test func `addresses that no other host can have are left out`() throws {
        var run = run
        let wrong = [
            "127.0.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "ff02::1", "::ffff:10.0.0.9",
        ]
        run.hear(response([pointer, service(), text] + (try wrong.map { try address($0) })))
        #expect(run.agent.services.isEmpty)
        run.hear(response([try address()]))
        #expect(ways(run) == ["10.0.0.2"])
    }

    @Test func `a new address takes the place of the old one within a second, and is tried first meanwhile`()
        throws
    {
        var run = run
        run.hear(try whole())
        run.pass(.seconds(30))
        run.hear(response([try address("10.0.0.99")]))
        #expect(ways(run) == ["10.0.0.99", "10.0.0.2"])
        run.pass(.seconds(1))
        #expect(ways(run) == ["10.0.0.99"])
    }

    @Test func `a service without a port, without a host or with control characters is not listed`() throws {
        let top = try #require(DomainName([]))
        for service in [service(port: 0), service(target: top)] {
            var run = run
            run.hear(response([pointer, service, text, try address()]))
            #expect(run.agent.services.isEmpty)
        }
        for name in [[0x1B, 0x5B], [0xFF]] as [[UInt8]] {
            var run = run
            let instance = try #require(names.type.prefixed(by: name))
            run.hear(response([ResourceRecord(names.type, .pointer(instance), timeToLive: 4_500)]))
            #expect(run.agent.byteCount == 0)
        }
    }

    @Test func `of several hosts the one with the lowest priority counts`() throws {
        var run = run
        let other = try #require(DomainName.local("backup"))
        let backup = ResourceRecord(other, .address(IPAddress(10, 0, 0, 3)), timeToLive: 120, flushes: true)
        run.hear(
            response([pointer, service(target: other, priority: 1), service(), text, try address(), backup])
        )
        #expect(ways(run) == ["10.0.0.2"])
    }

    @Test func `a service on two interfaces is one with two ways, and two that differ are two`() throws {
        let links = ["eth0", "eth1"].map { AgentRun<Querier>.link($0) }
        var run = AgentRun(Querier(Neighbourhood.type), links: links)
        let eth1 = LinkPath(interface: "eth1", version: .v4)
        run.hear(try whole())
        run.hear(try whole(), on: eth1)
        #expect(run.agent.services.map { $0.ways.map(\.interface) } == [["eth0", "eth1"]])
        let other = ResourceRecord(
            instance,
            .text(Array("\u{6}id=two".utf8)),
            timeToLive: 4_500,
            flushes: true
        )
        run.pass(.seconds(5))
        run.hear(response([other]), on: eth1)
        #expect(run.agent.services.map { $0.attributes["id"] } == ["one", "two"])
        // What was heard on an interface goes with it.
        run.agent.setLinks([links[1]], at: run.now)
        #expect(run.agent.services.map { $0.attributes["id"] } == ["two"])
    }

    @Test func `who speaks from another port is not believed, and a query says nothing`() throws {
        var run = run
        run.hear(try whole(), from: Endpoint(IPAddress(10, 0, 0, 2), port: 40_000))
        var query = try whole()
        query.isResponse = false
        run.hear(query)
        #expect(run.agent.services.isEmpty && run.agent.byteCount == 0)
    }

    @Test func `records of names that nobody wants are not kept`() throws {
        var run = run
        let other = try #require(DomainName.local("_other", "_tcp"))
        run.hear(
            response([
                ResourceRecord(other, .pointer(instance), timeToLive: 4_500), service(), text, try address(),
            ])
        )
        #expect(run.agent.byteCount == 0)
        // And those that were wanted go with what wanted them.
        run.hear(try whole())
        #expect(run.agent.byteCount > 0)
        run.hear(response([ResourceRecord(names.type, .pointer(instance), timeToLive: 0)]))
        #expect(run.agent.services.count == 1)
        run.pass(.seconds(1))
        #expect(run.agent.services.isEmpty && run.agent.byteCount == 0)
    }

    // MARK: Doubts

    @Test func `a doubted service is asked about and dropped after ten seconds of silence`() throws {
        var run = run
        run.hear(try whole())
        run.pass(.seconds(20))
        _ = try run.takeSent()
        run.agent.reconfirm("Kitchen", at: run.now)
        run.pass(.seconds(9.9))
        #expect(run.agent.services.count == 1)
        let keys: Set = [RecordKey(instance, .service), RecordKey(host, .a), RecordKey(host, .aaaa)]
        let questions = try run.takeSent().filter { keys.isSubset(of: Set($0.message.questions.map(\.key))) }
        #expect(questions.count == 3)
        run.pass(.seconds(0.1))
        #expect(run.agent.services.isEmpty && run.agent.byteCount == 0)
        // It is looked for again as at first.
        _ = try run.takeSent()
        run.pass(.seconds(4))
        #expect(try run.takeSent().count == 3)
    }

    @Test func `a doubted service stays when its host answers, and moves when it answers from elsewhere`()
        throws
    {
        var run = run
        run.hear(try whole())
        run.agent.reconfirm("Kitchen", at: run.now)
        run.pass(.seconds(1))
        run.hear(response([service(), try address()]))
        run.pass(.seconds(60))
        #expect(ways(run) == ["10.0.0.2"])
        run.agent.reconfirm("Kitchen", at: run.now)
        run.pass(.seconds(2))
        run.hear(response([service(), try address("10.0.0.50")]))
        run.pass(.seconds(20))
        #expect(ways(run) == ["10.0.0.50"])
    }

    @Test func `a service that is only renewed is reported with its new end, once a second at most`() throws {
        var run = run
        run.hear(try whole())
        #expect(run.agent.takeReport()?.services.first?.expires == run.now + .seconds(120))
        run.pass(.milliseconds(500))
        run.hear(try whole())
        #expect(run.agent.takeReport() == nil)
        run.pass(.milliseconds(500))
        run.hear(try whole())
        #expect(run.agent.takeReport()?.services.first?.expires == run.now + .seconds(120))
        #expect(run.agent.takeReport() == nil)
    }
}
