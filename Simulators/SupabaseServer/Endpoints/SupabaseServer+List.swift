import Foundation
import PeerKit

extension SupabaseServer {
    private static let lineCountMaximum = 1000

    func list(_ bucket: String, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let body = try await json(call)
        let prefix = try body.text("prefix")
        let limit = try body.number("limit", in: 1...Int(Int32.max), default: 100)
        let offset = try body.number("offset", in: 0...Int(Int32.max), default: 0)
        guard project.policies.mayAllow(caller.role, .select, inBucket: bucket) else {
            return .json(.array([]))
        }
        let found = Listing.level(
            of: try read { $0.objects(in: bucket) },
            under: prefix,
            search: body["search"]?.string ?? ""
        ) { allows(caller, [.select], $0.name, $0) }
        let sorting = body["sortBy"]?.object
        let isDescending = sorting?["order"]?.string?.lowercased() == "desc"
        let files = Self.sorted(found.objects, by: sorting?["column"]?.string ?? "name", isDescending)
        let folders = isDescending ? Array(found.folders.reversed()) : found.folders
        let lines = folders.map { Self.folder($0) } + files.map { $0.row.listed(as: $0.name) }
        return .json(.array(Array(lines.dropFirst(offset).prefix(limit))))
    }

    func listPaged(_ bucket: String, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let body = try await json(call)
        let limit = try body.number("limit", in: 1...Self.lineCountMaximum, default: Self.lineCountMaximum)
        let order = try ListOrder(body["sortBy"])
        var cursor: ListOrder.Place?
        if let text = body["cursor"]?.string { cursor = try order.place(of: text) }
        let isListed = project.policies.mayAllow(caller.role, .select, inBucket: bucket)
        let objects = isListed ? try read { $0.objects(in: bucket) } : KeyMap()
        let prefix = body["prefix"]?.string ?? ""
        let isFolded = body["with_delimiter"]?.bool ?? false
        let isVisible = { (row: StoredObject.Row) in self.allows(caller, [.select], row.name, row) }
        let lines: [(line: Listing.Line, place: ListOrder.Place)]
        if order == .names {
            lines = Listing.flat(
                of: objects,
                under: prefix,
                folded: isFolded,
                after: cursor?.name,
                atMost: limit + 1,
                where: isVisible
            ).map { ($0, ListOrder.Place(date: "", name: $0.name)) }
        } else {
            lines = Listing.ordered(
                by: order,
                of: objects,
                under: prefix,
                folded: isFolded,
                after: cursor,
                atMost: limit + 1,
                where: isVisible
            )
        }
        return .json(Self.page(lines, limit, order))
    }

    private static func page(
        _ lines: [(line: Listing.Line, place: ListOrder.Place)],
        _ limit: Int,
        _ order: ListOrder
    ) -> JSONValue {
        let page = lines.prefix(limit)
        var answer: [String: JSONValue] = ["hasNext": .bool(lines.count > limit)]
        if lines.count > limit, let last = page.last {
            answer["nextCursor"] = .string(order.cursor(after: last.place))
            answer["nextCursorKey"] = .string(last.line.name)
        }
        var (folders, objects): ([JSONValue], [JSONValue]) = ([], [])
        for (line, _) in page {
            switch line {
            case .folder(let name): folders.append(.object(["id": .null, "name": .string(name)]))
            case .object(let name, let row): objects.append(row.listed(as: name))
            }
        }
        answer["folders"] = .array(folders)
        answer["objects"] = .array(objects)
        return .object(answer)
    }

    /// A folder's line has the members of an object's, all null but the name.
    private static func folder(_ name: String) -> JSONValue {
        .object([
            "name": .string(name), "id": .null, "updated_at": .null, "created_at": .null,
            "last_accessed_at": .null, "metadata": .null,
        ])
    }

    /// Equal dates keep the order of names.
    private static func sorted(
        _ objects: [(name: String, row: StoredObject.Row)],
        by column: String,
        _ isDescending: Bool
    ) -> [(name: String, row: StoredObject.Row)] {
        var objects = objects
        switch column {
        case "created_at": objects.sort { $0.row.createdAt < $1.row.createdAt }
        case "updated_at", "last_accessed_at": objects.sort { $0.row.updatedAt < $1.row.updatedAt }
        default:
            // They come in order, but for keys that differ from the prefix in letter case.
            let isSorted = zip(objects, objects.dropFirst()).allSatisfy { $0.name <= $1.name }
            if !isSorted { objects.sort { $0.name < $1.name } }
        }
        return isDescending ? objects.reversed() : objects
    }
}
