public import Foundation
public import SessionRecording

/// The HTTP requests of a recording as a shell script of calls of curl, to send them again by hand.
///
/// Bodies that are no text are decoded by `base64`. Secrets are masked in recordings, as `<redacted>` or `<redacted-N>`: replace them before a call is sent.
public struct CurlExporter: SessionExporter {
    /// Fields that curl writes by itself.
    private static let own: Set<String> = ["content-length", "host", "connection", "transfer-encoding"]

    /// The longest body that is an argument, in bytes: Linux takes 128 KiB, of which each apostrophe costs four.
    private static let longest = 32_000

    /// Writes whole recordings.
    public init() {}

    /// Writes a call for each request, in their order.
    ///
    /// - Throws: `SessionError`, ``ExportError``, and what `sink` throws.
    public func write(_ session: SessionReader, to sink: ExportSink) throws {
        let connections = try session.connections().filter { $0.kind == "http" }
        guard !connections.isEmpty else { throw ExportError.nothing(format: "curl", needs: "HTTP request") }
        try sink(
            Data(
                "#!/bin/sh\n# Secrets were masked as <redacted> or <redacted-N>: replace them before a call is sent.\n"
                    .utf8
            )
        )
        if let part = try session.keptPart() { try sink(Data("# Has \(part).\n".utf8)) }
        let rows = try session.messageRows()
        for number in connections.map(\.number) {
            guard let exchange = RecordedExchange(try session.messages(of: number, in: rows[number])) else {
                continue
            }
            try sink(Data(Self.call(exchange).utf8))
        }
    }

    private static func call(_ exchange: RecordedExchange) -> String {
        let came = exchange.answer.map { "\($0.status)" } ?? exchange.failure.map { "\($0)" } ?? "nothing"
        let time = String(format: "%.3f", Double(exchange.started) / 1e9)
        // A comment is one line, whatever is in a reason.
        let comment = "# http \(exchange.connection), after \(time) s: \(came)".map {
            $0.isNewline ? " " : $0
        }
        // With --request HEAD curl waits for a body of the answer, and with --head it takes none along.
        let method =
            exchange.method == "HEAD" && exchange.body.isEmpty
            ? "--head" : "--request \(quoted(exchange.method))"
        // Brackets and braces of an address are not meant as a range.
        var words = ["curl", "--globoff", method, "--url \(quoted(exchange.address))"]
        for field in exchange.head.fields where !own.contains(field.name) && isToken(field.name) {
            // A colon and nothing behind it removes a field.
            words.append(
                "--header \(quoted(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"))"
            )
        }
        var before = ""
        if !exchange.body.isEmpty {
            // Otherwise curl has a type of its own.
            if exchange.head.value(of: "content-type") == nil { words.append("--header 'content-type:'") }
            if exchange.body.count <= longest, !exchange.body.contains(0),
                let text = String(validating: exchange.body, as: UTF8.self)
            {
                words.append("--data-raw \(quoted(text))")
            } else {
                // It is built into shells, so that its arguments may be of any length.
                before = "printf %s \(Data(exchange.body).base64EncodedString()) | base64 -d | "
                words.append("--data-binary @-")
            }
        }
        return "\n\(String(comment))\n\(before)\(words.joined(separator: " \\\n  "))\n"
    }

    /// Whether a name is one of a field (RFC 9110, section 5.6.2); curl reads a file for one that begins with @.
    private static func isToken(_ name: String) -> Bool {
        name.wholeMatch(of: /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/) != nil
    }

    /// A word for the shell: all in apostrophes, but those, which stand between them behind a backslash.
    static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
