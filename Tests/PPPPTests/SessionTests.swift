import TestSupport
import Testing
import Transport

@testable import PPPP

/// Two sessions with a network between them that loses, doubles and reorders, in steps of ten milliseconds.
private struct Pair {
    var camera: Session
    var client: Session
    var generator: SeededGenerator
    var loss: Double
    var duplication: Double
    var now = ContinuousClock.now
    /// What is on its way: when it arrives, and at which end.
    private var travelling: [(at: ContinuousClock.Instant, toClient: Bool, Packet)] = []
    var heardByClient: [UInt8: [UInt8]] = [:]
    var heardByCamera: [UInt8: [UInt8]] = [:]

    init(seed: UInt64, loss: Double, duplication: Double, first: UInt16 = 0, limits: SessionLimits = .init())
    {
        generator = SeededGenerator(seed: seed)
        (self.loss, self.duplication) = (loss, duplication)
        camera = Session(limits, at: now, first: first)
        var joining = limits
        joining.joinsAcks = true
        client = Session(joining, at: now, first: first)
    }

    mutating func step() {
        now += .milliseconds(10)
        camera.tick(at: now)
        client.tick(at: now)
        travel(camera.takePackets(), toClient: true)
        travel(client.takePackets(), toClient: false)
        let arriving = travelling.filter { $0.at <= now }.shuffled(using: &generator)
        travelling.removeAll { $0.at <= now }
        for (_, toClient, packet) in arriving {
            if toClient { client.receive(packet, at: now) } else { camera.receive(packet, at: now) }
        }
        for arrival in client.takeArrivals() { heardByClient[arrival.channel, default: []] += arrival.bytes }
        for arrival in camera.takeArrivals() { heardByCamera[arrival.channel, default: []] += arrival.bytes }
    }

    private mutating func travel(_ packets: [Packet], toClient: Bool) {
        for packet in packets {
            for _ in 0..<(Double.random(in: 0..<1, using: &generator) < duplication ? 2 : 1) {
                if Double.random(in: 0..<1, using: &generator) < loss { continue }
                let delay = Duration.milliseconds(Int.random(in: 0..<80, using: &generator))
                travelling.append((now + delay, toClient, packet))
            }
        }
    }
}

