/// An element of an XML document that has elements or text in it, and no mixture of both that would matter.
///
/// Attributes are passed over when a document is read, but for those of the first element that are written.
public struct PlainElement: Sendable, Hashable {
    /// The name without the prefix of its namespace.
    public var name: String
    /// The text of the element itself, without that of the elements in it.
    public var text: String
    /// The elements in it, in their order.
    public var children: [PlainElement]

    /// Makes an element with text.
    public init(_ name: String, _ text: String) { (self.name, self.text, children) = (name, text, []) }

    /// Makes an element of elements.
    public init(_ name: String, _ children: [PlainElement]) {
        (self.name, text, self.children) = (name, "", children)
    }

    /// The text of the first element of that name in it.
    public subscript(name: String) -> String? { children.first { $0.name == name }?.text }

    /// All elements of that name in it.
    public func all(_ name: String) -> [PlainElement] { children.filter { $0.name == name } }

    /// A document whose first element this is, in UTF-8.
    ///
    /// - Parameter namespace: The value of `xmlns`.
    public func document(namespace: String? = nil) -> [UInt8] {
        var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
        write(to: &text, attributes: namespace.map { #" xmlns="\#($0)""# } ?? "")
        return Array(text.utf8)
    }

    private func write(to text: inout String, attributes: String = "") {
        text += "<\(name)\(attributes)>"
        for scalar in self.text.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\r": text += "&#13;"
            default:
                // XML 1.0 has no other characters below the blank, not even by number; services write them nevertheless.
                if scalar.value < 0x20, scalar != "\n", scalar != "\t" {
                    text += "&#\(scalar.value);"
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        for child in children { child.write(to: &text) }
        text += "</\(name)>"
    }
}
