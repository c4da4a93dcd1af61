extension String {
    /// The text as it may stand in XML and HTML, within attributes too; what XML 1.0 has no place for is left out.
    package var inMarkup: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\t", "\n", "\r": text += "&#\(scalar.value);"
            case "\0"..."\u{1f}", "\u{fffe}", "\u{ffff}": break
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