@Suite("PPPP: sessions")
struct SessionTests {
    private func pattern(_ count: Int, _ start: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 + start) &* 31) }
    }

    @Test(arguments: [1, 4, 8, 15, 16, 64])
    func `joined acknowledgements slow no sender down, whatever its window`(window: Int) {
        var limits = SessionLimits()
        limits.window = window
        limits.chunkBytes = 4
        var packets: [Int] = []
        for joins in [false, true] {
            let begin = ContinuousClock.now
            var camera = Session(limits, at: begin)
            var answers = limits
            answers.joinsAcks = joins
            var client = Session(answers, at: begin)
            // Round trips of 5 ms, and a tick of both ends after every tenth, as in a camera's client.
            for trip in 1...600 {
                let now = begin + .milliseconds(5 * trip)
                if camera.waitingBytes(of: 1) < 512 { _ = camera.write(pattern(512, 0), to: 1, at: now) }
                if trip.isMultiple(of: 10) {
                    camera.tick(at: now)
                    client.tick(at: now)
                }
                for packet in camera.takePackets() { client.receive(packet, at: now) }
                for packet in client.takePackets() { camera.receive(packet, at: now) }
                _ = client.takeArrivals()
            }
            #expect(camera.end == nil && client.end == nil)
            packets.append(client.statistics.received)
        }
        #expect(packets[1] * 10 >= packets[0] * 9, "\(packets[1]) of \(packets[0])")
    }

    @Test(arguments: 0..<30)
    func `streams arrive whole and in order over a bad network, also where indices wrap`(seed: UInt64) {
        var pair = Pair(seed: seed, loss: 0.15, duplication: 0.2, first: seed.isMultiple(of: 2) ? 65_500 : 0)
        let (video, commands, answers) = (pattern(200_000, 1), pattern(5_000, 2), pattern(4_000, 3))
        let hasRoom = [
            pair.camera.write(video, to: 1, at: pair.now), pair.camera.write(answers, to: 0, at: pair.now),
            pair.client.write(commands, to: 0, at: pair.now),
        ]
        #expect(hasRoom == [true, true, true])
        for _ in 0..<4_000 where pair.client.end == nil && !pair.camera.isAcknowledged { pair.step() }
        #expect(pair.camera.end == nil && pair.client.end == nil)
        #expect(pair.heardByClient == [0: answers, 1: video])
        #expect(pair.heardByCamera == [0: commands])
        #expect(pair.client.statistics.duplicates > 0)
        #expect(pair.camera.statistics.resent > 0)
    }

    @Test func `no more is on its way than the window has room for`() {
        var limits = SessionLimits()
        limits.window = 8
        var session = Session(limits, at: .now)
        let now = ContinuousClock.now
        _ = session.write(pattern(64 * 1024, 0), to: 1, at: now)
        let first = session.takePackets()
        #expect(first.count == 8)
        // The second alone frees nothing: what is kept ahead stays within the window.
        session.receive(.dataAck(channel: 1, [1]), at: now)
        let second = session.takePackets()
        #expect(second == [])
        session.receive(.dataAck(channel: 1, [0]), at: now)
        let third = session.takePackets().map {
            if case .data(_, let index, _) = $0 { Int(index) } else { -1 }
        }
        #expect(third == [8, 9])
    }

    @Test func `an unacknowledged packet is sent again with its index, and the session ends at last`() {
        var session = Session(SessionLimits(), at: .now)
        let start = ContinuousClock.now
        _ = session.write([7], to: 0, at: start)
        var sent: [UInt16] = []
        for step in 0..<1_100 where session.end == nil {
            let now = start + .milliseconds(10 * step)
            session.receive(.aliveAck, at: now)
            session.tick(at: now)
            for case .data(_, let index, _) in session.takePackets() { sent.append(index) }
        }
        #expect(sent.count > 10 && Set(sent) == [0])
        #expect(session.end == .unacknowledged(channel: 0))
    }

    @Test func `a packet that never comes ends the session`() {
        var session = Session(SessionLimits(), at: .now)
        let start = ContinuousClock.now
        for step in 0..<1_100 where session.end == nil {
            let now = start + .milliseconds(10 * step)
            session.receive(.data(channel: 1, index: 3, [1]), at: now)
            session.tick(at: now)
        }
        #expect(session.end == .gap(channel: 1))
    }

    @Test func `a duplicate is acknowledged again, and heard once`() {
        var session = Session(SessionLimits(), at: .now)
        for _ in 0..<3 { session.receive(.data(channel: 2, index: 0, [1, 2]), at: .now) }
        let (packets, arrivals) = (session.takePackets(), session.takeArrivals())
        #expect(packets == Array(repeating: .dataAck(channel: 2, [0]), count: 3))
        #expect(arrivals == [.init(channel: 2, bytes: [1, 2])])
        #expect(session.statistics.duplicates == 2)
    }

    @Test
    func `acknowledgements of media wait for fifteen others, a repeated packet, or the next tick`() {
        let now = ContinuousClock.now
        var limits = SessionLimits()
        limits.joinsAcks = true
        var session = Session(limits, at: now)
        func packets(after indices: Range<UInt16>, channel: UInt8 = 1) -> [Packet] {
            for index in indices { session.receive(.data(channel: channel, index: index, [1]), at: now) }
            return session.takePackets()
        }
        #expect(packets(after: 0..<15) == [])
        #expect(packets(after: 15..<16) == [.dataAck(channel: 1, Array(0..<16))])
        #expect(packets(after: 16..<17) == [])
        // Its acknowledgement may have been lost.
        #expect(packets(after: 3..<4) == [.dataAck(channel: 1, [16, 3])])
        #expect(packets(after: 17..<18) == [])
        session.tick(at: now)
        #expect(packets(after: 0..<0) == [.dataAck(channel: 1, [17])])
        #expect(packets(after: 18..<19) == [])
        // Who waits for an answer waits for its acknowledgement too.
        #expect(packets(after: 0..<1, channel: 0) == [.dataAck(channel: 0, [0])])
        session.receive(.close, at: now)
        #expect(packets(after: 0..<0) == [.dataAck(channel: 1, [18]), .closeAck])
    }

    @Test
    func `fewer acknowledgements are joined after a tick found some waiting, and twice as many each second`()
    {
        let start = ContinuousClock.now
        var limits = SessionLimits()
        limits.joinsAcks = true
        var session = Session(limits, at: start)
        var next: UInt16 = 0
        /// How many packets are acknowledged at once when so many have come.
        func acknowledged(_ count: Int, after milliseconds: Int, tick: Bool = false) -> Int {
            let now = start + .milliseconds(milliseconds)
            for _ in 0..<count {
                session.receive(.data(channel: 1, index: next, [1]), at: now)
                next += 1
            }
            if tick { session.tick(at: now) }
            return session.takePackets().reduce(0) { sum, packet in
                if case .dataAck(1, let all) = packet { sum + all.count } else { sum }
            }
        }
        // The end of a picture is no standing still: the number was reached before.
        #expect(acknowledged(16, after: 10) == 16 && acknowledged(3, after: 50, tick: true) == 3)
        #expect(acknowledged(15, after: 60) == 0 && acknowledged(1, after: 61) == 16)
        #expect(acknowledged(0, after: 100, tick: true) == 0)
        // A sender whose window has room for eight.
        #expect(acknowledged(8, after: 110) == 0 && acknowledged(0, after: 150, tick: true) == 8)
        #expect(acknowledged(7, after: 160) == 0 && acknowledged(1, after: 161) == 8)
        // A second after the beginning the whole number is tried again.
        #expect(acknowledged(0, after: 1_000, tick: true) == 0)
        #expect(acknowledged(15, after: 1_010) == 0 && acknowledged(1, after: 1_011) == 16)
    }

    @Test func `what is too far ahead is neither kept nor acknowledged`() {
        var limits = SessionLimits()
        (limits.aheadPackets, limits.aheadBytes) = (4, 10)
        var session = Session(limits, at: .now)
        session.receive(.data(channel: 1, index: 5, [1]), at: .now)
        session.receive(.data(channel: 1, index: 1, pattern(10, 0)[...]), at: .now)
        session.receive(.data(channel: 1, index: 2, [1]), at: .now)
        let packets = session.takePackets()
        #expect(packets == [.dataAck(channel: 1, [1])])
        #expect(session.statistics.refused == 2 && session.statistics.disordered == 1)
        session.receive(.data(channel: 1, index: 0, [9]), at: .now)
        let arrivals = session.takeArrivals()
        #expect(arrivals.map(\.bytes.count) == [1, 10])
    }

    @Test func `channels that do not exist are ignored`() {
        var session = Session(SessionLimits(), at: .now)
        session.receive(.data(channel: 8, index: 0, [1]), at: .now)
        session.receive(.dataAck(channel: 200, [1]), at: .now)
        session.receive(.dataAck(channel: 7, [0xAAAA]), at: .now)
        let (packets, arrivals) = (session.takePackets(), session.takeArrivals())
        #expect(packets == [] && arrivals == [])
        let isTaken = session.write([1], to: 8, at: .now)
        #expect(!isTaken)
    }

    @Test func `a message that finds no room is refused as a whole`() {
        var limits = SessionLimits()
        (limits.window, limits.waitingBytes) = (1, 3_000)
        var session = Session(limits, at: .now)
        let isFirstTaken = session.write(pattern(2_500, 0), to: 1, at: .now)
        #expect(isFirstTaken && session.waitingBytes(of: 1) == 1_476)
        let isSecondTaken = session.write(pattern(2_000, 0), to: 1, at: .now)
        #expect(!isSecondTaken && session.waitingBytes(of: 1) == 1_476)
        let isOtherTaken = session.write(pattern(2_000, 0), to: 2, at: .now)
        #expect(isOtherTaken)
    }

    @Test func `each side asks whether the other is there, and gives up when it is silent`() {
        let start = ContinuousClock.now
        var session = Session(SessionLimits(), at: start)
        var asked = 0
        for second in 1...10 {
            session.tick(at: start + .seconds(second))
            asked += session.takePackets().count { $0 == .alive }
        }
        #expect(asked == 9 && session.end == .silent)
        var other = Session(SessionLimits(), at: start)
        other.receive(.alive, at: start)
        let answer = other.takePackets()
        #expect(answer == [.aliveAck])
    }

    @Test func `a close is said three times, and ends the other side at once`() {
        var (one, other) = (Session(SessionLimits(), at: .now), Session(SessionLimits(), at: .now))
        one.close()
        one.close()
        let packets = one.takePackets()
        #expect(packets == [.close, .close, .close] && one.end == .closedHere)
        for packet in packets { other.receive(packet, at: .now) }
        let answer = other.takePackets()
        #expect(other.end == .closedByPeer && answer == [.closeAck])
        other.receive(.data(channel: 0, index: 0, [1]), at: .now)
        let (arrivals, isTaken) = (other.takeArrivals(), other.write([1], to: 0, at: .now))
        #expect(arrivals == [] && !isTaken)
    }
}

