import Foundation
import PeerKit

/// The events of the hub, newest first; of equal times the one that was added last.
struct EventList {
    /// An event, and which one it is, from 1: its picture shows that.
    struct Entry: Sendable {
        let event: HubEvent
        let number: Int
    }

    /// Events that are kept; past them the oldest goes.
    static let mostEvents = 100_000

    private(set) var entries: [Entry] = []
    private var byID: [String: Entry] = [:]
    private var count = 0

    subscript(id: String) -> Entry? { byID[id] }

    /// Adds an event, in place of one of the same ID.
    mutating func add(_ event: HubEvent) {
        remove(event.id)
        count += 1
        let entry = Entry(event: event, number: count)
        byID[event.id] = entry
        entries.insert(entry, at: place(of: entry))
        if entries.count > Self.mostEvents { byID[entries.removeLast().event.id] = nil }
    }

    /// Removes an event, and says whether it was there.
    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        guard let entry = byID.removeValue(forKey: id) else { return false }
        entries.remove(at: place(of: entry))
        return true
    }

    /// An ID that no event has.
    func freshID() -> String {
        var number = count + 1
        while byID["evt_\(number)"] != nil { number += 1 }
        return "evt_\(number)"
    }

    /// So many entries of a page, counted from 1.
    func page(_ page: Int, size: Int) -> ArraySlice<Entry> {
        let (start, overflows) = (page - 1).multipliedReportingOverflow(by: size)
        guard !overflows, start < entries.count else { return [] }
        return entries[start...].prefix(size)
    }

    /// Where an entry is, or belongs.
    private func place(of entry: Entry) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].precedes(entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension EventList.Entry {
    fileprivate func precedes(_ other: Self) -> Bool {
        (event.timestamp, number) > (other.event.timestamp, other.number)
    }
}
