/// One frame of a camera.
package struct MediaUnit: Sendable, Hashable {
    /// What it is; of `jpeg` the bytes are a whole file, not yet decoded.
    package var kind: MediaHeader.Kind
    /// The camera's own number of it; `nil` for pictures that come without a header.
    package var number: UInt32?
    package var bytes: [UInt8]
    /// Of pictures, what their headers say.
    package var shape: JPEGShape?
}

/// Cuts the stream of a media channel into frames, and drops those that are broken.
///
/// A frame begins with a packet of its own and with a header that tells its length; some cameras send pictures without one. A
/// header at the beginning of a packet before a frame has ended means that the rest of it will not come.
///
/// Nothing is decoded here: damage that leaves the headers of a picture, its beginning and its end as they are is not noticed, and the
/// picture is handed on. Of datagrams, the checksum of UDP finds most damage on the way; a decoder sees what is left.
package struct MediaAssembler: Sendable {
    /// What was dropped, and why.
    package struct Losses: Sendable, Hashable {
        /// Frames that ended before their length.
        package var truncated = 0
        /// Frames that are longer than a camera's could be.
        package var oversized = 0
        /// Frames that are not what they say.
        package var malformed = 0
        /// Pieces that belong to no frame.
        package var strays = 0

        package init() {}

        /// All frames that were dropped.
        package var frames: Int { truncated + oversized + malformed }
    }

    private enum State {
        case idle
        case framed(MediaHeader)
        /// A picture without a header.
        case bare
    }

    /// Kinds that are neither video nor audio, and come in between.
    private static let silentTypes: Set<UInt8> = [0x0C, 0x10, 0x11]

    private let mostBytes: Int
    private var state = State.idle
    private var collected: [UInt8] = []
    /// The bytes of the last whole frame.
    private var lastBytes = 0
    /// Whether what comes now was counted as oversized when its header came.
    private var isCounted = false
    package private(set) var losses = Losses()

    /// - Parameter mostBytes: The largest frame that is taken.
    package init(mostBytes: Int = 8 * 1024 * 1024) { self.mostBytes = mostBytes }

    /// Takes what one packet carried, and returns the frames that are complete with it.
    package mutating func append(_ piece: ArraySlice<UInt8>) -> [MediaUnit] {
        var units: [MediaUnit] = []
        var rest = piece
        while !rest.isEmpty {
            if let header = MediaHeader(rest) {
                abandon()
                rest = rest.dropFirst(MediaHeader.byteCount)
                begin(header)
                continue
            }
            switch state {
            case .framed(let header):
                let missing = Int(header.length) - collected.count
                collected += rest.prefix(missing)
                rest = rest.dropFirst(missing)
                guard collected.count == Int(header.length) else { return units }
                if let unit = finish(header) { units.append(unit) }
            case .bare:
                if JPEGShape.begins(rest) {
                    abandon()
                } else if collected.count + rest.count > mostBytes {
                    if !isCounted { losses.oversized += 1 }
                    forget()
                    return units
                }
                collectBare(rest, into: &units)
                rest = []
            case .idle:
                if JPEGShape.begins(rest) {
                    collectBare(rest, into: &units)
                } else if rest.contains(where: { $0 != 0 }) {
                    losses.strays += 1
                }
                rest = []
            }
        }
        return units
    }

    private mutating func begin(_ header: MediaHeader) {
        guard header.length <= mostBytes else {
            losses.oversized += 1
            // What follows may be a picture all the same.
            isCounted = true
            return
        }
        guard header.length > 0 else { return }
        // No more than what a frame has really had: a length is easily said.
        collected.reserveCapacity(min(Int(header.length), lastBytes))
        state = .framed(header)
    }

    private mutating func collectBare(_ piece: ArraySlice<UInt8>, into units: inout [MediaUnit]) {
        state = .bare
        collected += piece
        guard JPEGShape.ends(collected) else { return }
        if let unit = picture(number: nil) { units.append(unit) }
        forget()
    }

    private mutating func finish(_ header: MediaHeader) -> MediaUnit? {
        defer { forget() }
        switch header.kind {
        case .jpeg: return picture(number: header.number)
        case .h264Key, .h264, .audio:
            return header.kind.map { MediaUnit(kind: $0, number: header.number, bytes: handOn()) }
        case nil:
            if !Self.silentTypes.contains(header.type) { losses.malformed += 1 }
            return nil
        }
    }

    private mutating func picture(number: UInt32?) -> MediaUnit? {
        guard let shape = JPEGShape(collected) else {
            losses.malformed += 1
            return nil
        }
        // Handed on without a copy: the next frame has memory of its own.
        if collected.count > shape.count { collected.removeLast(collected.count - shape.count) }
        return MediaUnit(kind: .jpeg, number: number, bytes: handOn(), shape: shape)
    }

    private mutating func handOn() -> [UInt8] {
        lastBytes = collected.count
        defer { collected = [] }
        return collected
    }

    /// Drops a frame that has not ended.
    private mutating func abandon() {
        if case .idle = state { return isCounted = false }
        if !isCounted { losses.truncated += 1 }
        forget()
    }

    private mutating func forget() {
        state = .idle
        isCounted = false
        collected.removeAll(keepingCapacity: collected.capacity <= 512 * 1024)
    }
}
