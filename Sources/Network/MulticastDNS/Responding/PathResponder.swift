import Transport

/// What a responder does on one path: claims its names, announces them, and answers.
struct PathResponder: Sendable {
    /// How far the names are claimed.
    enum Stage: Sendable, Hashable {
        /// So many probes are sent.
        case probing(Int)
        /// So many announcements are left.
        case announcing(Int)
        case settled
    }

    /// An answer that waits, so that others may come with it.
    private struct Pending: Sendable {
        var due: ContinuousClock.Instant
        var answers: [ResourceRecord]
        /// Who asked, where more of what it knows may follow.
        var asker: Endpoint?
        /// Whether it defends a name against a probe.
        var isDefence: Bool
    }

    private struct Said: Sendable, Hashable {
        var name: DomainName
        var data: RecordData
    }

    private static let probes = 3
    private static let probeGap = Duration.milliseconds(250)
    private static let firstProbeDelay = 0.0...0.250
    /// After another has won a name, it has time to announce it.
    private static let lostPause = Duration.seconds(1)
    private static let announcements = 3
    private static let firstAnnouncementGap = Duration.seconds(1)
    /// Answers of several responders to one question must not all come at once.
    private static let sharedDelay = 0.020...0.120
    /// More of what the asker knows comes within this time.
    private static let truncatedDelay = 0.400...0.500
    /// A record is multicast no sooner again than after this time, and sooner only to defend a name.
    private static let repeatGap = Duration.seconds(1)
    private static let defenceGap = Duration.milliseconds(250)
    /// Answers that wait at most; more questions than that are a flood.
    private static let mostPending = 64

    let path: LinkPath
    var link: Link
    private(set) var stage = Stage.probing(0)
    private var next: ContinuousClock.Instant
    private var announcementGap = Self.firstAnnouncementGap
    private var pending: [Pending] = []
    private var said: [Said: ContinuousClock.Instant] = [:]
    private var packets: [OutgoingMessage] = []

    init(_ path: LinkPath, _ link: Link, at now: ContinuousClock.Instant) {
        (self.path, self.link) = (path, link)
        next = now + .seconds(.random(in: Self.firstProbeDelay))
    }

    /// Whether others know the names from here.
    var isPublished: Bool {
        switch stage {
        case .probing: false
        case .announcing(let left): left < Self.announcements
        case .settled: true
        }
    }

    // MARK: Stages

    /// Claims the names from the beginning.
    mutating func probe(at now: ContinuousClock.Instant, after pause: Duration = .zero) {
        stage = .probing(0)
        next = now + pause + .seconds(.random(in: Self.firstProbeDelay))
        pending = []
        said = [:]
    }

    /// Gives way to another that probes for the same name, and sees whether it keeps it.
    mutating func giveWay(at now: ContinuousClock.Instant) {
        stage = .probing(0)
        next = now + Self.lostPause
    }

    /// Announces what has changed.
    mutating func announce(at now: ContinuousClock.Instant) {
        guard isPublished else { return }
        stage = .announcing(Self.announcements - 1)
        announcementGap = Self.firstAnnouncementGap
        next = now
    }

    mutating func tick(_ records: ServiceRecords, at now: ContinuousClock.Instant) {
        while next <= now, stage != .settled {
            switch stage {
            case .probing(Self.probes):
                stage = .announcing(Self.announcements)
                announcementGap = Self.firstAnnouncementGap
            case .probing(let count):
                sendProbe(records)
                stage = .probing(count + 1)
                next = now + Self.probeGap
            case .announcing(let left):
                send(records.all(on: link), additionals: [], at: now)
                stage = left > 1 ? .announcing(left - 1) : .settled
                next = now + announcementGap
                announcementGap *= 2
            case .settled: break
            }
        }
        answerPending(records, at: now)
    }

    var nextTick: ContinuousClock.Instant? {
        let due = pending.map(\.due).min()
        if stage == .settled { return due }
        return due.map { min($0, next) } ?? next
    }

    mutating func takePackets() -> [OutgoingMessage] {
        defer { packets = [] }
        return packets
    }

    private mutating func sendProbe(_ records: ServiceRecords) {
        var message = DNSMessage(isResponse: false)
        message.questions = records.uniqueNames.map { DNSQuestion(RecordKey($0, .any), wantsUnicast: true) }
        message.authorities = records.unique(on: link).map { record in
            ResourceRecord(record.name, record.data, timeToLive: record.timeToLive)
        }
        packets.append(OutgoingMessage(message, on: path))
    }

    /// Says that nothing of it holds any more.
    mutating func sayFarewell(_ records: ServiceRecords) {
        guard isPublished else { return }
        var message = DNSMessage(isResponse: true)
        // That there are services of the type may be true of others.
        message.answers = ([records.pointer] + records.unique(on: link)).map { record in
            ResourceRecord(record.name, record.data, timeToLive: 0, flushes: record.flushes)
        }
        packets.append(OutgoingMessage(message, on: path))
    }

    // MARK: Questions

