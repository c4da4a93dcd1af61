import Foundation
import HTTPTypes
import PeerKit
import Transport

extension ArgusHub {
    /// Events on a page where the request does not say.
    static let usualPageSize = 20

    /// Answers a call that changes nothing.
    func read(_ call: HubCall, _ id: String, _ target: RequestTarget) throws(HubRefusal) -> PeerAnswer {
        switch call {
        case .events: return try page(target)
        case .cameras: return .json(["cameras": .array(withState { $0.cameras.map(\.json) })])
        case .thumbnail: return try thumbnail(id)
        case .publicEvents: return try publicPage(target)
        case .publicCameras: return .json(.array(withState { $0.cameras.map(\.publicJSON) }))
        default:
            let entry = faults.strike(HubFaultPoints.eventMissing) == nil ? withState { $0.events[id] } : nil
            guard let event = entry?.event else { throw .event(id) }
            return .json(call == .publicEvent ? withState { event.publicJSON($0.cameras) } : event.json)
        }
    }

    private func page(_ target: RequestTarget) throws(HubRefusal) -> PeerAnswer {
        let page = try number("page", in: 1...Int.max, usual: 1, target)
        let asked = try number("page_size", in: 1...project.pageLimit, usual: Self.usualPageSize, target)
        let size = sizeOfPage(asked)
        let (start, isBeyond) = (page - 1).multipliedReportingOverflow(by: size)
        let (events, total) = withState { state in
            let places = state.events.places(after: isBeyond ? .max : start, atMost: size)
            return (state.events.json(at: places), state.events.entries.count)
        }
        return .json(
            [UInt8](#"{"events":["#.utf8) + events
                + [UInt8](#"],"page":\#(page),"page_size":\#(size),"total":\#(total)}"#.utf8)
        )
    }

    /// The size of a page, as was asked for or as a fault has it, where another fault may remove events first.
    func sizeOfPage(_ asked: Int) -> Int {
        if let fault = faults.strike(HubFaultPoints.totalShrinks) {
            withState { state in
                for entry in state.events.entries.suffix(fault.integer("count")) {
                    _ = state.removeEvent(entry.event.id)
                }
            }
        }
        return faults.strike(HubFaultPoints.pageSizeIgnored)?.integer("size") ?? asked
    }

    /// A whole number of the query.
    func number(
        _ name: String,
        in range: ClosedRange<Int>,
        usual: Int,
        _ target: RequestTarget
    ) throws(HubRefusal) -> Int {
        guard let text = target[name] else { return usual }
        guard let number = Int(text), range.contains(number) else {
            let limit = range.upperBound == .max ? "" : " and at most \(range.upperBound)"
            throw .schema(
                "query",
                name,
                "Input should be a number of at least \(range.lowerBound)\(limit)",
                input: .string(text)
            )
        }
        return number
    }

    private func thumbnail(_ id: String) throws(HubRefusal) -> PeerAnswer {
        guard let entry = withState({ $0.events[id] }), entry.event.thumbnail != .absent else {
            throw .event(id)
        }
        return picture(of: entry, cache: "private, max-age=86400")
    }

    /// The picture of an event, or what a fault has in its place.
    func picture(of entry: EventList.Entry, cache: String) -> PeerAnswer {
        let isPicture = faults.strike(HubFaultPoints.noPicture) == nil
        return PeerAnswer(
            status: 200,
            headers: [.contentType: "image/jpeg", .cacheControl: cache],
            body: isPicture
                ? .bytes(pictures.jpeg(entry.number, entry.event)) : .text("<html>no picture</html>")
        )
    }
}
