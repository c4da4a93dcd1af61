/// The pairing codes that can be used, and the wrong ones that clients have sent.
///
/// Times are elapsed ones: a hub whose clock is set keeps its codes.
struct PairingCodes {
    typealias Instant = ContinuousClock.Instant

    /// A code that can be used.
    struct Pairing {
        let made: Instant
        let expiry: Instant
        /// The device that asked for the code; `nil` for one that the hub shows.
        var deviceID: String?
        var deviceName: String?
        var deviceModel: String?
        var platform: String?
        /// Whether a person at the hub has agreed.
        var isConfirmed: Bool
    }

    private struct Attempts {
        var count: Int
        let end: Instant
    }

    /// Codes that are kept at a time, past which the oldest goes.
    static let mostCodes = 10_000
    /// Clients whose wrong codes are counted at a time.
    static let mostClients = 10_000
    /// Codes that one device may ask for in a minute; the public hub's number.
    static let codesPerMinute = 5

    private let lifetime: Duration
    private let wrongAttemptLimit: Int
    private var live: [String: Pairing] = [:]
    private var attempts: [String: Attempts] = [:]

    init(lifetime: Int, wrongAttemptLimit: Int) {
        self.lifetime = .seconds(lifetime)
        self.wrongAttemptLimit = wrongAttemptLimit
    }

    /// A code that the hub shows.
    mutating func make(at now: Instant) -> String {
        add(Pairing(made: now, expiry: now + lifetime, isConfirmed: true))
    }

    /// A code for a device that asks for one, which a person has to confirm.
    mutating func make(
        for device: String,
        name: String?,
        model: String?,
        platform: String,
        at now: Instant
    ) throws(HubRefusal) -> (code: String, expiry: Instant) {
        let recent = live.values.filter { $0.deviceID == device && now - $0.made < .seconds(60) }
        guard recent.count < Self.codesPerMinute else { throw .tooMany(seconds: 60) }
        let pairing = Pairing(
            made: now,
            expiry: now + lifetime,
            deviceID: device,
            deviceName: name,
            deviceModel: model,
            platform: platform,
            isConfirmed: false
        )
        return (add(pairing), pairing.expiry)
    }

    /// Has a person agree to a code.
    mutating func confirm(_ code: String, at now: Instant) throws(HubRefusal) -> Pairing {
        guard var pairing = current(code, now), !pairing.isConfirmed else { throw .pairing }
        pairing.isConfirmed = true
        live[code] = pairing
        return pairing
    }

    /// Whether a person has agreed to a code; `nil` for one that cannot be used.
    func isConfirmed(_ code: String, at now: Instant) -> Bool? { current(code, now)?.isConfirmed }

    /// The codes that wait for a person, newest first.
    func pending(at now: Instant) -> [(code: String, pairing: Pairing)] {
        live.filter { $0.value.expiry > now && !$0.value.isConfirmed }.map { ($0.key, $0.value) }
            .sorted { ($0.pairing.made, $0.code) > ($1.pairing.made, $1.code) }
    }

    /// Has a person refuse a code.
    mutating func reject(_ code: String, at now: Instant) throws(HubRefusal) {
        guard isConfirmed(code, at: now) == false else { throw .pairing }
        live[code] = nil
    }

    /// Uses up a code that a device has asked for and a person has agreed to.
    mutating func exchange(_ code: String, at now: Instant) throws(HubRefusal) -> Pairing {
        guard let pairing = current(code, now), pairing.isConfirmed, pairing.deviceID != nil else {
            throw .code
        }
        live[code] = nil
        return pairing
    }

    /// Uses a code up; wrong ones are counted for the client, and use up nothing.
    mutating func use(_ code: String, by client: String, at now: Instant) throws(HubRefusal) {
        let before = attempts[client].flatMap { $0.end > now ? $0 : nil }
        if let before, before.count >= wrongAttemptLimit {
            throw .tooMany(seconds: Self.wholeSeconds(before.end - now))
        }
        guard current(code, now)?.isConfirmed == true else {
            if attempts.count >= Self.mostClients { attempts = attempts.filter { $0.value.end > now } }
            guard before != nil || attempts.count < Self.mostClients else {
                throw .busy(status: 503, seconds: 60)
            }
            let end = before?.end ?? now + lifetime
            attempts[client] = Attempts(count: (before?.count ?? 0) + 1, end: end)
            throw .code
        }
        live[code] = nil
        attempts[client] = nil
    }

    /// Forgets all codes, as a hub that keeps them in memory does when it restarts.
    mutating func forgetAll() { live = [:] }

    /// What can be used of a code.
    private func current(_ code: String, _ now: Instant) -> Pairing? {
        live[code].flatMap { $0.expiry > now ? $0 : nil }
    }

    private mutating func add(_ pairing: Pairing) -> String {
        if live.count >= Self.mostCodes { live = live.filter { $0.value.expiry > pairing.made } }
        // One that can be used goes where there would be too many.
        if live.count >= Self.mostCodes, let oldest = live.min(by: { $0.value.made < $1.value.made })?.key {
            live[oldest] = nil
        }
        var code: String
        repeat {
            let digits = String(Int.random(in: 0...999_999))
            code = String(repeating: "0", count: 6 - digits.count) + digits
        } while live[code] != nil
        live[code] = pairing
        return code
    }

    /// Seconds of a time, rounded up.
    static func wholeSeconds(_ time: Duration) -> Int {
        let (seconds, rest) = time.components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }
}
