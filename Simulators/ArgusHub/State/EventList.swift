import Foundation
import PeerKit

/// The events of the hub, newest first; of equal times the one that was added last.
struct EventList {
    /// An event, and which one it is, from 1: its picture shows that.
    struct Entry: Sendable {
        let event: HubEvent
        let number: Int
        /// The event as the hub sends it, once it has.
        fileprivate var json: [UInt8]?
    }

    /// Events that are kept; past them the oldest goes.
    static let mostEvents = 100_000

    private(set) var entries: [Entry] = []
    private var byID: [String: Entry] = [:]
    private var count = 0
    private let write: @Sendable (HubEvent) -> JSONValue

    /// A list without events.
    ///
    /// - Parameter write: An event as the hub sends it, always the same.
    init(_ write: @escaping @Sendable (HubEvent) -> JSONValue) { self.write = write }

    subscript(id: String) -> Entry? { byID[id] }

    /// Adds an event, in place of one of the same ID.
    mutating func add(_ event: HubEvent) {
        remove(event.id)
        count += 1
        let entry = Entry(event: event, number: count, json: nil)
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

    /// The places of so many entries after others.
    func places(after offset: Int, atMost size: Int) -> Range<Int> {
        let start = min(offset, entries.count)
        return start..<(start + min(size, entries.count - start))
    }

    /// The entries at some places, with commas between them.
    ///
    /// Each is written once, however often it is sent: most of the work of a page would be that.
    mutating func json(at places: some Sequence<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        for place in places {
            let written = entries[place].json ?? write(entries[place].event).json
            entries[place].json = written
            if !bytes.isEmpty { bytes.append(0x2C) }
            bytes += written
        }
        return bytes
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
