import Services

/// A model's name as it stands in a path: `models/x`, or `tunedModels/x`.
struct ModelPath {
    let text: String

    /// Checks a name, with or without the prefix.
    ///
    /// - Throws: `rejected` for what a path may not hold, or what clients and proxies fold.
    init(_ name: String, _ call: GeminiCall) throws(ChatModelError) {
        let path = name.contains("/") ? name : "models/\(name)"
        let marks = Set("-_./".utf8)
        let isPlain = path.utf8.allSatisfy { byte in
            marks.contains(byte) || Character(Unicode.Scalar(byte)).isLetter
                || Character(Unicode.Scalar(byte)).isNumber
        }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard isPlain, path.utf8.count <= 256, path.utf8.allSatisfy({ $0 < 0x80 }), segments.count == 2,
            segments.allSatisfy({ !$0.isEmpty && !$0.contains("..") })
        else { throw call.error(.rejected, "“\(name.prefix(100))” is not a model's name") }
        text = path
    }
}
