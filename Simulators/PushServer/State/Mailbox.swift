internal import Foundation
internal import PushWire

/// What a device has not shown yet.
///
/// Apple keeps one notification for a device and an app while the device is not connected: a later one takes its place, so that an offline phone gets the last.
/// What was sent on a connection and not acknowledged is kept besides, all of it, and comes again with the next connection: our own choice, without which
/// a connection that dies unnoticed would lose notifications of a device that can be reached.
struct Mailbox: Sendable {
    private struct Entry {
        var delivery: PushDelivery
        var expires: Date
        var wasSent: Bool
    }

    private var entries: [Entry] = []
    private let limit: Int

    init(limit: Int) { self.limit = max(limit, 1) }

    /// The notifications that are kept, oldest first.
    var deliveries: [PushDelivery] { entries.map(\.delivery) }

    /// Keeps a notification, which is sent at once where the device is connected; returns what it takes the place of.
    mutating func keep(_ delivery: PushDelivery, until expires: Date, isConnected: Bool) -> [PushDelivery] {
        var dropped: [PushDelivery] = []
        entries.removeAll { entry in
            let isReplaced =
                !isConnected && !entry.wasSent
                || delivery.collapseID != nil && entry.delivery.collapseID == delivery.collapseID
            if isReplaced { dropped.append(entry.delivery) }
            return isReplaced
        }
        entries.append(Entry(delivery: delivery, expires: expires, wasSent: isConnected))
        while entries.count > limit { dropped.append(entries.removeFirst().delivery) }
        return dropped
    }

    /// Drops what has expired, and returns it.
    mutating func expire(at now: Date) -> [PushDelivery] {
        let dropped = entries.filter { $0.expires <= now }.map(\.delivery)
        entries.removeAll { $0.expires <= now }
        return dropped
    }

    /// What a new connection has to bring, oldest first; all of it counts as sent.
    mutating func open() -> [PushDelivery] {
        for index in entries.indices { entries[index].wasSent = true }
        return deliveries
    }

    /// Forgets a notification that was shown, and returns it; `nil` where it is not kept.
    mutating func remove(number: Int) -> PushDelivery? {
        guard let index = entries.firstIndex(where: { $0.delivery.number == number }) else { return nil }
        return entries.remove(at: index).delivery
    }
}
