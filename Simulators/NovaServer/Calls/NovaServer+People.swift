import Foundation
import HTTPTypes
import PeerKit
import Services
import Transport

extension NovaServer {
    /// How many posts a profile has.
    private static let profilePosts = 20

    // `?q&page&limit` → `{users, has_more}`, by name
    func search(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        let text = (visit.target["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard !text.isEmpty else { throw .field("q", "is missing or blank") }
        guard text.unicodeScalars.count <= 100 else { throw .field("q", "must have 1 to 100 characters") }
        let page = try visit.page()
        try count("search \(user)", project.rates.search)
        let writer = writer(for: user, visit)
        return withState { state in
            let found = state.accounts.values.filter {
                $0.username.lowercased().contains(text) || $0.displayName.lowercased().contains(text)
            }
            let (rows, hasMore) = page.cut(found.sorted { $0.username < $1.username })
            return NovaReply(["users": .array(rows.map { writer.user($0) }), "has_more": .bool(hasMore)])
        }
    }

    // → a person with `{posts, has_more}`
    func user(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        let writer = writer(for: user, visit)
        return try change { state throws(NovaRefusal) in
            guard let account = state.accounts[visit.id] else { throw .notFound }
            let ids = account.postIDs.reversed().prefix(Self.profilePosts)
            let more: [String: JSONValue] = [
                "posts": Self.posts(ids, writer, state),
                "has_more": .bool(account.postIDs.count > Self.profilePosts),
            ]
            let fields = writer.user(account, hasCounts: true).object ?? [:]
            return NovaReply(.object(fields.merging(more) { $1 }))
        }
    }

    // → 204
    func removeUser(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        try visit.noFields()
        return try change { state throws(NovaRefusal) in
            guard state.accounts[visit.id] != nil else { throw .notFound }
            guard visit.id == user else { throw .forbidden }
            state.removeAccount(user)
            return .done
        }
    }

    // a form with `display_name`, `bio`, `avatar` → a person
    func changeUser(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        guard withState({ $0.accounts[visit.id] != nil }) else { throw .notFound }
        guard visit.id == user else { throw .forbidden }
        let form = try ProfileForm(visit, avatarLimit: project.avatarLimit)
        let writer = writer(for: user, visit)
        return try change { state throws(NovaRefusal) in
            let number = state.freshNumber("avatar")
            state.change(user) { account in
                if let name = form.displayName {
                    account.displayName = name.isEmpty ? account.username : name
                }
                if let bio = form.bio { account.bio = bio.isEmpty ? nil : bio }
                switch form.avatar {
                case .absent: break
                case .cleared: account.avatar = .none
                case .image(let type, let bytes):
                    account.avatar = .sent(number: number, type: type, bytes: Data(bytes))
                }
            }
            state.log.append(.profileChanged(userID: user))
            guard let account = state.accounts[user] else { throw .notFound }
            return NovaReply(writer.user(account, hasCounts: true))
        }
    }

    // `?page&limit` → `{notifications, has_more}`, newest first
    func notifications(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        let page = try visit.page()
        let writer = writer(for: user, visit)
        return withState { state in
            let all = state.accounts[user]?.notifications.entries ?? []
            let (rows, hasMore) = page.cut(all.filter { state.accounts[$0.actorID] != nil }.reversed())
            var notifications: [JSONValue] = []
            for row in rows {
                guard let actor = state.accounts[row.actorID] else { continue }
                notifications.append(writer.notification(row, by: actor))
            }
            return NovaReply(["notifications": .array(notifications), "has_more": .bool(hasMore)])
        }
    }

    // MARK: Pictures

    private static let postSize = PixelSize(width: 480, height: 360)
    private static let avatarSize = PixelSize(width: 96, height: 96)

    /// The drawn picture of a post, or of a person.
    func drawnPicture(_ file: String) throws(NovaRefusal) -> PeerAnswer {
        guard file.hasSuffix(".jpg") else { throw .notFound }
        let name = String(file.dropLast(4))
        let size = withState { state -> PixelSize? in
            if state.posts[name]?.picture == .drawn { return Self.postSize }
            if case .drawn? = state.accounts[name]?.avatar { return Self.avatarSize }
            return nil
        }
        guard let size else { throw .notFound }
        return .image(pictures.jpeg(name, size), type: "image/jpeg")
    }

    /// An avatar that somebody has sent.
    func sentAvatar(_ visit: NovaVisit) throws(NovaRefusal) -> PeerAnswer {
        let account = withState { $0.accounts[visit.id] }
        guard case .sent(let number, let type, let bytes)? = account?.avatar,
            visit.values["number"] == String(number)
        else { throw .notFound }
        return .image(Array(bytes), type: type)
    }
}

extension PeerAnswer {
    fileprivate static func image(_ bytes: [UInt8], type: String) -> PeerAnswer {
        PeerAnswer(status: 200, headers: [.contentType: type], body: .bytes(bytes))
    }
}
