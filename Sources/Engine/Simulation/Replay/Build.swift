/// How a program is compiled: optimized code may suspend at fewer places, so that steps are counted differently.
public enum Build: String, Sendable, Hashable, Codable {
    /// Without optimization.
    case debug
    /// Optimized.
    case release

    /// That of this process.
    public static var current: Build {
        #if DEBUG
        .debug
        #else
        .release
        #endif
    }
}
