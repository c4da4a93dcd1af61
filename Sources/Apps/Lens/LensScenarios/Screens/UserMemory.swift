import Foundation
import Lens
import Synchronization

/// What the app has confirmed to its user, over all starts of the phone.
///
/// It is outside of the phone: a user remembers what was on the screen when the phone dies.
final class UserMemory: Sendable {
    struct Contents: Sendable {
        /// Photos that were shown as taken.
        var photos: Set<UUID> = []
        /// Whether a Wi-Fi camera was set up, and connected.
        var hasSetUpCamera = false
        /// Videos that were shown as complete.
        var videos: Set<UUID> = []
        /// Both.
        var taken: Set<UUID> { photos.union(videos) }
        /// Items whose deletion was asked for: they may be there or not.
        var perhapsDeleted: Set<UUID> = []
        /// Items that were gone from the gallery after their deletion.
        var deleted: Set<UUID> = []
        /// Messages that were shown, oldest first, while no clearing was asked for.
        var messages: [UUID] = []
        /// The settings, as they were shown when nothing was under way; `nil` while a change is.
        var settings: LensSettings?
        /// Whether clearing the conversation was asked for and not confirmed.
        var isClearing = false
    }

    private let contents = Mutex(Contents())

    /// What is remembered.
    var value: Contents { contents.withLock { $0 } }

    /// Remembers something.
    func update(_ change: (inout Contents) -> Void) { contents.withLock { change(&$0) } }
}
