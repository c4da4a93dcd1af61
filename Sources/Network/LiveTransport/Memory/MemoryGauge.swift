/// A part of a share that is set to what there is now.
///
/// Confined to the connection's event loop by its owner, a channel handler.
struct MemoryGauge {
    private let share: MemoryShare?
    private var bytes = 0

    /// Makes a gauge that shows nothing; without a share it counts for nobody.
    init(_ share: MemoryShare?) { self.share = share }

    mutating func set(_ bytes: Int) {
        guard let share, bytes != self.bytes else { return }
        let change = bytes - self.bytes
        self.bytes = bytes
        if change > 0 { share.add(change) } else { share.remove(-change) }
    }

    /// Takes off what is above so many bytes.
    mutating func lower(to bytes: Int) { if bytes < self.bytes { set(bytes) } }
}
