import Argus
import ArgusScenarios
import Concurrency
import HTTPTypes
import ServiceClient
import Services
import Synchronization
import Transport

extension Mistake {
    /// All of them: services that do less, or more, than the app may count on.
    static let all: [Mistake] = tokens + hubs + notices + lists

    private static let tokens = [
        Mistake(
            "a token is renewed twice at once",
            in: ArgusTokenStorm.self,
            breaks: "at most one refresh is under way"
        ) { $0.http = AlteredHTTP($0.http, .twice, "/auth/refresh") },
        Mistake(
            "a hub that cannot renew a token counts as one that refuses",
            in: ArgusTokenStorm.self,
            breaks: "a session ends only by a person, or by a hub that refuses"
        ) { $0.http = AlteredHTTP($0.http, .failuresAreRefusals, "/auth/refresh") },
        Mistake(
            "a pairing that was lost is sent again",
            in: ArgusPairing.self,
            breaks: "a code that the hub has taken is not called wrong"
        ) { $0.http = AlteredHTTP($0.http, .again, "/auth/verify") },
        Mistake(
            "an exchange that was lost is sent again",
            in: ArgusShownCode.self,
            breaks: "a code that the hub has taken is not said to have ended"
        ) { $0.http = AlteredHTTP($0.http, .again, "/auth/exchange") },
        Mistake(
            "a refused code counts as taken",
            in: ArgusPairing.self,
            breaks: "a device is paired by a code that the hub has taken"
        ) { $0.http = AlteredHTTP($0.http, .refusalsAreTokens, "/auth/verify") },
        Mistake(
            "the session is not kept",
            in: ArgusPairing.self,
            breaks: "a device that is paired has kept its session, and one that is not has kept nothing"
        ) { $0.secrets = AlteredSecrets($0.secrets) { _, isNew in isNew ? nil : .some(nil) } },
        Mistake(
            "the session is kept once, and not when its token is renewed",
            in: ArgusHome.self,
            breaks: "a session ends only where it is ended"
        ) { environment in
            let first = Mutex(true)
            environment.secrets = AlteredSecrets(environment.secrets) { secret, _ in
                guard secret != nil else {
                    first.withLock { $0 = true }
                    return .some(nil)
                }
                return first.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst ? .some(secret) : nil
                }
            }
        },
    ]

    private static let hubs = [
        Mistake(
            "any hub that is found counts as the paired one",
            in: ArgusTwinHubs.self,
            breaks: "a token goes to no other hub than the one that has given it"
        ) { $0.browser = AlteredBrowser($0.browser, .paired("hub-1")) },
        Mistake(
            "a hub that has left stays listed",
            in: ArgusHubMoves.self,
            breaks: "nothing goes to an address that the hub has left"
        ) { $0.browser = AlteredBrowser($0.browser, .first) },
        Mistake(
            "no hub is found",
            in: ArgusRelay.self,
            breaks: "a call takes the way that works, and fails where none does"
        ) { $0.browser = AlteredBrowser($0.browser, .none) },
        Mistake(
            "a call that was given up goes on",
            in: ArgusRelay.self,
            breaks: "what the app does ends within its bound"
        ) { $0.http = AlteredHTTP($0.http, .late, "/events") },
    ]

    private static let notices = [
        Mistake(
            "a push arrives twice",
            in: ArgusPush.self,
            breaks: "what has arrived in a session is among its notices, once each and in its order"
        ) { $0.push = AlteredReceiver($0.push, arrival: { [$0, $0] }) },
        Mistake(
            "every second push is lost",
            in: ArgusPush.self,
            breaks: "what has arrived in a session is among its notices, once each and in its order"
        ) { environment in
            let count = Mutex(0)
            environment.push = AlteredReceiver(
                environment.push,
                arrival: { push in
                    count.withLock { count in
                        count += 1
                        return count.isMultiple(of: 2) ? [] : [push]
                    }
                }
            )
        },
        Mistake(
            "taps are lost",
            in: ArgusPush.self,
            breaks:
                "a tap opens the detail of its event as soon as the device is paired, and nothing else does"
        ) { $0.push = AlteredReceiver($0.push, tap: { _ in [] }) },
        Mistake(
            "the token of another device is registered",
            in: ArgusPush.self,
            breaks: "a paired hub has the present token of the device"
        ) { $0.push = AlteredReceiver($0.push, token: { $0.reversed() }) },
    ]

    private static let lists = [
        Mistake(
            "a page is passed over",
            in: ArgusList.self,
            breaks: "a list that grows between its pages misses none of the older events"
        ) { $0.http = AlteredHTTP($0.http, .nextPage, "/events") }
    ]
}

/// A client that does something else with the requests to one path.
struct AlteredHTTP: HTTPClient {
    enum Change: Sendable {
        case twice, again, late, nextPage, failuresAreRefusals, refusalsAreTokens
    }

    private let base: any HTTPClient
    private let change: Change
    private let path: String

