internal import Foundation
internal import PeerKit
internal import PushWire

/// All that a push service knows, and each step that changes it.
struct PushState: Sendable {
    /// What is on its way to a connected device.
    enum Outgoing: Sendable {
        case message(ServiceMessage)
        /// The connection ends.
        case end(DeviceSide.Ending)
    }

    typealias Feed = AsyncStream<Outgoing>.Continuation

    /// One app on one device.
    private struct Installation {
        var secret: String
        var token: String
        var environment: PushEnvironment
        var topic: String
        var mailbox: Mailbox
        var allowance: Allowance
        var connection: (number: Int, feed: Feed)?
    }

    /// A token that was given.
    private struct Token {
        /// The installation; `nil` where the token has ended.
        var installation: String?
        var environment: PushEnvironment
        var topic: String
        var ended: Date?
    }

    /// What a hello leads to.
    struct Welcome {
        var installation: String
        var connection: Int
        var token: String
    }

    let project: PushProject
    var providers = ProviderTokens()
    var log = BoundedLog<PushServerEvent>(capacity: 10_000)
    var requestCount = 0
    private var installations: [String: Installation] = [:]
    private var tokens: [String: Token] = [:]
    /// Ended ones, oldest first.
    private var endedTokens: [String] = []
    private var lastConnection = 0
    private var lastDelivery = 0

    init(_ project: PushProject) { self.project = project }

    /// The tokens that are valid, in order.
    var validTokens: [String] { tokens.filter { $0.value.ended == nil }.keys.sorted() }

    /// How many devices are connected.
    var connectionCount: Int { installations.values.count { $0.connection != nil } }

    // MARK: Providers

    /// Takes a notification for a device, and returns what is to be sent to it now.
    ///
    /// - Parameters:
    ///   - id: The notification's `apns-id`.
    ///   - isLateGone: Whether a token that has ended is taken for valid once more.
    ///   - isLost: Whether the notification is dropped although it was taken.
    mutating func take(
        _ request: ProviderRequest,
        id: String,
        isLateGone: Bool,
        isLost: Bool,
        now: Date
    ) throws(PushRefusal) -> (delivery: PushDelivery, feed: Feed)? {
        guard let token = tokens[request.token], token.environment == project.environment else {
            throw PushRefusal(.badDeviceToken)
        }
        guard token.topic == request.bundleID else { throw PushRefusal(.deviceTokenNotForTopic) }
        guard let name = token.installation, var installation = installations[name] else {
            guard isLateGone else { throw PushRefusal(.unregistered, since: token.ended) }
            log.append(.accepted(id: id, token: request.token))
            log.append(.dropped(id: id, token: request.token))
            return nil
        }
        guard installation.allowance.take(at: .now) else {
            installations[name] = installation
            throw PushRefusal(.tooManyRequests)
        }
        log.append(.accepted(id: id, token: request.token))
        defer { installations[name] = installation }
        lastDelivery += 1
        let delivery = PushDelivery(
            number: lastDelivery,
            id: id,
            payload: request.payload,
            collapseID: request.collapseID,
            priority: request.priority
        )
        var dropped: [PushDelivery] = []
        if isLost {
            dropped = [delivery]
        } else {
            switch request.keeping {
            case .not: if installation.connection == nil { dropped = [delivery] }
            case .until(let expires):
                dropped =
                    installation.mailbox.expire(at: now)
                    + installation.mailbox.keep(
                        delivery,
                        until: expires,
                        isConnected: installation.connection != nil
                    )
            }
        }
        for delivery in dropped { log.append(.dropped(id: delivery.id, token: request.token)) }
        guard !isLost, let feed = installation.connection?.feed else { return nil }
        return (delivery, feed)
    }

    // MARK: Devices

