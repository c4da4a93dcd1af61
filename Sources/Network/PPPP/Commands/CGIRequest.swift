/// A request of the CGI dialect, such as `GET /livestream.cgi?streamid=10&substream=2&`.
package struct CGIRequest: Sendable, Hashable {
    /// One parameter; a request may have several of the same name.
    package struct Parameter: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// The name of the program, such as `get_status.cgi`.
    package var program: String
    package var parameters: [Parameter]

    package init(_ program: String, _ parameters: KeyValuePairs<String, String> = [:]) {
        self.program = program
        self.parameters = parameters.map { Parameter(name: $0.key, value: $0.value) }
    }

    /// The first value of a parameter.
    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Whether a value can be sent at all.
    ///
    /// Cameras look for the names of programs anywhere in a request, so that a value that contains one would reach another program.
    package static func canSend(_ value: String) -> Bool { !value.lowercased().contains(".cgi") }

    // MARK: On the wire

    /// As ASCII; of values, everything is escaped that could end one, or that is not plain ASCII.
    package var bytes: [UInt8] {
        var bytes = Array("GET /\(program)?".utf8)
        for parameter in parameters {
            bytes += parameter.name.utf8
            bytes.append(UInt8(ascii: "="))
            for byte in parameter.value.utf8 {
                if Self.isPlain(byte) { bytes.append(byte) } else { bytes += "%\(Self.hex(byte))".utf8 }
            }
            bytes.append(UInt8(ascii: "&"))
        }
        return bytes
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"#%&'+;<=>?\\".utf8.contains(byte)
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }

    /// The most parameters that are read.
    private static let mostParameters = 64

    /// Reads a request; the slash, a version of HTTP behind it and the last `&` may be missing or there.
    ///
    /// - Returns: `nil` for what is no request.
    package init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes.prefix { $0 != 0 && $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "GET" else { return nil }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        program = String(target[0].drop { $0 == "/" })
        guard program.hasSuffix(".cgi"), program.utf8.count <= 64 else { return nil }
        parameters = []
        guard target.count == 2 else { return }
        for pair in target[1].split(separator: "&").prefix(Self.mostParameters) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let value = Self.decoded(parts.count == 2 ? parts[1] : "") else { return nil }
            parameters.append(Parameter(name: String(parts[0]), value: value))
        }
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
