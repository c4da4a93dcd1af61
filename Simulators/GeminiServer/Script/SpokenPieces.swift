/// Cuts an answer at arbitrary places, as a model does, with a wait before each message.
///
/// Cuts and waits are drawn from the system's generator, and so repeat under a simulation's seed.
struct SpokenPieces: Sendable {
    /// The bounds of the wait before each message, in milliseconds.
    let delay: ClosedRange<Int>
    /// The bounds of a piece's length in Unicode scalars; at least 1.
    let scalars: ClosedRange<Int>

    /// The messages of a text.
    func chunks(of text: String) -> [GeminiReply.Chunk] {
        var chunks: [GeminiReply.Chunk] = []
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            // Some messages hold two parts, as those of newer models do.
            var parts: [String] = []
            for _ in 0..<(Int.random(in: 0..<5) == 0 ? 2 : 1) where !rest.isEmpty {
                let piece = rest.prefix(.random(in: scalars))
                parts.append(String(piece))
                rest = rest.dropFirst(piece.count)
            }
            chunks.append(.init(parts, after: .milliseconds(Int.random(in: delay))))
        }
        return chunks
    }
}
