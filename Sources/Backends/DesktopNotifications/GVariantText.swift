/// Texts as GLib's programs read them on their command line.
///
/// Source: GVariant Text Format, strings.
enum GVariantText {
    /// A text in quotes, which is never an option: control characters and what has a meaning are escaped.
    static func quoted(_ text: String) -> String {
        var quoted = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'", "\\": quoted += "\\\(scalar)"
            // A text of D-Bus ends with it.
            case "\0": continue
            case _ where scalar.properties.generalCategory == .control:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "'"
    }
}
