import Concurrency
import Conformance
import ServiceBrowserConformance
import Services
import Synchronization
import TestSupport

/// A browser of services in memory, which violates one requirement, or none.
final class WrongBrowser: ServiceBrowser {
    enum Flaw: String, CaseIterable {
        /// Waits for something to list.
        case lateFirst
        /// Lists each service with the port of the first.
        case wrongPort
        /// Lists what has expired.
        case expired
        /// Lists what cannot be reached.
        case noWay
        /// Lists what comes before a browse begins, and nothing later.
        case onlyAtFirst
        /// Lists services of every type.
        case allTypes
        /// Lists each of three services twice.
        case doubled
        /// Lists in the order of arrival.
        case unordered
        /// Lists what is new alone.
        case onlyNew
        /// Splits names at dots.
        case cutNames
        /// Keeps values that are text alone.
        case onlyText
        /// Keeps attributes as they were at first.
        case staleAttributes
        /// Keeps addresses that are no longer true.
        case keepsAddresses
        /// Drops the service that it is asked about.
        case dropsAtOnce
        /// Drops everything when it is asked about a stranger.
        case dropsForStranger
        /// Keeps what has been withdrawn.
        case keepsAll
        /// Does not know again what has left.
        case neverAgain
        /// Does nothing about services that have crashed.
        case ignoresDoubts
        /// Drops all services with a crashed one.
        case dropsAll
        /// Finds nothing the second time.
        case onlyOnce
        /// Asks when nobody wants to know.
        case keepsAsking
        /// Ends all browses with one.
        case endsAll
        /// Keeps all listings for a reader that is behind.
        case keepsListings
    }

    struct Entry: Sendable {
        var number: Int
        var offer: ServiceOffer
        var address: String
        var isAlive = true
        var isListed = true
    }

    struct State: Sendable {
        var entries: [Entry] = []
        var nextNumber = 0
        /// Names that were withdrawn.
        var former: Set<String> = []
    }

    private struct Browses {
        var count = 0
        var open: [Int: AsyncStream<ServiceListing>.Continuation] = [:]
    }

    let flaw: Flaw?
    let state = CurrentValue(State())
    private let browses = Mutex(Browses())
    private let sent = Mutex(0)

    init(_ flaw: Flaw?) { self.flaw = flaw }

    var sentCount: Int {
        sent.withLock { sent in
            if flaw == .keepsAsking { sent += 1 }
            return sent
        }
    }

