/// A text whose beginnings are looked for at the end of others (Knuth, Morris and Pratt, 1977).
struct Beginning<Text: RandomAccessCollection<UInt8>> where Text.Index == Int {
    private let text: Text
    /// For each beginning, the longest shorter one that it ends with.
    private var shorter: [Int] = []

    /// Prepares a text.
    init(_ text: Text) {
        self.text = text
        shorter.reserveCapacity(text.count)
        var length = 0
        for byte in text.dropFirst() {
            if shorter.isEmpty { shorter.append(0) }
            length = next(length, byte)
            shorter.append(length)
        }
        if shorter.isEmpty, !text.isEmpty { shorter.append(0) }
    }

    /// How many of the last bytes are a beginning of the text, which may be all of it: the most.
    func count(atEndOf bytes: some Sequence<UInt8>) -> Int {
        guard !text.isEmpty else { return 0 }
        return bytes.reduce(0, next)
    }

    /// The length of the longest beginning that stands at the end, one byte later.
    private func next(_ length: Int, _ byte: UInt8) -> Int {
        var length = length < text.count ? length : shorter[length - 1]
        while length > 0, text[text.startIndex + length] != byte { length = shorter[length - 1] }
        return text[text.startIndex + length] == byte ? length + 1 : length
    }
}