@Suite("PPPP: finding a camera")
struct PeerFinderTests {
    private let id = PacketTests.id
    private let broadcast = Endpoint(.broadcast, port: 32108)
    private let camera = Endpoint(IPAddress(10, 0, 0, 9), port: 40_001)
    private let start = ContinuousClock.now

    private func finder() -> PeerFinder { PeerFinder(id, at: [broadcast], now: start) }

    @Test func `searches each second, in all forms, until somebody has answered and is ready`() {
        var finder = finder()
        var searches = 0
        for step in 0..<30 {
            finder.tick(at: start + .milliseconds(100 * step))
            searches += finder.takeOutgoing().count { $0.packet == .lanSearch && $0.inAllForms }
        }
        #expect(searches == 3 && finder.stage == .searching)
        finder.receive(.punch(id), from: camera, at: start)
        #expect(finder.stage == .punching)
        let punches = finder.takeOutgoing()
        #expect(punches == [.init(packet: .punch(id), destination: camera, inAllForms: false)])
        finder.receive(.ready(id), from: camera, at: start)
        #expect(finder.stage == .connected(camera))
        let answers = finder.takeOutgoing()
        #expect(answers.map(\.packet) == [.readyAck])
        finder.receive(.ready(id), from: broadcast, at: start)
        finder.tick(at: start + .seconds(60))
        let more = finder.takeOutgoing()
        #expect(finder.stage == .connected(camera) && more == [])
    }

