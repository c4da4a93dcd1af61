/// When a task of the program is cancelled, to see how it takes that.
public enum CancellationPoint: Sendable, Hashable, Codable {
    /// After a task has run so many steps, at least 1; it is suspended then.
    case after(task: TaskID, steps: Int)
    /// At a suspension that the seed chooses; at none where the run is shorter.
    case drawn
}
