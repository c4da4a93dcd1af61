internal import Concurrency

/// Loads the pictures of the rows that are shown, a few at once and in their order; a row that goes takes its loading along.
@MainActor
final class RowThumbnails {
    /// How many pictures are asked for at once.
    static let atOnce = 4
    /// How long changes are gathered before they are shown: a list is not drawn again for each picture.
    private static let pause = Duration.milliseconds(50)

    private let thumbnails: EventThumbnails
    private let changed: @MainActor () -> Void
    private var states: [String: EventRow.Thumbnail] = [:]
    private var waiting: [Event] = []
    private var running: [String: Task<Void, Never>] = [:]
    private let showing = OwnedTasks()
    private var isChanged = false

    /// - Parameters:
    ///   - thumbnails: Has the pictures.
    ///   - changed: Called after rows have got their pictures, or have turned out to have none.
    init(_ thumbnails: EventThumbnails, changed: @escaping @MainActor () -> Void) {
        (self.thumbnails, self.changed) = (thumbnails, changed)
    }

    /// What there is of the picture of an event.
    func state(of event: Event) -> EventRow.Thumbnail {
        event.thumbnailURL == nil ? .none : states[event.id] ?? .loading
    }

    /// These rows are shown now, and no others; pictures that could not be had are asked for again.
    func show(_ events: [Event]) {
        let wanted = Set(events.map(\.id))
        for (id, task) in running where !wanted.contains(id) {
            task.cancel()
            running[id] = nil
        }
        states = states.filter { $0.value == .shown && wanted.contains($0.key) }
        waiting = events.filter { event in
            event.thumbnailURL != nil && states[event.id] == nil && running[event.id] == nil
        }
        loadNext()
    }

    /// No row is shown.
    func stop() {
        show([])
        showing.cancelAll()
        isChanged = false
    }

    private func loadNext() {
        let count = min(Self.atOnce - running.count, waiting.count)
        guard count > 0 else { return }
        for event in waiting.prefix(count) {
            running[event.id] = Task { [weak self, thumbnails] in
                let picture = await thumbnails.picture(of: event)
                guard !Task.isCancelled else { return }
                self?.take(picture, of: event.id)
            }
        }
        waiting.removeFirst(count)
    }

    private func take(_ picture: [UInt8]?, of id: String) {
        running[id] = nil
        states[id] = picture == nil ? .missing : .shown
        loadNext()
        guard !isChanged else { return }
        isChanged = true
        showing.replace(with: [
            Task { [weak self] in
                guard (try? await Task.sleep(for: Self.pause)) != nil, let self else { return }
                isChanged = false
                changed()
            }
        ])
    }
}
