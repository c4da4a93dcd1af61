package import Services

extension ServiceAttributes {
    /// Reads a TXT record: strings behind their lengths, of which those without a valid key are left out.
    package init(text bytes: [UInt8]) {
        var rest = bytes[...]
        var entries: [Entry] = []
        while let count = rest.popFirst() {
            let string = rest.prefix(Int(count))
            rest = rest.dropFirst(Int(count))
            let key = string.prefix { $0 != UInt8(ascii: "=") }
            let value = key.endIndex < string.endIndex ? Array(string[(key.endIndex + 1)...]) : nil
            entries.append(Entry(key: String(decoding: key, as: UTF8.self), value: value))
        }
        self.init(entries)
    }

    /// The TXT record; a single empty string where there is nothing to say (RFC 6763 section 6.1).
    package var text: [UInt8] {
        if entries.isEmpty { return [0] }
        return entries.flatMap { entry in
            [UInt8(clamping: entry.byteCount)] + entry.key.utf8
                + (entry.value.map { [UInt8(ascii: "=")] + $0 } ?? [])
        }
    }
}
