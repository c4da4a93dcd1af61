import Foundation
import Services

/// What a device has received, as lines for people or for programs.
struct ReceivedLines: Sendable {
    private struct Line: Encodable {
        var event: String
        var token: String?
        var id: String?
        var title: String?
        var body: String?
        /// JSON, as a text.
        var payload: String?
    }

    let isJSON: Bool

    func token(_ bytes: [UInt8]) -> String {
        let hex = bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
        return isJSON ? json(Line(event: "token", token: hex)) : "token  \(hex)"
    }

    func notification(_ notification: PushNotification) -> String { line("notification", notification) }

    func tap(_ notification: PushNotification) -> String { line("tap", notification) }

    private func line(_ event: String, _ notification: PushNotification) -> String {
        guard isJSON else {
            return [event, Self.printable(notification.title), Self.printable(notification.body)]
                .filter { !$0.isEmpty }.joined(separator: "  ")
        }
        return json(
            Line(
                event: event,
                id: notification.id,
                title: notification.title,
                body: notification.body,
                payload: String(decoding: notification.payload, as: UTF8.self)
            )
        )
    }

    private func json(_ line: Line) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// What others say, without what would change the terminal.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control })
        )
    }
}
