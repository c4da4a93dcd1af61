extension StringProtocol {
    /// The text as it may be shown on a terminal, wherever it comes from: what moves the cursor, colours or hides text is a dot.
    ///
    /// A line end is a blank, or stays one with `keepsLines`, as tabs do.
    package func visible(keepsLines: Bool = false) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if keepsLines, scalar == "\n" || scalar == "\t" {
                shown.append(scalar)
                continue
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                shown.append(scalar == "\n" ? " " : "·")
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }
}
