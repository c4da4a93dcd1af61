import Services

/// The rung that was chosen, and which of the two file buffers holds its bytes.
struct Rung: Equatable {
    var quality: Int
    var file: Int
}

/// Finds the first rung that fits, with few encodes: a value that tells what to do next.
///
/// Sizes of a sample, multiplied up, tell where to begin. Once one rung's true size is known, the sample's
/// *ratio* between that rung and its neighbour predicts the neighbour within a few percent; a neighbour that is
/// predicted at ``margin`` times the limit or more is not tried. No other state enters, so equal frames make equal
/// decisions.
struct RungSearch {
    /// What to do next.
    enum Step: Equatable {
        /// Encode the sample at this quality.
        case probe(Int)
        /// Encode the frame at this quality.
        case encode(Int)
        case found(Rung)
        case nothingFits
    }

    /// A rung predicted this many times as large as the limit is taken not to fit (measured; see the decision record).
    static let margin = 1.01
    /// A sample up to this many times the limit may belong to a rung that fits (measured).
    static let sampleTolerance = 1.02
    /// The same for the lowest rung while no true size is known at all.
    static let blindMargin = 1.5

    /// How large photographs get at each rung, compared with the first; only saves probes.
    static let typicalShares = [1, 0.78, 0.66, 0.58, 0.51, 0.43, 0.33, 0.21]

    private let qualities: [Int]
    private let limit: Int
    private let isSurelySmall: Bool
    private var probes: [Int: Double] = [:]
    private var sizes: [Int: Int] = [:]
    private var best: Rung?
    /// The index of the rung that was encoded last.
    private var anchor: Int?
    /// The buffer that does not hold ``best``.
    private(set) var spare = 0

    init(qualities: [Int], limit: Int, size: PixelSize) {
        self.qualities = qualities
        self.limit = limit
        // TurboJPEG's own bound for 4:2:0 (tjBufSize): 3 bytes for each pixel of whole MCUs, and 2,048.
        let padded = ((size.width + 15) / 16 * 16) * ((size.height + 15) / 16 * 16)
        isSurelySmall = padded * 3 + 2_048 < limit
    }

    /// Whether probing can help: not when the first rung must fit anyhow.
    var needsSample: Bool { !isSurelySmall }

    /// Decides the next step from what is known.
    func next(hasSample: Bool) -> Step {
        guard hasSample else { return plainStep() }
        return anchor.map(stepFrom) ?? firstStep()
    }

    /// Notes the sample's size at `quality`; `scale` is how many times larger the frame is.
    mutating func probed(_ quality: Int, byteCount: Int, scale: Double) {
        probes[quality] = max(1, Double(byteCount - Self.headerByteCount)) * scale
    }

    /// Notes the frame's true size at `quality`.
    mutating func encoded(_ quality: Int, byteCount: Int) {
        sizes[quality] = byteCount
        anchor = qualities.firstIndex(of: quality)
        guard byteCount < limit else { return }
        best = Rung(quality: quality, file: spare)
        spare = 1 - spare
    }

    /// Markers and tables of a baseline 4:2:0 file with standard Huffman tables, as TurboJPEG writes them.
    private static let headerByteCount = 623

    /// Without a sample: one rung after the other from the top.
    private func plainStep() -> Step {
        if let best { return .found(best) }
        let next = anchor.map { $0 + 1 } ?? 0
        return next < qualities.count ? .encode(qualities[next]) : .nothingFits
    }

    /// Before the first encode: probes the top, where most frames fit, then about where the limit should lie, and
    /// from there rung by rung, until one that should fit and one that should not lie side by side.
    private func firstStep() -> Step {
        var low = 0
        var high = qualities.count
        var index = 0
        while low < high {
            guard let probe = probes[qualities[index]] else { return .probe(qualities[index]) }
            // Samples overestimate by a percent or five: a rung just above the limit is worth an encode.
            if probe + Double(Self.headerByteCount) < Double(limit) * Self.sampleTolerance {
                high = index
            } else {
                low = index + 1
            }
            if index == 0, low < high {
                index = (low..<high).first { probe * Self.typicalShares[$0] < Double(limit) } ?? high - 1
            } else {
                index = high < qualities.count ? high - 1 : low
            }
        }
        if low < qualities.count { return .encode(qualities[low]) }
        let last = qualities[qualities.count - 1]
        let isHopeless = (probes[last] ?? 0) >= Double(limit) * Self.blindMargin
        return isHopeless ? .nothingFits : .encode(last)
    }

    /// After an encode: up while a better rung may fit, down while none has.
    private func stepFrom(_ anchor: Int) -> Step {
        if let best, let index = qualities.firstIndex(of: best.quality) {
            guard index > 0, sizes[qualities[index - 1]] == nil else { return .found(best) }
            return tryRung(index - 1) ?? .found(best)
        }
        for index in (anchor + 1)..<max(anchor + 1, qualities.count) {
            if let step = tryRung(index) { return step }
        }
        return .nothingFits
    }

    /// The step that settles whether the rung at `index` fits; `nil` when it is predicted not to.
    private func tryRung(_ index: Int) -> Step? {
        let quality = qualities[index]
        guard let probe = probes[quality] else { return .probe(quality) }
        guard let anchor, let known = sizes[qualities[anchor]], let reference = probes[qualities[anchor]]
        else {
            return .encode(quality)
        }
        return Double(known) * probe / reference < Double(limit) * Self.margin ? .encode(quality) : nil
    }
}
