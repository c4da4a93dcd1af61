internal import AppKernel
internal import Concurrency
internal import Foundation

/// Something that the person has done and Nova does not have yet.
///
/// Its encoded form is stored, so the names of its cases and members are a file format.
enum NovaWork: OutboxWork, Hashable {
    /// What is left to record when it is done.
    struct Receipt: Codable, Hashable, Sendable {
        /// What Nova has made of it; `nil` for a like.
        var created: Created?
    }
    typealias Failure = NovaError

    /// A wish for a post, whatever was wished before.
    case like(postID: String, isLiked: Bool)
    case comment(postID: String, text: String)
    /// A picture of the table of pictures, and the place that it was first given.
    case publish(pictureID: String, caption: String, place: Presigned)

    /// Wishes for a post one after the other, and so comments on one; publications too.
    var lane: String? {
        switch self {
        case .like(let postID, _): "like:\(postID)"
        case .comment(let postID, _): "comment:\(postID)"
        case .publish: "publish"
        }
    }

    var kind: String {
        switch self {
        case .like: "like"
        case .comment: "comment"
        case .publish: "publish"
        }
    }

    /// How often Nova may refuse work for a passing reason: once, and at three repetitions.
    static let mostRefusals = 4

    /// Three repetitions after 1, 2 and 4 seconds; what the network is to blame for begins again each minute, without end.
    ///
    /// The effect itself gives up what Nova has refused ``mostRefusals`` times. Nova forgets keys after 24 hours: what makes something new is not
    /// repeated later, unless the person wants it. What has failed for good stays until the person has seen it: ``NovaLog`` bounds how much that is.
    static var policies: [String: OutboxPolicy] {
        let like = OutboxPolicy(exhaustion: .waits(atMost: .seconds(60)))
        var creation = like
        creation.expiry = .seconds(86_400)
        return ["like": like, "comment": creation, "publish": creation]
    }
}

/// How far work has come, as its checkpoint.
struct NovaProgress: Codable, Sendable {
    /// How often Nova has refused it for a passing reason.
    var refusals = 0
    /// The place of the picture, where it is not the first one.
    var place: Presigned?
    /// Whether the picture is in its place: from then on the name in the request never changes.
    var isUploaded = false
}

/// Work that is done, which readings that were begun before know nothing of.
struct DoneWork: Codable, Hashable, Sendable {
    /// Its place in the log.
    var position: Int64 = 0
    /// What its entry was called.
    var identity: String
    var effect: Effect

    enum Effect: Codable, Hashable, Sendable {
        case liked(postID: String, Bool)
        case commented(Comment)
        case published(postID: String, milliseconds: Int)
    }
}
