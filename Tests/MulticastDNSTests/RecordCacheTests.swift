import MulticastDNS
import SimulationTesting
import Testing
import Transport

@Suite("The cache of records", .simulated(seeds: 1...10))
struct RecordCacheTests {
    private let start = ContinuousClock.now
    private let type: DomainName
    private let host: DomainName

    init() throws {
        type = try #require(DomainName.local("_http", "_tcp"))
        host = try #require(DomainName.local("hub"))
    }

    private func address(_ last: UInt8, seconds: UInt32 = 120, flushes: Bool = true) -> ResourceRecord {
        ResourceRecord(host, .address(IPAddress(10, 0, 0, last)), timeToLive: seconds, flushes: flushes)
    }

    private func pointer(_ number: Int) throws -> ResourceRecord {
        let instance = try #require(type.prefixed(by: Array("Instance \(number)".utf8)))
        return ResourceRecord(type, .pointer(instance), timeToLive: 4_500)
    }

    private func known(_ cache: RecordCache) -> [RecordData] {
        cache.entries(address(1).key).map(\.record.data)
    }

    @Test func `a record is kept for its lifetime, and longer when it is heard again`() {
        var cache = RecordCache()
        cache.take(address(1), at: start)
        #expect(cache.expire(at: start + .seconds(119)) == false)
        cache.take(address(1), at: start + .seconds(119))
        #expect(cache.expire(at: start + .seconds(238)) == false)
        #expect(cache.expire(at: start + .seconds(239)) == true)
        #expect(cache.count == 0 && cache.byteCount == 0)
    }

    @Test func `a record that is taken back stays for a second, and one that is not known is not kept`() {
        var cache = RecordCache()
        cache.take(address(1), at: start)
        #expect(cache.take(address(1, seconds: 0), at: start + .seconds(5)) == true)
        #expect(cache.take(address(2, seconds: 0), at: start + .seconds(5)) == false)
        _ = cache.expire(at: start + .seconds(5.9))
        #expect(cache.count == 1)
        _ = cache.expire(at: start + .seconds(6))
        #expect(cache.count == 0)
    }

    @Test func `a record that flushes ends older others in a second, but none that have come with it`() {
        var cache = RecordCache()
        cache.take(address(1), at: start)
        cache.take(address(2), at: start + .seconds(0.5))
        cache.take(address(3), at: start + .seconds(10))
        cache.take(address(4), at: start + .seconds(10))
        #expect(known(cache).count == 4)
        _ = cache.expire(at: start + .seconds(11))
        #expect(known(cache) == [address(3).data, address(4).data])
        // One that is shared ends nothing.
        cache.take(address(5, flushes: false), at: start + .seconds(20))
        _ = cache.expire(at: start + .seconds(25))
        #expect(known(cache).count == 3)
    }

    @Test func `a record is asked for again at four times of its lifetime, and not when it has been renewed`()
    {
        var cache = RecordCache()
        cache.take(address(1), at: start)
        var asked: [Double] = []
        for tenth in 0..<1_200 {
            let now = start + .milliseconds(100 * tenth)
            if !cache.takeDueRefreshes(at: now).isEmpty { asked.append(Double(tenth) / 1_200) }
        }
        #expect(asked.count == 4)
        for (time, wanted) in zip(asked, [0.80, 0.85, 0.90, 0.95]) {
            #expect(time >= wanted && time < wanted + 0.021)
        }
        cache.take(address(1), at: start + .seconds(119))
        #expect(cache.takeDueRefreshes(at: start + .seconds(119)).isEmpty)
    }

    @Test func `records that were missed for long are asked for once`() {
        var cache = RecordCache()
        cache.take(address(1), at: start)
        #expect(cache.takeDueRefreshes(at: start + .seconds(119)).count == 1)
        #expect(cache.takeDueRefreshes(at: start + .seconds(119.5)).isEmpty)
    }

    @Test func `known answers have more than half of their lifetime left`() {
        var cache = RecordCache()
        cache.take(address(1), at: start)
        #expect(cache.knownAnswers(address(1).key, at: start + .seconds(59)).map(\.timeToLive) == [61])
        #expect(cache.knownAnswers(address(1).key, at: start + .seconds(60)).isEmpty)
        cache.doubt(address(1).key, until: start + .seconds(20))
        #expect(cache.knownAnswers(address(1).key, at: start).isEmpty)
    }

    @Test func `what is doubted ends at its time, unless it is heard again`() {
        var cache = RecordCache()
        for last in [1, 2] as [UInt8] { cache.take(address(last), at: start) }
        cache.doubt(address(1).key, until: start + .seconds(10))
        cache.take(address(2, flushes: false), at: start + .seconds(3))
        _ = cache.expire(at: start + .seconds(10))
        #expect(known(cache) == [address(2).data])
    }

    @Test func `a flood is bounded, and does not push out what is known`() throws {
        var limits = RecordCache.Limits()
        limits.sharedRecords = 20
        var cache = RecordCache(limits)
        for number in 0..<10_000 { cache.take(try pointer(number), at: start) }
        #expect(cache.count == 20)
        #expect(cache.entries(RecordKey(type, .pointer)).first?.record == (try pointer(0)))
        // Of unique records the newest counts.
        for last in 0..<200 { cache.take(address(UInt8(last)), at: start) }
        #expect(known(cache).count == limits.uniqueRecords)
        #expect(known(cache).last == address(199).data)
        limits.bytes = 1_000
        var small = RecordCache(limits)
        for number in 0..<10_000 {
            small.take(try pointer(number), at: start)
            #expect(small.byteCount <= 1_000)
        }
        #expect(small.count > 1)
    }

    @Test func `no lifetime is longer than that of pointers`() {
        var cache = RecordCache()
        cache.take(address(1, seconds: .max / 2), at: start)
        #expect(cache.expire(at: start + .seconds(4_500)) == true)
    }
}
