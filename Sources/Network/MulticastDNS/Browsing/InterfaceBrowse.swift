import Services
import Transport

/// A browse on one interface: what to ask there, and what is known of it.
struct InterfaceBrowse: Sendable {
    /// Questions that are due within this time are asked together.
    private static let patience = Duration.milliseconds(20)
    /// When it is asked whether a doubted service is there, and how long an answer may take (RFC 6762 section 10.4).
    private static let doubtQuestions = [Duration.zero, .seconds(1), .seconds(4)]
    private static let doubtEnd = Duration.seconds(10)
    /// How often the addresses of one version are asked for when those of the other are known: most hosts have no others.
    private static let optionalQuestions = 3

    /// The names that records are wanted of, for one version of the cache.
    private struct WantedNames {
        var version: Int
        var instances: Set<DomainName> = []
        var hosts: Set<DomainName> = []
    }

    /// A service that somebody could not reach.
    private struct Doubt: Sendable {
        var questions: [ContinuousClock.Instant]
        var end: ContinuousClock.Instant
    }

    private(set) var link: Link
    private let names: ServiceNames
    private(set) var cache: RecordCache
    /// For instances of the type.
    private var browsing: Asking
    /// For what is not known of an instance.
    private var resolving: [RecordKey: Asking] = [:]
    /// Of these something is known already, so that they are asked for a few times alone.
    private var optionalKeys: Set<RecordKey> = []
    private var doubts: [DomainName: Doubt] = [:]
    private var wanted = WantedNames(version: -1)
    /// The version of the cache that ``resolving`` was made for.
    private var resolvedVersion = -1

    init(_ link: Link, _ names: ServiceNames, _ limits: RecordCache.Limits, at now: ContinuousClock.Instant) {
        (self.link, self.names) = (link, names)
        cache = RecordCache(limits)
        browsing = Asking(from: now)
    }

    private var typeKey: RecordKey { RecordKey(names.type, .pointer) }

    /// The instances that are known, in the order in which they were first heard.
    var instances: [DomainName] {
        cache.entries(typeKey).compactMap { entry in
            if case .pointer(let instance) = entry.record.data { instance } else { nil }
        }
    }

    /// The names that records are wanted of, as the cache is now.
    private mutating func wantedNames() -> WantedNames {
        if wanted.version != cache.version {
            let instances = Set(instances)
            wanted = WantedNames(
                version: cache.version,
                instances: instances,
                hosts: Set(instances.flatMap(hosts))
            )
        }
        return wanted
    }

    // MARK: What happens

    /// Takes the addresses that the interface has from now on; new ones are a reason to ask again.
    mutating func setLink(_ new: Link, at now: ContinuousClock.Instant) {
        guard new != link else { return }
        link = new
        restart(at: now)
    }

    mutating func restart(at now: ContinuousClock.Instant) {
        browsing = Asking(from: now)
        for key in resolving.keys { resolving[key] = Asking(from: now) }
    }

    /// Takes a response.
    ///
    /// - Returns: Whether anything of it was wanted.
    mutating func receive(_ message: DNSMessage, at now: ContinuousClock.Instant) -> Bool {
        let records = message.statements
        var isChanged = false
        // What a record is about may become known by one that stands after it.
        for record in records where record.key == typeKey {
            guard case .pointer(let instance) = record.data, names.label(of: instance) != nil else {
                continue
            }
            isChanged = cache.take(record, at: now) || isChanged
        }
        let instances = wantedNames().instances
        for record in records
        where [.service, .text].contains(record.data.type) && instances.contains(record.name) {
            isChanged = cache.take(record, at: now) || isChanged
        }
        let hosts = wantedNames().hosts
        for record in records {
            guard case .address(let address) = record.data, isUsable(address), hosts.contains(record.name)
            else { continue }
            isChanged = cache.take(record, at: now) || isChanged
        }
        return isChanged
    }

    /// Asks whether an instance is still there.
    mutating func doubt(_ instance: DomainName, at now: ContinuousClock.Instant) {
        guard doubts[instance] == nil, instances.contains(instance) else { return }
        let end = now + Self.doubtEnd
        doubts[instance] = Doubt(questions: Self.doubtQuestions.map { now + $0 }, end: end)
        for key in vitalKeys(of: instance) { cache.doubt(key, until: end) }
    }

    /// What must be known of an instance to reach it.
    private func vitalKeys(of instance: DomainName) -> [RecordKey] {
        [RecordKey(instance, .service)]
            + hosts(of: instance).flatMap { [RecordKey($0, .a), RecordKey($0, .aaaa)] }
    }

    /// Forgets what has ended, and asks what is to be asked.
    ///
    /// - Returns: The messages to send on each version of the link, and whether anything was forgotten.
    mutating func tick(at now: ContinuousClock.Instant) -> (messages: [DNSMessage], isChanged: Bool) {
        var isChanged = cache.expire(at: now)
        for (instance, doubt) in doubts where doubt.end <= now {
            doubts[instance] = nil
            guard !isReachable(instance) else { continue }
            // Nobody has answered for it. If that was by chance, it is found as at first.
            cache.remove(typeKey) { $0.record.data == .pointer(instance) }
            browsing = Asking(from: now)
            isChanged = true
        }
        if isChanged { forgetUnwanted() }
        updateResolving(at: now)
        return (takeQuery(at: now)?.messages ?? [], isChanged)
    }

