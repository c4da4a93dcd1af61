/// What may stand in a session; a file from elsewhere may hold anything.
extension SessionFormat {
    /// Nanoseconds since a session's start: as many days as a simulation may last.
    static let times: ClosedRange<Int64> = 0...400 * 86_400 * 1_000_000_000
    /// Wall clocks, in nanoseconds since 1970: those before the year 2200.
    static let clocks: ClosedRange<Int64> = 0...7_258_118_400 * 1_000_000_000
    /// Steps and numbers of frames: those that a double holds too.
    static let counts: ClosedRange<Int64> = 0...1 << 53
    /// Widths and heights: those that a JPEG file can have.
    static let sides: ClosedRange<Int64> = 1...65_535
    /// Rows of one table, which are read into memory together.
    static let mostRows = 20_000_000
}
