import Foundation
import PeerKit
import Transport

extension ArgusHub {
    // `?limit=&offset=&sort_order=` → `{events, total_count, has_more, next_offset, limit, offset}`
    func publicPage(_ target: RequestTarget) throws(HubRefusal) -> PeerAnswer {
        let asked = try number("limit", in: 1...500, usual: 50, target)
        let offset = try number("offset", in: 0...Int.max, usual: 0, target)
        let order = target["sort_order"] ?? "desc"
        guard ["asc", "desc"].contains(order) else {
            throw .schema(
                "query",
                "sort_order",
                "String should match pattern '^(asc|desc)$'",
                input: .string(order)
            )
        }
        let limit = sizeOfPage(asked)
        let (page, count, total) = withState { state -> ([UInt8], Int, Int) in
            let (total, places) = (
                state.events.entries.count, state.events.places(after: offset, atMost: limit)
            )
            let json =
                order == "desc"
                ? state.events.json(at: places)
                : state.events.json(at: places.lazy.map { total - 1 - $0 })
            return (json, places.count, total)
        }
        let hasMore = offset < total && offset + count < total
        let next = hasMore ? String(offset + count) : "null"
        return .json(
            [UInt8](#"{"events":["#.utf8) + page
                + [UInt8](
                    #"],"has_more":\#(hasMore),"limit":\#(limit),"next_offset":\#(next),"offset":\#(offset),"total_count":\#(total)}"#
                        .utf8
                )
        )
    }

    /// A picture, which needs no token: its event's ID is the secret; 404 has no body.
    func publicThumbnail(_ day: String, _ file: String) -> PeerAnswer {
        let entry: EventList.Entry? =
            file.hasPrefix("event_") && file.hasSuffix(".jpg")
            ? withState { $0.events[String(file.dropFirst("event_".count).dropLast(".jpg".count))] } : nil
        guard let entry, entry.event.day == day, entry.event.thumbnail != .absent else {
            return PeerAnswer(status: 404, body: .empty)
        }
        return picture(of: entry, cache: "public, max-age=86400")
    }
}