    init(_ base: any HTTPClient, _ change: Change, _ path: String) {
        (self.base, self.change, self.path) = (base, change, path)
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        guard (request.path ?? "").prefix(while: { $0 != "?" }).hasSuffix(path) else {
            return try await base.send(request, body: body, limits: limits)
        }
        var request = request
        switch change {
        case .twice:
            let base = base
            let first = Task { [request] in _ = try? await base.send(request, body: body, limits: limits) }
            defer { first.cancel() }
            return try await base.send(request, body: body, limits: limits)
        case .again:
            let answer: (head: HTTPResponse, body: HTTPBody)
            do throws(TransportError) {
                answer = try await base.send(request, body: body, limits: limits)
                guard answer.head.status.code >= 500 else { return answer }
            } catch {}
            return try await base.send(request, body: body, limits: limits)
        case .late:
            // It does not end when it is cancelled.
            await Task.detached { try? await Task.sleep(for: .seconds(40)) }.value
        case .nextPage:
            request.path = request.path.map { path in
                path.replacing("page=2&", with: "page=3&")
            }
        case .failuresAreRefusals:
            var answer = try await base.send(request, body: body, limits: limits)
            if answer.head.status.code >= 500 { answer.head.status = .unauthorized }
            return answer
        case .refusalsAreTokens:
            let answer = try await base.send(request, body: body, limits: limits)
            guard answer.head.status.code == 401 else { return answer }
            let token = #"{"access_token":"a","refresh_token":"r","expires_in":3600,"token_type":"Bearer"}"#
            return (HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), .text(token))
        }
        return try await base.send(request, body: body, limits: limits)
    }
}

/// A store that keeps something else in the place of a session.
struct AlteredSecrets: SecretStore {
    private let base: any SecretStore
    private let kept: @Sendable (_ secret: Secret?, _ isNew: Bool) -> Secret??

    /// Keeps what a closure says; nothing is changed where it says `nil`.
    init(_ base: any SecretStore, _ kept: @escaping @Sendable (_ secret: Secret?, _ isNew: Bool) -> Secret??)
    {
        (self.base, self.kept) = (base, kept)
    }

    func secret(named name: String) throws(SecretStoreError) -> Secret? { try base.secret(named: name) }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        guard name == KeychainService.sessionName else { return try base.set(secret, named: name) }
        if let kept = kept(secret, secret != nil) { try base.set(kept, named: name) }
    }
}

/// A browser that lists something else.
final class AlteredBrowser: ServiceBrowser {
    enum Change: Sendable {
        /// Nothing.
        case none
        /// Each service as it was listed first, as if it was heard of each time.
        case first
        /// Each service with the ID of one hub.
        case paired(String)
    }

    private let base: any ServiceBrowser
    private let change: Change
    private let seen = Mutex<[String: DiscoveredService]>([:])

    init(_ base: any ServiceBrowser, _ change: Change) { (self.base, self.change) = (base, change) }

    func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        let source = base.listings(of: type)
        return AsyncStream { stream in
            let task = Task { [self] in
                for await listing in source { stream.yield(altered(listing)) }
                stream.finish()
            }
            stream.onTermination = { _ in task.cancel() }
        }
    }

    func reconfirm(_ service: DiscoveredService) async {}

    private func altered(_ listing: ServiceListing) -> ServiceListing {
        var listing = listing
        switch change {
        case .none: listing.services = []
        case .first:
            listing.services = seen.withLock { seen in
                for service in listing.services where seen[service.name] == nil {
                    seen[service.name] = service
                }
                for name in seen.keys { seen[name]?.expires = .now + .seconds(120) }
                return seen.values.sorted { $0.name < $1.name }
            }
        case .paired(let id):
            for index in listing.services.indices { listing.services[index].attributes = ["id": id] }
        }
        return listing
    }
}

/// A receiver that gives something else.
struct AlteredReceiver: PushReceiver {
    private let base: any PushReceiver
    private let token: @Sendable ([UInt8]) -> [UInt8]
    private let arrival: @Sendable (PushNotification) -> [PushNotification]
    private let tap: @Sendable (PushNotification) -> [PushNotification]

    init(
        _ base: any PushReceiver,
        token: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 },
        arrival: @escaping @Sendable (PushNotification) -> [PushNotification] = { [$0] },
        tap: @escaping @Sendable (PushNotification) -> [PushNotification] = { [$0] }
    ) {
        (self.base, self.token, self.arrival, self.tap) = (base, token, arrival, tap)
    }

    func requestAuthorization() async -> Bool { await base.requestAuthorization() }

    func deviceTokens() -> AsyncStream<[UInt8]> {
        let token = token
        return Self.altered(base.deviceTokens()) { [token($0)] }
    }

    func arrivals() -> AsyncStream<PushNotification> { Self.altered(base.arrivals(), arrival) }
    func taps() -> AsyncStream<PushNotification> { Self.altered(base.taps(), tap) }

    private static func altered<Element: Sendable>(
        _ source: AsyncStream<Element>,
        _ change: @escaping @Sendable (Element) -> [Element]
    ) -> AsyncStream<Element> {
        AsyncStream { stream in
            let task = Task {
                for await element in source { for changed in change(element) { stream.yield(changed) } }
                stream.finish()
            }
            stream.onTermination = { _ in task.cancel() }
        }
    }
}
