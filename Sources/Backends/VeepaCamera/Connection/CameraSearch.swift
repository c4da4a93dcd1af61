import PPPP
import Services
import Transport

/// Asks the local network which cameras there are.
struct CameraSearch {
    private static let interval = Duration.seconds(1)
    private static let mostDatagrams = 64

    private let place: CameraPlace
    private let seal = PacketSeal(PacketCipher.known)

    init(_ place: CameraPlace) { self.place = place }

    /// Returns when the time is over, as many as `most` are found, the socket fails, or the task is cancelled.
    ///
    /// - Returns: Whether cameras could be asked, and could answer.
    func run(for window: Duration, most: Int, found: @escaping @Sendable (DiscoveredCamera) async -> Void)
        async -> Bool
    {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await ask(for: window) }
            group.addTask { await listen(most: most, found) }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    private func ask(for window: Duration) async -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + window
        var hasAsked = false
        while clock.now < end {
            for target in place.targets {
                // A network that cannot be reached now may be one that can in a second.
                for bytes in seal.closeAll(.lanSearch) {
                    let isSent = (try? await place.socket.send(bytes, to: target)) != nil
                    hasAsked = hasAsked || isSent
                }
            }
            do { try await clock.sleep(until: min(end, clock.now + Self.interval)) } catch { return hasAsked }
        }
        return hasAsked
    }

    private func listen(most: Int, _ found: @escaping @Sendable (DiscoveredCamera) async -> Void) async
        -> Bool
    {
        var known: Set<DeviceID> = []
        while let datagrams = try? await place.socket.receive(atMost: Self.mostDatagrams) {
            for datagram in datagrams {
                var seal = seal
                guard !place.own.contains(datagram.source),
                    case .punch(let id)? = seal.open(datagram.bytes), known.insert(id).inserted
                else { continue }
                await found(DiscoveredCamera(device: "\(id)", address: "\(datagram.source)"))
                if known.count == most { return true }
            }
        }
        return false
    }
}
