import GeminiServer
import ScenarioKit

extension GeminiRecord {
    /// Frames arrive in order, and once in each conversation: only a session that begins one has not seen the newest frame.
    ///
    /// - Throws: `PropertyViolation`.
    func checkOrder() throws {
        var last: Int?
        var begins = false
        for session in sessions {
            begins = begins || !session.isResumed
            for number in session.frames.compactMap(\.inspection.number) {
                let isInOrder = last.map { begins ? number >= $0 : number > $0 } ?? true
                try check(
                    isInOrder,
                    "frames arrive in order, and once in each conversation",
                    "\(number) after \(last ?? 0) in session \(session.index)"
                )
                (last, begins) = (number, false)
            }
        }
    }
}
