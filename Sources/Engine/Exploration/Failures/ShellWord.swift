/// Texts as a shell reads them.
package enum ShellWord {
    /// The text between quotes, which a shell takes as it is.
    package static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// The same, without quotes where the text needs none.
    package static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "./_-:=+,@".contains($0) }
        return isPlain ? text : quoted(text)
    }
}
