internal import Foundation

/// Something that the person has done, as Nova counts it.
struct AnalyticsEvent: Sendable, Hashable {
    /// `post_tap`.
    var name: String
    /// `feed`.
    var category: String
    var parameters: [String: Value] = [:]

    /// A value of a parameter.
    enum Value: Sendable, Hashable, Encodable {
        case text(String), number(Int)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }

    static let appOpen = Self(name: "app_open", category: "lifecycle")
    static let appBackground = Self(name: "app_background", category: "lifecycle")
    static let appForeground = Self(name: "app_foreground", category: "lifecycle")
    static let signOut = Self(name: "sign_out", category: "auth")
    static let feedView = Self(name: "feed_view", category: "feed")
    static let profileUpdate = Self(name: "profile_update", category: "profile")

    static func signIn(method: String) -> Self { one("sign_in", "auth", "method", method) }
    static func signUp(method: String) -> Self { one("sign_up", "auth", "method", method) }
    static func postImpression(_ id: String) -> Self { one("post_impression", "feed", "post_id", id) }
    static func postTap(_ id: String) -> Self { one("post_tap", "feed", "post_id", id) }
    static func postLike(_ id: String) -> Self { one("post_like", "feed", "post_id", id) }
    static func postUnlike(_ id: String) -> Self { one("post_unlike", "feed", "post_id", id) }
    static func commentView(postID: String) -> Self { one("comment_view", "comment", "post_id", postID) }
    static func commentCreate(postID: String) -> Self { one("comment_create", "comment", "post_id", postID) }
    static func uploadFail(error: String) -> Self { one("upload_fail", "upload", "error", error) }
    static func searchSubmit(query: String) -> Self { one("search_submit", "search", "query", query) }
    static func profileView(userID: String) -> Self { one("profile_view", "profile", "user_id", userID) }
    static func notificationOpen(_ id: String) -> Self {
        one("notification_open", "notification", "notification_id", id)
    }
    static func uploadStart(bytes: Int) -> Self {
        Self(name: "upload_start", category: "upload", parameters: ["file_size": .number(bytes)])
    }
    static func uploadSuccess(postID: String, milliseconds: Int) -> Self {
        let parameters = ["post_id": Value.text(postID), "duration_ms": .number(milliseconds)]
        return Self(name: "upload_success", category: "upload", parameters: parameters)
    }
    static func searchResultClick(userID: String, query: String) -> Self {
        let parameters = ["user_id": Value.text(userID), "query": .text(query)]
        return Self(name: "search_result_click", category: "search", parameters: parameters)
    }

    private static func one(_ name: String, _ category: String, _ parameter: String, _ value: String) -> Self
    {
        Self(name: name, category: category, parameters: [parameter: .text(value)])
    }
}