    /// Gives a device its token, and what has waited for it.
    ///
    /// - Parameter changesToken: Whether a device that comes back gets another token.
    mutating func connect(
        _ hello: PushHello,
        _ feed: Feed,
        changesToken: Bool,
        now: Date
    ) throws(DeviceSide.Ending) -> Welcome {
        guard project.topics.contains(hello.topic) else { throw .unknownTopic }
        let name: String
        if let known = hello.installation {
            guard let found = installations[known.id], found.secret == known.secret,
                found.topic == hello.topic,
                found.environment == hello.environment
            else { throw .unknownInstallation }
            name = known.id
            found.connection?.feed.yield(.end(.replaced))
            if changesToken { renewToken(of: name, now: now) }
        } else {
            guard installations.count < project.installationLimit else { throw .full }
            name = UUID().uuidString.lowercased()
            let token = newToken(for: name, hello.environment, hello.topic)
            installations[name] = Installation(
                secret: Self.drawn(),
                token: token,
                environment: hello.environment,
                topic: hello.topic,
                mailbox: Mailbox(limit: project.unacknowledgedLimit),
                allowance: Allowance(burst: project.burst, now: .now)
            )
        }
        guard var installation = installations[name] else { throw .unknownInstallation }
        lastConnection += 1
        installation.connection = (lastConnection, feed)
        log.append(
            .registered(token: installation.token, environment: hello.environment, topic: hello.topic)
        )
        feed.yield(.message(welcome(name, installation)))
        for delivery in installation.mailbox.expire(at: now) {
            log.append(.dropped(id: delivery.id, token: installation.token))
        }
        for delivery in installation.mailbox.open() { feed.yield(.message(.notification(delivery))) }
        installations[name] = installation
        return Welcome(installation: name, connection: lastConnection, token: installation.token)
    }

    /// Forgets the connection of an installation, unless there is a later one.
    mutating func disconnect(_ name: String, connection: Int) {
        if installations[name]?.connection?.number == connection { installations[name]?.connection = nil }
    }

    /// Notes that a device has shown a notification.
    mutating func shown(_ number: Int, by name: String) {
        guard let delivery = installations[name]?.mailbox.remove(number: number), let token = token(of: name)
        else { return }
        log.append(.shown(id: delivery.id, token: token))
    }

    /// The present token of an installation.
    func token(of name: String) -> String? { installations[name]?.token }

    /// Ends an installation, as where its app was removed; providers learn it with their next notification.
    mutating func remove(_ name: String, now: Date) {
        guard let installation = installations.removeValue(forKey: name) else { return }
        installation.connection?.feed.yield(.end(.removed))
        end(installation.token, now: now)
    }

    /// The installation that a token belongs to.
    func installation(of token: String) -> String? { tokens[token]?.installation }

    /// Gives an installation another token; the one that it had ends.
    mutating func renewToken(of name: String, now: Date) {
        guard var installation = installations[name] else { return }
        end(installation.token, now: now)
        installation.token = newToken(for: name, installation.environment, installation.topic)
        installations[name] = installation
        log.append(
            .registered(
                token: installation.token,
                environment: installation.environment,
                topic: installation.topic
            )
        )
        installation.connection?.feed.yield(.message(welcome(name, installation)))
    }

    private func welcome(_ name: String, _ installation: Installation) -> ServiceMessage {
        .welcome(
            token: installation.token,
            installation: PushInstallation(id: name, secret: installation.secret)
        )
    }

    private mutating func newToken(
        for name: String,
        _ environment: PushEnvironment,
        _ topic: String
    ) -> String {
        let token = Self.drawn()
        tokens[token] = Token(installation: name, environment: environment, topic: topic)
        return token
    }

    private mutating func end(_ token: String, now: Date) {
        tokens[token]?.installation = nil
        tokens[token]?.ended = now
        endedTokens.append(token)
        log.append(.ended(token: token))
        while endedTokens.count > project.deadTokenLimit { tokens[endedTokens.removeFirst()] = nil }
    }

    /// 32 bytes that nobody can guess, in lower-case hexadecimal: as long as Apple's tokens are today.
    private static func drawn() -> String {
        Hexadecimal.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }
}
