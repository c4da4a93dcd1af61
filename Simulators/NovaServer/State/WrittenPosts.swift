import PeerKit

/// What of each post is the same for all who look at it, as JSON: most of the work of a page would be to write that again.
struct WrittenPosts {
    private struct Post {
        /// Up to the number of comments.
        let head: [UInt8]
        /// From there to whether the viewer likes it.
        let middle: [UInt8]
    }

    /// The addresses of service and pictures in what is written; for a viewer with others all of it is written again.
    private var addresses = ["", ""]
    private var posts: [String: Post] = [:]

    /// A post has gone.
    mutating func forget(_ id: String) { posts[id] = nil }

    /// A person is shown in another way.
    mutating func forgetAll() { posts = [:] }

    /// Writes a post as ``NovaWriter/post(_:by:)`` has it.
    mutating func write(_ post: PostRow, by author: Account, _ writer: NovaWriter, to json: inout JSONWriter)
    {
        if addresses != [writer.base, writer.pictures] {
            addresses = [writer.base, writer.pictures]
            forgetAll()
        }
        let written = posts[post.id] ?? Self.written(post, by: author, writer)
        posts[post.id] = written
        json.append(written.head)
        json.write(post.comments.count)
        json.append(written.middle)
        json.write(.bool(post.likers.contains(writer.viewerID)))
        json.member("like_count")
        json.write(post.likers.count)
        json.append("}")
    }

    private static func written(_ post: PostRow, by author: Account, _ writer: NovaWriter) -> Post {
        var head = JSONWriter(after: [UInt8(ascii: "{")])
        head.member("author")
        head.write(writer.user(author))
        head.member("caption")
        head.write(.optional(post.caption))
        head.member("comment_count")
        var middle = JSONWriter()
        middle.member("created_at")
        middle.write(.string(post.created.novaText))
        middle.member("id")
        middle.write(.string(post.id))
        middle.member("image_url")
        middle.write(writer.picture(of: post))
        middle.member("is_liked")
        return Post(head: head.bytes, middle: middle.bytes)
    }
}
