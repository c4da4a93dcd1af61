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
        let (page, total) = withState { state -> ([JSONValue], Int) in
            let all = state.events.entries
            let found =
                order == "desc"
                ? Array(all.dropFirst(offset).prefix(limit))
                : Array(all.reversed().dropFirst(offset).prefix(limit))
            return (found.map { $0.event.publicJSON(state.cameras) }, all.count)
        }
        let hasMore = offset < total && offset + page.count < total
        return .json([
            "events": .array(page), "total_count": .integer(total), "has_more": .bool(hasMore),
            "next_offset": hasMore ? .integer(offset + page.count) : .null, "limit": .integer(limit),
            "offset": .integer(offset),
        ])
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
