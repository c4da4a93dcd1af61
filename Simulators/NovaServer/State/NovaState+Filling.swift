import Foundation
import PeerKit

extension NovaState {
    /// Puts in what the project has at the start; the log does not tell of it.
    mutating func fill(_ project: NovaProject, now: Date) {
        for user in project.users {
            add(
                Account(
                    id: user.id,
                    username: user.username,
                    email: user.email.lowercased(),
                    password: PasswordDigest(user.password, salt: user.id),
                    displayName: user.displayName,
                    bio: user.bio,
                    avatar: user.hasAvatar ? .drawn : .none
                )
            )
        }
        var news: [News] = []
        for post in project.posts.sorted(by: { $0.age > $1.age }) {
            let created = now - Double(post.age)
            add(
                PostRow(
                    id: post.id,
                    authorID: post.authorID,
                    picture: post.hasPicture ? .drawn : .none,
                    caption: post.caption,
                    created: created
                )
            )
            for (index, liker) in post.likerIDs.enumerated() {
                let age = max(1, post.age - 30 * (index + 1))
                news.append(News(age: age, kind: .like(post.id), userID: liker))
            }
            news += post.comments.map {
                News(age: $0.age, kind: .comment(post.id, $0.text), userID: $0.authorID)
            }
        }
        news += project.follows.map { News(age: $0.age, kind: .follow($0.userID), userID: $0.followerID) }
        // Of the same age the earlier one stays before: sorting keeps no order.
        for (_, item) in news.enumerated().sorted(by: {
            ($0.element.age, $1.offset) > ($1.element.age, $0.offset)
        }) {
            let time = now - Double(item.age)
            switch item.kind {
            case .like(let post): like(post, by: item.userID, at: time)
            case .comment(let post, let text): _ = comment(post, text, by: item.userID, at: time)
            case .follow(let user): follow(user, by: item.userID, at: time)
            }
        }
        log = BoundedLog(capacity: log.capacity)
    }

    /// What somebody did before the start.
    private struct News {
        enum Kind {
            case like(String)
            case comment(String, String)
            case follow(String)
        }

        let age: Int
        let kind: Kind
        let userID: String
    }
}
