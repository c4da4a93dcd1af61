/// Places the ticks of a periodic loop on a fixed grid, so that slow work never makes the rate drift.
///
/// Times are measured from the loop's start. A tick that was missed is left out, not made up for: after an
/// overrun the next tick is the next one of the grid that lies in the future.
public struct Pacer: Sendable, Hashable {
    /// The tick that was served last; the loop starts with one at zero.
    public private(set) var lastTick: Duration = .zero
    /// Ticks that passed while the loop was busy.
    public private(set) var skipped: Int = 0

    /// Creates a pacer whose first tick is at the loop's start.
    public init() {}

    /// Returns the distance between ticks at a rate in frames per second; a rate below 1 counts as 1, one above 1,000 as 1,000.
    public static func interval(framesPerSecond: Int) -> Duration {
        .seconds(1) / min(max(1, framesPerSecond), 1_000)
    }

    /// Moves on to the next tick and returns when it is due.
    ///
    /// - Parameters:
    ///   - now: The time at which the loop has finished its work.
    ///   - framesPerSecond: The rate that holds from here on.
    public mutating func advance(now: Duration, framesPerSecond: Int) -> Duration {
        let interval = Self.interval(framesPerSecond: framesPerSecond)
        var steps = 1
        // A tick that is due at this very moment has not been missed: it is served at once.
        if now > lastTick + interval {
            let late = Int(((now - lastTick) / interval).rounded(.down))
            let onGrid = lastTick + interval * late == now
            steps = onGrid ? late : late + 1
        }
        skipped += steps - 1
        lastTick += interval * steps
        return lastTick
    }
}
