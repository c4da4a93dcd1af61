/// The head of one part of a form.
public struct MultipartHead: Sendable, Hashable {
    /// The field's name; empty with some clients.
    public private(set) var name: String = ""
    /// Present if the part is a file, whatever its field is called.
    public private(set) var filename: String?
    /// The part's own media type.
    public private(set) var contentType: String?

    /// Reads header lines, or returns `nil` when they are none.
    init?(_ bytes: some Sequence<UInt8>) {
        guard let text = String(validating: Array(bytes), as: UTF8.self) else { return nil }
        // A line end is one character to Swift.
        for line in text.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = Self.trimmed(line[line.index(after: colon)...])
            switch line[..<colon].lowercased() {
            case "content-disposition":
                let parameters = Self.parameters(of: value)
                name = parameters["name"] ?? ""
                filename = parameters["filename"] ?? parameters["filename*"]
            case "content-type": contentType = String(value)
            default: break
            }
        }
    }

    /// The parameters after the first `;`, quoted or not.
    public static func parameters(of value: Substring) -> [String: String] {
        var parameters: [String: String] = [:]
        var rest = value.drop { $0 != ";" }
        while rest.popFirst() != nil {
            let name = trimmed(rest.prefix { $0 != "=" && $0 != ";" }).lowercased()
            rest = rest.drop { $0 != "=" && $0 != ";" }
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            var text = ""
            if rest.first == "\"" {
                rest.removeFirst()
                while let character = rest.popFirst(), character != "\"" {
                    // Browsers escape with %22; a backslash before anything but a quote is a file name's own.
                    if character == "\\", rest.first == "\"" {
                        text.append(rest.removeFirst())
                    } else {
                        text.append(character)
                    }
                }
                rest = rest.drop { $0 != ";" }
            } else {
                text = String(trimmed(rest.prefix { $0 != ";" }))
                rest = rest.drop { $0 != ";" }
            }
            if !name.isEmpty, parameters[name] == nil { parameters[name] = text }
        }
        return parameters
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
