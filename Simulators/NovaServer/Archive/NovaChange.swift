import Foundation
import PeerKit

/// What has changed in the state of a service, as the folder has it.
enum NovaChange: Sendable, Codable {
    /// Somebody has an account, or another profile.
    case account(Account)
    case accountRemoved(String)
    case post(PostRow)
    case postRemoved(String)
    case like(post: String, user: String, time: Date)
    case unlike(post: String, user: String)
    case comment(post: String, text: String, user: String, time: Date)
    case follow(user: String, follower: String, time: Date)
    /// A notification that is no consequence of another change.
    case notice(user: String, type: String, actor: String, post: String?, time: Date)
    case uploadKey(String, user: String)
    case events([JSONValue])
    /// What changes with nearly every call: how many things of each kind there have been, sign-ins, and answers that are known by their keys.
    case calls(KeptCalls)
}

/// Numbers, sign-ins and known answers of a service: all of them, or those that have changed.
struct KeptCalls: Sendable, Codable {
    var counts: [String: Int]
    var tokenCount: Int
    var families: [Int: Sessions.Kept?]
    var answers: [IdempotencyRecords.Kept]
}

/// All that a service keeps.
struct NovaKept: Sendable, Codable {
    var accounts: [Account]
    /// Oldest first.
    var posts: [PostRow]
    var uploadKeys: [String: String]
    var events: [JSONValue]
    var calls: KeptCalls
}
