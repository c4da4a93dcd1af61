import Foundation
import PeerKit
import S3Server

extension NovaServer {
    private static let captionLength = 0...2200
    private static let commentLength = 1...1000

    func writer(for viewer: String, _ visit: NovaVisit) -> NovaWriter {
        let storage = withState { $0.storageURL }
        return NovaWriter(
            viewerID: viewer,
            base: visit.base,
            pictures: "\(storage)/\(project.bucket)"
        )
    }

    // `?page&limit` → `{posts, has_more}`, newest first
    func feed(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        let page = try visit.page()
        try count("feed \(user)", project.rates.feed)
        let writer = writer(for: user, visit)
        return withState { state in
            let (ids, hasMore) = page.cut(state.order.reversed())
            var json = JSONWriter(after: [UInt8(ascii: "{")])
            json.member("has_more")
            json.write(.bool(hasMore))
            json.member("posts")
            state.write(Array(ids), writer, to: &json)
            json.append("}")
            return NovaReply(document: json.bytes)
        }
    }

    static func posts(_ ids: some Sequence<String>, _ writer: NovaWriter, _ state: borrowing NovaState)
        -> JSONValue
    {
        var posts: [JSONValue] = []
        for id in ids {
            guard let post = state.posts[id], let author = state.accounts[post.authorID] else { continue }
            posts.append(writer.post(post, by: author))
        }
        return .array(posts)
    }

    // → a post
    func post(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        let writer = writer(for: user, visit)
        return try change { state throws(NovaRefusal) in
            guard let post = state.posts[visit.id], let author = state.accounts[post.authorID] else {
                throw .notFound
            }
            return NovaReply(writer.post(post, by: author))
        }
    }

    // `{image_key, caption}` → `{id, image_url, created_at}`, with 201
    func publish(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        var fields = try visit.fields()
        let key = fields.text("image_key", length: 1...1024)
        let caption = fields.optionalText("caption", length: Self.captionLength)
        try fields.check()
        guard let owner = withState({ $0.uploadKeys[key] }) else {
            throw .field("image_key", "is no key that was given for an upload")
        }
        guard owner == user else { throw .forbidden }
        guard storage.object(key, in: project.bucket) != nil else {
            throw .field("image_key", "is a key to which nothing was uploaded")
        }
        try count("post \(user)", project.rates.post)
        let writer = writer(for: user, visit)
        return withState { state in
            let post = PostRow(
                id: state.freshID("post"),
                authorID: user,
                picture: .object(key),
                caption: caption,
                created: Date()
            )
            state.add(post)
            let fields: JSONValue = [
                "id": .string(post.id), "image_url": writer.picture(of: post),
                "created_at": .string(post.created.novaText),
            ]
            return NovaReply(fields, status: 201)
        }
    }

    // → 204
    func removePost(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        try visit.noFields()
        return try change { state throws(NovaRefusal) in
            guard let post = state.posts[visit.id] else { throw .notFound }
            guard post.authorID == user else { throw .forbidden }
            state.removePost(post.id)
            return .done
        }
    }

    // → `{}`
    func like(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        try change(visit, user) { state in _ = state.like(visit.id, by: user, at: Date()) }
    }

    // → `{}`
    func unlike(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        try change(visit, user) { state in state.unlike(visit.id, by: user) }
    }

    private func change(
        _ visit: NovaVisit,
        _ user: String,
        _ body: (inout NovaState) -> Void
    ) throws(NovaRefusal) -> NovaReply {
        try visit.noFields()
        try count("like \(user)", project.rates.like)
        return try change { state throws(NovaRefusal) in
            guard state.posts[visit.id] != nil else { throw .notFound }
            body(&state)
            return NovaReply([:])
        }
    }

    // `?page&limit` → `{comments, has_more}`, newest first
    func comments(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        let page = try visit.page()
        let writer = writer(for: user, visit)
        return try change { state throws(NovaRefusal) in
            guard let post = state.posts[visit.id] else { throw .notFound }
            let (rows, hasMore) = page.cut(post.comments.reversed())
            var comments: [JSONValue] = []
            for row in rows {
                guard let author = state.accounts[row.authorID] else { continue }
                comments.append(writer.comment(row, on: post, by: author))
            }
            return NovaReply(["comments": .array(comments), "has_more": .bool(hasMore)])
        }
    }

    // `{text}` → `{id, created_at}`, with 201
    func comment(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        var fields = try visit.fields()
        let text = fields.text("text", length: Self.commentLength)
        fields.require(text.contains { !$0.isWhitespace }, "text", "is blank")
        try fields.check()
        return try change { state throws(NovaRefusal) in
            guard state.posts[visit.id] != nil else { throw .notFound }
            let comment = state.comment(visit.id, text, by: user, at: Date())
            let fields: JSONValue = [
                "id": .string(comment.id), "created_at": .string(comment.created.novaText),
            ]
            return NovaReply(fields, status: 201)
        }
    }
}
