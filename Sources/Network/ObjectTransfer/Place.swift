import Synchronization

/// How far a reader has come.
final class Place: Sendable {
    private let place: Atomic<Int>

    init(_ value: Int) { place = Atomic(value) }

    var value: Int {
        get { place.load(ordering: .relaxed) }
        set { place.store(newValue, ordering: .relaxed) }
    }
}
