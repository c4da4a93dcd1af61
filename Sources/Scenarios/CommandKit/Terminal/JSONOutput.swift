import Foundation

/// Prints a value as one JSON object with sorted keys, for machines.
package func printJSON(_ value: some Encodable, on terminal: Terminal) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    terminal.line(String(decoding: try encoder.encode(value), as: UTF8.self))
}