    func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ServiceListing.self,
            bufferingPolicy: flaw == .keepsListings ? .unbounded : .bufferingNewest(1)
        )
        if flaw != .lateFirst { reader.yield(ServiceListing()) }
        sent.withLock { $0 += 1 }
        let number = browses.withLock { browses in
            browses.count += 1
            browses.open[browses.count] = reader
            return browses.count
        }
        let states = state.values()
        let task = Task { [flaw] in
            var seen: Set<Int> = []
            var isFirst = true
            for await state in states {
                if flaw == .onlyOnce, number > 1 { continue }
                if flaw == .onlyAtFirst, !isFirst,
                    state.entries.contains(where: { !seen.contains($0.number) })
                {
                    continue
                }
                let services = self.services(of: type, state, seen)
                isFirst = false
                seen.formUnion(state.entries.map(\.number))
                if flaw == .lateFirst, services.isEmpty { continue }
                reader.yield(ServiceListing(services: services))
            }
        }
        reader.onTermination = { [weak self] _ in
            task.cancel()
            let others = self?.browses.withLock { browses in
                browses.open[number] = nil
                return self?.flaw == .endsAll ? browses.open.map(\.value) : []
            }
            for other in others ?? [] { other.finish() }
        }
        return stream
    }

    private func services(of type: ServiceType, _ state: State, _ seen: Set<Int>) -> [DiscoveredService] {
        let entries = state.entries.filter { entry in
            (entry.offer.type == type || flaw == .allTypes) && entry.isListed
                && (flaw != .onlyNew || !seen.contains(entry.number))
                && (flaw != .neverAgain || !state.former.contains(entry.offer.name))
        }
        let port = entries.first?.offer.port ?? 0
        var services = entries.map { entry in
            DiscoveredService(
                name: flaw == .cutNames ? String(entry.offer.name.prefix { $0 != "." }) : entry.offer.name,
                type: entry.offer.type,
                host: "hub\(entry.number).local",
                attributes: attributes(entry.offer.attributes),
                ways: flaw == .noWay ? [] : ways(entry, flaw == .wrongPort ? port + 1 : entry.offer.port),
                expires: .now + .seconds(flaw == .expired ? -1 : 120)
            )
        }
        if flaw == .doubled, services.count == 3 { services += services }
        return flaw == .unordered ? services : services.sorted { $0.name < $1.name }
    }

    private func attributes(_ attributes: ServiceAttributes) -> ServiceAttributes {
        guard flaw == .onlyText else { return attributes }
        return ServiceAttributes(attributes.entries.filter { attributes[$0.key] != nil })
    }

    private func ways(_ entry: Entry, _ port: Int) -> [ServiceWay] {
        let addresses = flaw == .keepsAddresses ? ["10.0.1.\(entry.number)", entry.address] : [entry.address]
        return Set(addresses).sorted().map { ServiceWay(interface: "eth0", address: $0, port: port) }
    }

    func reconfirm(_ service: DiscoveredService) async {
        guard flaw != .ignoresDoubts else { return }
        state.update { state in
            let doubted = state.entries.indices.filter { state.entries[$0].offer.name == service.name }
            if doubted.isEmpty, flaw == .dropsForStranger { state.entries = [] }
            for index in doubted where !state.entries[index].isAlive || flaw == .dropsAtOnce {
                if flaw == .dropsAll {
                    state.entries = []
                    break
                }
                state.entries[index].isListed = false
            }
        }
    }
}

struct WrongBrowserHarness: ServiceBrowserHarness {
    struct Neighbour: Sendable {
        let browser: WrongBrowser
        let number: Int
    }

    let flaw: WrongBrowser.Flaw?
    let capabilities = Set(ServiceBrowserCapability.allCases)
    let patience = Duration.seconds(20)

    func makeBrowser() async throws -> WrongBrowser { WrongBrowser(flaw) }

    func publish(_ offer: ServiceOffer, near browser: WrongBrowser) async throws -> Neighbour {
        let number = browser.state.update { state in
            state.nextNumber += 1
            let number = state.nextNumber
            state.entries.append(.init(number: number, offer: offer, address: "10.0.1.\(number)"))
            return number
        }
        return Neighbour(browser: browser, number: number)
    }

    private func update(_ neighbour: Neighbour, _ change: (inout WrongBrowser.Entry) -> Void) {
        neighbour.browser.state.update { state in
            guard let index = state.entries.firstIndex(where: { $0.number == neighbour.number }) else {
                return
            }
            change(&state.entries[index])
        }
    }

    func withdraw(_ neighbour: Neighbour) async throws {
        guard flaw != .keepsAll else { return }
        neighbour.browser.state.update { state in
            for entry in state.entries where entry.number == neighbour.number {
                state.former.insert(entry.offer.name)
            }
            state.entries.removeAll { $0.number == neighbour.number }
        }
    }

    func change(_ neighbour: Neighbour, to attributes: ServiceAttributes) async throws {
        if flaw != .staleAttributes { update(neighbour) { $0.offer.attributes = attributes } }
    }

    func crash(_ neighbour: Neighbour) async throws { update(neighbour) { $0.isAlive = false } }

    func move(_ neighbour: Neighbour) async throws {
        update(neighbour) { $0.address = "10.0.2.\($0.number)" }
    }

    func sentCount(of browser: WrongBrowser) async throws -> Int { browser.sentCount }
}
