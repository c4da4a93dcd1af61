import Foundation
import PeerKit

/// Writes rows as the API has them, for one viewer.
struct NovaWriter {
    /// Who looks.
    let viewerID: String
    /// Where the viewer reaches the service.
    let base: String
    /// Where the viewer reaches the bucket of the pictures.
    let pictures: String

    /// A person; with the counts where the call is about that person.
    func user(_ account: Account, hasCounts: Bool = false) -> JSONValue {
        let avatar: JSONValue =
            switch account.avatar {
            case .none: .null
            case .drawn: .string("\(base)/pictures/\(account.id).jpg")
            case .sent(let number, _, _): .string("\(base)/avatars/\(account.id)/\(number)")
            }
        var fields: [String: JSONValue] = [
            "id": .string(account.id), "username": .string(account.username),
            "display_name": .string(account.displayName), "avatar_url": avatar, "bio": .optional(account.bio),
        ]
        if hasCounts {
            fields["followers_count"] = .integer(account.followers.count)
            fields["following_count"] = .integer(account.following.count)
            fields["posts_count"] = .integer(account.postIDs.count)
        }
        return .object(fields)
    }

    func post(_ post: PostRow, by author: Account) -> JSONValue {
        [
            "id": .string(post.id), "author": user(author), "image_url": picture(of: post),
            "caption": .optional(post.caption), "like_count": .integer(post.likers.count),
            "comment_count": .integer(post.comments.count), "is_liked": .bool(post.likers.contains(viewerID)),
            "created_at": .string(post.created.novaText),
        ]
    }

    func picture(of post: PostRow) -> JSONValue {
        switch post.picture {
        case .none: .null
        case .drawn: .string("\(base)/pictures/\(post.id).jpg")
        case .object(let key): .string("\(pictures)/\(key)")
        }
    }

    func comment(_ comment: CommentRow, on post: PostRow, by author: Account) -> JSONValue {
        [
            "id": .string(comment.id), "post_id": .string(post.id), "author": user(author),
            "text": .string(comment.text), "created_at": .string(comment.created.novaText),
        ]
    }

    func notification(_ row: NotificationRow, by actor: Account) -> JSONValue {
        [
            "id": .string(row.id), "type": .string(row.type), "actor": user(actor),
            "post_id": .optional(row.postID),
            "comment_id": .optional(row.commentID), "is_read": .bool(row.isRead),
            "created_at": .string(row.created.novaText),
        ]
    }
}

extension Date {
    /// As the API writes instants: whole seconds of UTC with `Z`.
    var novaText: String { formatted(.iso8601) }
}
