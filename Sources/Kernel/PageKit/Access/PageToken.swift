/// What a browser proves itself with: whoever has it may use the app.
public struct PageToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The names under which a browser of this machine finds a server.
    public static let loopbackNames: Set<String> = ["127.0.0.1", "localhost", "[::1]"]

    /// The token itself, for the address that the page is opened with and for the browser's cookie.
    public let text: String

    /// Takes a token that was drawn before.
    ///
    /// Fails for one that could be guessed: fewer than 64 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit) else { return nil }
        self.text = text
    }

    /// Draws 256 bits of the system's generator.
    public init() {
        text = (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Whether somebody's text is the token; takes as long for one that is nearly right as for any other.
    func matches(_ other: some StringProtocol) -> Bool {
        let (mine, theirs) = (Array(text.utf8), Array(other.utf8))
        guard mine.count == theirs.count else { return false }
        var difference: UInt8 = 0
        for (one, two) in zip(mine, theirs) { difference |= one ^ two }
        return difference == 0
    }

    /// Never the token.
    public var description: String { "<token>" }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
