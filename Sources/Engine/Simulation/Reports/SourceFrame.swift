/// A place in source code.
public struct SourceFrame: Sendable, Hashable, CustomStringConvertible {
    /// The function, demangled.
    public var function: String
    /// The file's path, or `nil` where the program has no debug information.
    public var file: String?
    /// The line, from 1; 0 when unknown.
    public var line: Int

    /// The function, and the file's name with its line.
    public var description: String {
        guard let file, line > 0 else { return function }
        let name = file.split(separator: "/").last ?? ""
        return "\(function) at \(name):\(line)"
    }
}
