/// The order of file names that people expect: `photo-2` before `photo-10`, capitals beside small letters.
enum NaturalOrder {
    /// Whether `left` comes before `right`; never both ways, never neither for different names.
    static func precedes(_ left: String, _ right: String) -> Bool {
        var first = Array(left.lowercased().utf8)[...]
        var second = Array(right.lowercased().utf8)[...]
        while let one = first.first, let two = second.first {
            if isDigit(one), isDigit(two) {
                let number = takeNumber(&first)
                let other = takeNumber(&second)
                // Without leading zeros, the longer number is the greater one.
                if number.count != other.count { return number.count < other.count }
                if number != other { return number.lexicographicallyPrecedes(other) }
            } else {
                if one != two { return one < two }
                first.removeFirst()
                second.removeFirst()
            }
        }
        if first.isEmpty != second.isEmpty { return first.isEmpty }
        return left < right
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func takeNumber(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = text.prefix(while: isDigit)
        text = text.dropFirst(digits.count)
        return digits.drop { $0 == 0x30 }
    }
}