    @Test func `a lost punch is said again, later with the word that the client is ready too`() {
        var finder = finder()
        finder.receive(.punch(id), from: camera, at: start)
        var said: [Packet] = []
        for step in 1...10 {
            finder.tick(at: start + .milliseconds(250 * step))
            said += finder.takeOutgoing().filter { $0.destination == camera }.map(\.packet)
        }
        #expect(said.count { $0 == .punch(id) } == 11)
        #expect(said.count { $0 == .ready(id) } == 8)
    }

    @Test func `answers with another ID are ignored and counted`() throws {
        var finder = finder()
        let other = try #require(DeviceID("VSTB-123457-ABCDE"))
        finder.receive(.punch(other), from: camera, at: start)
        finder.receive(.ready(other), from: camera, at: start)
        #expect(finder.stage == .searching && finder.strangers == 2)
    }

    @Test func `a client does not find itself, where its address is the camera's too`() {
        var finder = PeerFinder(id, at: [broadcast], through: [broadcast], own: [camera], now: start)
        finder.receive(.punchTo(camera), from: broadcast, at: start)
        finder.receive(.ready(id), from: camera, at: start)
        let tried = finder.takeOutgoing()
        #expect(finder.stage == .searching && !tried.contains { $0.destination == camera })
    }

    @Test func `what a directory or a relay says counts from these alone`() {
        let (directory, relay) = (
            Endpoint(IPAddress(1, 1, 1, 1), port: 32_100), Endpoint(IPAddress(2, 2, 2, 2), port: 9)
        )
        let (place, stranger) = (
            Endpoint(IPAddress(2, 2, 2, 2), port: 77), Endpoint(IPAddress(3, 3, 3, 3), port: 32_100)
        )
        var finder = PeerFinder(id, at: [], through: [directory], own: [], now: start)
        let answers: [(Packet, Endpoint)] = [
            (.punchTo(place), directory), (.relayList([relay]), directory), (.relayHelloAck, relay),
            (.relayPortAck(token: 7, port: 77), relay), (.relayTo(place, token: 7), directory),
            (.relayReady(id), place),
        ]
        for (packet, _) in answers { finder.receive(packet, from: stranger, at: start) }
        #expect(finder.stage == .searching && finder.verdict == nil)
        for (packet, source) in answers.prefix(4) { finder.receive(packet, from: source, at: start) }
        // Another token than that of the relay.
        finder.receive(.relayTo(place, token: 8), from: directory, at: start)
        finder.receive(.relayReady(id), from: place, at: start)
        #expect(finder.stage == .punching)
        for (packet, source) in answers.dropFirst(4) { finder.receive(packet, from: source, at: start) }
        #expect(finder.stage == .connected(place))
        let requests = finder.takeOutgoing().filter { $0.destination == directory }.map(\.packet)
        #expect(requests.contains(.relayRequest(id, relay: place, token: 7)))
    }

    @Test func `of many who answer with the ID only some are tried`() {
        var finder = finder()
        for number in 0..<100 {
            finder.receive(.punch(id), from: Endpoint(IPAddress(10, 0, 1, UInt8(number)), port: 1), at: start)
        }
        let tried = Set(finder.takeOutgoing().map(\.destination))
        #expect(tried.count == 8)
    }
}