    /// Takes a question, or what somebody who has asked knows besides.
    mutating func answer(
        _ received: ReceivedMessage,
        _ records: ServiceRecords,
        at now: ContinuousClock.Instant
    ) {
        let message = received.message
        let isLegacy = received.source.port != MulticastGroup.port
        if !isLegacy { leaveOut(message.answers, of: received.source) }
        guard isPublished else { return }
        var multicast: [ResourceRecord] = []
        var unicast: [ResourceRecord] = []
        for question in message.questions {
            for record in records.answers(to: question.key, on: link)
            where !Self.isKnown(record, to: message.answers) {
                // One who probes may share its port with another program, which would get what is sent to it alone.
                let mayBeUnicast = question.wantsUnicast && message.authorities.isEmpty
                if isLegacy || (mayBeUnicast && wasSaidLately(record, at: now)) {
                    unicast.append(record)
                } else {
                    multicast.append(record)
                }
            }
        }
        if !unicast.isEmpty { send(unicast, to: received, isLegacy: isLegacy, records) }
        guard !multicast.isEmpty, pending.count < Self.mostPending else { return }
        let delay: Duration =
            if message.isTruncated {
                .seconds(.random(in: Self.truncatedDelay))
            } else if message.authorities.isEmpty, multicast.contains(where: { !$0.flushes }) {
                .seconds(.random(in: Self.sharedDelay))
            } else {
                .zero
            }
        pending.append(
            Pending(
                due: now + delay,
                answers: multicast,
                asker: message.isTruncated ? received.source : nil,
                isDefence: !message.authorities.isEmpty
            )
        )
    }

    /// Says again what another has taken back, or lets expire too early (RFC 6762 section 6.6).
    mutating func rescue(_ record: ResourceRecord, at now: ContinuousClock.Instant) {
        guard isPublished, pending.count < Self.mostPending else { return }
        pending.append(Pending(due: now, answers: [record], asker: nil, isDefence: true))
    }

    /// Whether one who asks has a record for at least half of its lifetime.
    private static func isKnown(_ record: ResourceRecord, to known: [ResourceRecord]) -> Bool {
        known.contains {
            $0.name == record.name && $0.data == record.data && $0.timeToLive >= record.timeToLive / 2
        }
    }

    private mutating func leaveOut(_ known: [ResourceRecord], of asker: Endpoint) {
        for index in pending.indices where pending[index].asker == asker {
            pending[index].answers.removeAll { Self.isKnown($0, to: known) }
        }
        pending.removeAll { $0.answers.isEmpty }
    }

    /// Whether all on the path have heard a record within the last quarter of its lifetime (RFC 6762 section 5.4).
    private func wasSaidLately(_ record: ResourceRecord, at now: ContinuousClock.Instant) -> Bool {
        guard let last = said[Said(name: record.name, data: record.data)] else { return false }
        return now - last < .seconds(record.timeToLive) / 4
    }

    private mutating func answerPending(_ records: ServiceRecords, at now: ContinuousClock.Instant) {
        let due = pending.filter { $0.due <= now }
        guard !due.isEmpty else { return }
        pending.removeAll { $0.due <= now }
        var answers: [ResourceRecord] = []
        for item in due {
            let gap = item.isDefence ? Self.defenceGap : Self.repeatGap
            answers += item.answers.filter { maySay($0, gap, at: now) && !answers.contains($0) }
        }
        guard !answers.isEmpty else { return }
        let additionals = records.additionals(to: answers, on: link)
        send(answers, additionals: additionals.filter { maySay($0, Self.repeatGap, at: now) }, at: now)
    }

    private func maySay(_ record: ResourceRecord, _ gap: Duration, at now: ContinuousClock.Instant) -> Bool {
        said[Said(name: record.name, data: record.data)].map { now - $0 >= gap } ?? true
    }

    // MARK: Sending

    private mutating func send(
        _ answers: [ResourceRecord],
        additionals: [ResourceRecord],
        at now: ContinuousClock.Instant
    ) {
        var message = DNSMessage(isResponse: true)
        (message.answers, message.additionals) = (answers, additionals)
        packets.append(OutgoingMessage(message, on: path))
        for record in message.statements { said[Said(name: record.name, data: record.data)] = now }
    }

    private mutating func send(
        _ answers: [ResourceRecord],
        to received: ReceivedMessage,
        isLegacy: Bool,
        _ records: ServiceRecords
    ) {
        /// The longest lifetime for an ordinary resolver, which does not notice when a record ends (RFC 6762 section 6.7).
        let legacySeconds: UInt32 = 10
        var message = DNSMessage(isResponse: true)
        (message.answers, message.additionals) = (answers, records.additionals(to: answers, on: link))
        if isLegacy {
            func plain(_ record: ResourceRecord) -> ResourceRecord {
                ResourceRecord(record.name, record.data, timeToLive: min(record.timeToLive, legacySeconds))
            }
            message.id = received.message.id
            message.questions = received.message.questions.map { DNSQuestion($0.key) }
            message.answers = message.answers.map(plain)
            message.additionals = message.additionals.map(plain)
        }
        packets.append(OutgoingMessage(message, on: path, to: received.source))
    }
}
