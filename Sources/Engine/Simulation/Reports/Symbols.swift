import CSimulation
import Glibc
import Synchronization

/// The functions at return addresses, with those inlined there, innermost first.
///
/// The address behind the first byte of a function stands for its beginning, as a function that goes on after an `await`.
/// The toolchain's `llvm-symbolizer` is asked where there is one; otherwise this process reads its debug information, which
/// takes seconds for a large program. Each answer is remembered for the life of the process, because a search for a smaller
/// failure fails a thousand times at one place.
package func symbols(of addresses: [UInt]) -> [UInt: [Symbol]] {
    // Files, pipes and time are real here, whoever asks.
    let world = unsafe csim_set_current(nil)
    defer { unsafe csim_set_current(world) }
    return knownSymbols.withLock { known in
        known.readShared()
        let wanted = Set(addresses).filter { known.symbols[$0] == nil }.sorted()
        if !wanted.isEmpty { known.add(known.reader.symbols(of: wanted)) }
        return Dictionary(uniqueKeysWithValues: Set(addresses).map { ($0, known.symbols[$0] ?? []) })
    }
}

/// Lets this process and all that are forked from it read each symbol once.
///
/// Forked processes have their images at the same addresses. Without this every one of them would search the debug
/// information again for its report. To be called before the first fork; a second call does nothing.
package func shareSymbolsWithForks() { knownSymbols.withLock { $0.share() } }

private let knownSymbols = Mutex(KnownSymbols())

/// Symbols by their addresses, and the file in memory by which forked processes share them.
private struct KnownSymbols {
    var symbols: [UInt: [Symbol]] = [:]
    var reader = SymbolReader()
    private var file: Int32 = -1
    /// How much of the file has been read.
    private var offset: off_t = 0

    mutating func share() {
        guard file < 0 else { return }
        // Each line is written by one call, which the kernel keeps whole.
        file = csim_shared_file()
        guard file >= 0 else { return }
        let known = symbols
        symbols = [:]
        add(known)
    }

    mutating func add(_ found: [UInt: [Symbol]]) {
        symbols.merge(found) { old, _ in old }
        guard file >= 0 else { return }
        for (address, symbols) in found {
            let fields =
                [String(address)]
                + symbols.flatMap {
                    [$0.frame.function, $0.frame.file ?? "", String($0.frame.line), $0.origin.rawValue]
                }
            let line = Array((fields.joined(separator: String(Self.separator)) + "\n").utf8)
            _ = unsafe write(file, line, line.count)
        }
    }

    /// Takes what other processes have found since.
    mutating func readShared() {
        guard file >= 0 else { return }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe pread(file, &buffer, buffer.count, offset + off_t(text.count))
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return }
        offset += off_t(end + 1)
        for line in text[..<end].split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line, as: UTF8.self)
            let fields = text.split(separator: Self.separator, omittingEmptySubsequences: false).map(
                String.init
            )
            guard let address = UInt(fields[0]), symbols[address] == nil else { continue }
            symbols[address] = Self.symbols(Array(fields.dropFirst()))
        }
    }

    private static func symbols(_ fields: [String]) -> [Symbol] {
        stride(from: 0, to: fields.count - 3, by: 4).compactMap { first in
            guard let origin = Symbol.Origin(rawValue: fields[first + 3]) else { return nil }
            let file: String? = fields[first + 1].isEmpty ? nil : fields[first + 1]
            let frame = SourceFrame(function: fields[first], file: file, line: Int(fields[first + 2]) ?? 0)
            return Symbol(frame: frame, origin: origin)
        }
    }

    /// ASCII's unit separator, which no name has.
    private static let separator: Character = "\u{1F}"
}
