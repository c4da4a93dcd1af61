public import HTTPTypes
public import Services

/// Which bytes of an object an answer to a GET has.
public struct AnsweredRange: Sendable {
    /// The object, as far as the fields tell.
    public let info: ObjectInfo
    /// Its bytes that follow.
    public let range: Range<Int>

    /// Reads status and fields.
    ///
    /// - Parameters:
    ///   - head: Of a success.
    ///   - asked: The range that was asked for; `nil` for all of it.
    ///   - whole: Bytes of the object, where they are known from elsewhere: something between may have taken the length away.
    ///   - needsTag: Whether an answer without entity tag is of something else.
    /// - Returns: `nil` where the answer is of something else than the object, such as a page of somebody in between, or does not say its
    ///   length.
    public init?(_ head: HTTPResponse, asked: Range<Int>?, whole: Int? = nil, needsTag: Bool = true) {
        let tag = head.headerFields[.eTag] ?? ""
        let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? (asked == nil ? whole : nil)
        guard let length, length >= 0, !tag.isEmpty || !needsTag else { return nil }
        let size: Int
        switch (head.status.code, asked) {
        case (200, nil): (size, range) = (length, 0..<length)
        // A server may pass over the field (RFC 9110 section 14.2).
        case (200, .some): return nil
        case (206, .some(let asked)):
            // `bytes 0-99/1234`
            guard let text = head.headerFields[.contentRange], text.hasPrefix("bytes ") else { return nil }
            let numbers = text.dropFirst(6).split(whereSeparator: { $0 == "-" || $0 == "/" }).map { Int($0) }
            guard numbers.count == 3, let first = numbers[0], let last = numbers[1], let whole = numbers[2],
                first == asked.lowerBound, last >= first, last < asked.upperBound, last < whole,
                last - first + 1 == length
            else { return nil }
            (size, range) = (whole, first..<(last + 1))
        default: return nil
        }
        info = ObjectInfo(
            size: size,
            contentType: head.headerFields[.contentType] ?? "application/octet-stream",
            entityTag: StoreText.entityTag(tag),
            metadata: head.headerFields.reduce(into: [:]) { metadata, field in
                let name = field.name.canonicalName
                guard name.hasPrefix("x-amz-meta-") else { return }
                metadata[String(name.dropFirst(11))] = field.value
            }
        )
    }
}
