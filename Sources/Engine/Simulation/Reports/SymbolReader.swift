import CSimulation

/// Finds symbols: by the toolchain's tool, or else in this process.
package struct SymbolReader {
    /// Where the tool is looked for.
    private let paths: [String]
    package private(set) var symbolizer: Symbolizer?
    /// Whether there is no tool to start.
    private var isMissing = false
    /// How often the tool has ended or fallen silent.
    private var failures = 0

    /// A reader that has not looked for the tool yet.
    package init(paths: [String] = Symbolizer.paths()) { self.paths = paths }

    /// The functions at return addresses, innermost first; empty where nothing is known.
    package mutating func symbols(of addresses: [UInt]) -> [UInt: [Symbol]] {
        var found: [UInt: [Symbol]] = [:]
        var left: [UInt] = []
        for address in addresses {
            guard let place = Place(returning: address) else {
                found[address] = []
                continue
            }
            if let raw = askBeginning(place) {
                found[address] = raw.map { Symbol($0, isOwnImage: place.isOwnImage) }
            } else {
                left.append(address)
                found[address] = []
            }
        }
        for (address, raw) in left.isEmpty ? [] : readOwnSymbols(of: left) {
            let isOwnImage = Place(returning: address)?.isOwnImage ?? false
            found[address, default: []].append(Symbol(raw, isOwnImage: isOwnImage))
        }
        return found
    }

    /// What the tool says; of a function that goes on after an `await`, the first line that its code has.
    ///
    /// The optimizer often leaves the first instructions of such a function without a line.
    private mutating func askBeginning(_ place: Place) -> [RawSymbol]? {
        let found = ask(place)
        guard place.isOwnImage, let found, let function = found.last, function.goesOn,
            found.allSatisfy({ $0.line == 0 })
        else { return found }
        let reach: UInt = 96  // bytes
        var later = place
        while later.offset - place.offset < reach {
            later.offset += 4
            guard let next = ask(later), next.last?.name == function.name else { break }
            if next.contains(where: { $0.line > 0 }) { return next }
        }
        return found
    }

    /// What the tool says; `nil` where there is none.
    private mutating func ask(_ place: Place) -> [RawSymbol]? {
        // A quotation mark would end the path in the question.
        guard !place.path.contains("\"") else { return nil }
        let attempts = 2
        while failures < attempts {
            guard start() else { return nil }
            if let places = symbolizer?.places(at: place.offset, in: place.path) { return places }
            failures += 1
            symbolizer = nil
        }
        return nil
    }

    /// Makes sure that the tool runs; false where there is none.
    private mutating func start() -> Bool {
        if symbolizer?.isRunning == true { return true }
        if isMissing { return false }
        symbolizer = Symbolizer(paths: paths)
        if symbolizer?.isRunning == true { return true }
        isMissing = true
        let message = """
            LensSim: there is no llvm-symbolizer beside the toolchain or in PATH, so this process reads its debug \
            information itself, which takes seconds. \(Symbolizer.variable) can name the tool.

            """
        unsafe message.withCString { unsafe csim_write_error($0) }
        return false
    }
}

/// An address of code in the file that it was loaded from.
private struct Place {
    var path: String
    var offset: UInt
    /// Whether that is the program's, or the one that the engine lies in.
    var isOwnImage: Bool

    init?(returning address: UInt) {
        var image = unsafe csim_image()
        let isFound = unsafe csim_find_image(address &- 1, &image)
        guard isFound, let path = unsafe image.path else { return nil }
        self.path = unsafe String(cString: path)
        offset = unsafe address &- 1 &- image.bias
        isOwnImage = unsafe UnsafeRawPointer(bitPattern: address).map { unsafe csim_is_own_code($0) } ?? false
    }
}
