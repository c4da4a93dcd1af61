/// How many bytes of texts and pictures the record may still keep, of all sessions together.
struct RecordBudget: Sendable {
    private var left: Int

    init(_ bytes: Int) { left = bytes }

    /// Takes room for something, if there is as much.
    mutating func take(_ bytes: Int) -> Bool {
        guard bytes <= left else { return false }
        left -= bytes
        return true
    }

    /// Gives room back.
    mutating func give(_ bytes: Int) { left += bytes }
}

extension GeminiRecord.Session {
    /// Bytes that the place of a text takes beside those of the text, and that of a frame beside its picture.
    private static let overhead = 16
    private static let frameOverhead = MemoryLayout<GeminiRecord.Frame>.stride

    /// Appends a text to a list, where the list and the budget have room.
    ///
    /// - Returns: Whether it is kept.
    @discardableResult
    mutating func keep(
        _ text: String,
        in list: WritableKeyPath<Self, [String]>,
        _ budget: inout RecordBudget
    ) -> Bool {
        guard self[keyPath: list].count < GeminiRecord.longestList, take(text, &budget) else { return false }
        self[keyPath: list].append(text)
        return true
    }

    /// Makes a reply longer.
    mutating func keep(_ text: String, asPartOfReply place: Int, _ budget: inout RecordBudget) {
        guard replies.indices.contains(place), take(text, &budget) else { return }
        replies[place] += text
    }

    mutating func keep(instructions text: String?, _ budget: inout RecordBudget) {
        if let old = instructions { give(Self.overhead + old.utf8.count, &budget) }
        instructions = text.flatMap { take($0, &budget) ? $0 : nil }
    }

    /// Appends a frame where the budget has room, and forgets the bytes of the one that is not among the newest any more.
    mutating func keep(_ frame: GeminiRecord.Frame, newest count: Int, _ budget: inout RecordBudget) {
        guard frames.count < GeminiRecord.longestList else { return }
        guard budget.take(Self.frameOverhead) else {
            leftOutCount += 1
            return
        }
        keptBytes += Self.frameOverhead
        var frame = frame
        let size = frame.bytes?.count ?? 0
        if count < 1 || !budget.take(size) {
            frame.bytes = nil
        } else {
            keptBytes += size
        }
        frames.append(frame)
        let stale = frames.count - 1 - count
        guard frames.indices.contains(stale), let bytes = frames[stale].bytes else { return }
        give(bytes.count, &budget)
        frames[stale].bytes = nil
    }

    /// Appends speech, where the list and the budget have room.
    mutating func keep(_ speech: GeminiSpeech, _ budget: inout RecordBudget) {
        guard speeches.count < GeminiRecord.longestList else { return }
        let size = MemoryLayout<GeminiSpeech>.stride
        guard budget.take(size) else {
            leftOutCount += 1
            return
        }
        keptBytes += size
        speeches.append(speech)
    }

    /// Forgets the lists; the instructions stay.
    mutating func forgetLists(_ budget: inout RecordBudget) {
        let kept = instructions.map { Self.overhead + $0.utf8.count } ?? 0
        give(keptBytes - kept, &budget)
        frames = []
        texts = []
        replies = []
        speeches = []
        calls = []
        toolResponses = []
    }

    private mutating func take(_ text: String, _ budget: inout RecordBudget) -> Bool {
        let size = Self.overhead + text.utf8.count
        guard budget.take(size) else {
            leftOutCount += 1
            return false
        }
        keptBytes += size
        return true
    }

    private mutating func give(_ bytes: Int, _ budget: inout RecordBudget) {
        keptBytes -= bytes
        budget.give(bytes)
    }
}