    var nextTick: ContinuousClock.Instant {
        var next = browsing.next
        for (key, asking) in resolving { next = min(next, nextQuestion(key, asking) ?? next) }
        for doubt in doubts.values { next = min(next, doubt.questions.first ?? doubt.end) }
        return cache.nextEvent.map { min(next, $0) } ?? next
    }

    // MARK: What is known

    /// The hosts of an instance; several only while one takes the place of another.
    private func hosts(of instance: DomainName) -> [DomainName] {
        cache.entries(RecordKey(instance, .service)).compactMap { entry in
            if case .service(_, _, _, let target) = entry.record.data { target } else { nil }
        }
    }

    private func isReachable(_ instance: DomainName) -> Bool {
        hosts(of: instance).contains { !addresses(of: $0).isEmpty }
    }

    func addresses(of host: DomainName) -> [RecordCache.Entry] {
        cache.entries(RecordKey(host, .a)) + cache.entries(RecordKey(host, .aaaa))
    }

    /// Whether an address may be that of another host on this link.
    private func isUsable(_ address: IPAddress) -> Bool {
        !address.isUnspecified && !address.isMulticast && !address.isLimitedBroadcast
            && address.unmapped == address && (!address.isLoopback || link.interface.isLoopback)
    }

    private mutating func forgetUnwanted() {
        let (instances, hosts) = (wantedNames().instances, wantedNames().hosts)
        for key in Array(cache.keys) where key != typeKey {
            let isWanted =
                [.a, .aaaa].contains(key.type) ? hosts.contains(key.name) : instances.contains(key.name)
            if !isWanted { cache.remove(key) }
        }
        for instance in doubts.keys where !instances.contains(instance) { doubts[instance] = nil }
    }

    // MARK: Questions

    private mutating func updateResolving(at now: ContinuousClock.Instant) {
        guard resolvedVersion != cache.version else { return }
        resolvedVersion = cache.version
        var missing: Set<RecordKey> = []
        optionalKeys = []
        for instance in instances {
            for type in [RecordType.service, .text] {
                let key = RecordKey(instance, type)
                if cache.entries(key).isEmpty { missing.insert(key) }
            }
            for host in hosts(of: instance) where !host.labels.isEmpty {
                let absent = [RecordKey(host, .a), RecordKey(host, .aaaa)].filter {
                    cache.entries($0).isEmpty
                }
                missing.formUnion(absent)
                if absent.count == 1 { optionalKeys.formUnion(absent) }
            }
        }
        resolving = resolving.filter { missing.contains($0.key) }
        // What is missing at the same time is asked for together.
        let asking = Asking(from: now)
        for key in missing where resolving[key] == nil { resolving[key] = asking }
    }

    /// When something that is missing is asked for next; `nil` where it no longer is.
    private func nextQuestion(_ key: RecordKey, _ asking: Asking) -> ContinuousClock.Instant? {
        optionalKeys.contains(key) && asking.count >= Self.optionalQuestions ? nil : asking.next
    }

    private mutating func takeQuery(at now: ContinuousClock.Instant) -> Query? {
        var questions: [DNSQuestion] = []
        func ask(_ key: RecordKey, wantsUnicast: Bool = false) {
            guard !questions.contains(where: { $0.key == key }) else { return }
            questions.append(DNSQuestion(key, wantsUnicast: wantsUnicast))
        }
        let refreshes = cache.takeDueRefreshes(at: now)
        let isDue =
            !refreshes.isEmpty || browsing.next <= now
            || resolving.contains { nextQuestion($0.key, $0.value).map { $0 <= now } ?? false }
            || doubts.values.contains { $0.questions.first.map { $0 <= now } ?? false }
        guard isDue else { return nil }
        let soon = now + Self.patience
        if browsing.next <= soon {
            // Where a program on this host gets what is sent to it alone, the next question brings an answer for all.
            ask(typeKey, wantsUnicast: browsing.count == 0)
            browsing.noteAsked(at: now)
        }
        for key in refreshes { ask(key) }
        for (key, asking) in resolving.sorted(by: { $0.key < $1.key })
        where nextQuestion(key, asking).map({ $0 <= soon }) ?? false {
            ask(key)
            resolving[key]?.noteAsked(at: now)
        }
        for (instance, doubt) in doubts.sorted(by: { $0.key < $1.key })
        where doubt.questions.first.map({ $0 <= soon }) ?? false {
            doubts[instance]?.questions.removeAll { $0 <= soon }
            for key in vitalKeys(of: instance) { ask(key) }
        }
        var query = Query(questions: questions)
        if questions.contains(where: { $0.key == typeKey }) {
            query.knownAnswers = cache.knownAnswers(typeKey, at: now)
        }
        return query
    }
}
