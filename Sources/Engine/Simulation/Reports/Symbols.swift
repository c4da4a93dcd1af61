import CSimulation
import Glibc
import Synchronization

/// Names and source lines of return addresses, read from the program's debug information; those of functions inlined at
/// an address come with it, innermost first.
///
/// A first look takes from tens of milliseconds to seconds, since the debug information of a whole image is searched; it
/// is remembered for the life of the process, because a search for a smaller failure fails a thousand times at one place.
func symbols(of addresses: [UInt]) -> [UInt: [SourceFrame]] {
    knownSymbols.withLock { known in
        known.readShared()
        let wanted = Set(addresses).filter { known.frames[$0] == nil }.sorted()
        if !wanted.isEmpty {
            var found: [UInt: [SourceFrame]] = [:]
            for address in wanted { found[address] = [] }
            for (address, frame) in readSymbols(of: wanted) { found[address, default: []].append(frame) }
            known.add(found)
        }
        return Dictionary(uniqueKeysWithValues: Set(addresses).map { ($0, known.frames[$0] ?? []) })
    }
}

/// Lets this process and all that are forked from it read each symbol once.
///
/// Forked processes have their images at the same addresses. Without this every one of them would search the debug
/// information anew for its report. To be called before the first fork; a second call does nothing.
package func shareSymbolsWithForks() { knownSymbols.withLock { $0.share() } }

private let knownSymbols = Mutex(KnownSymbols())

/// Frames by their addresses, and the file in memory by which forked processes tell each other.
private struct KnownSymbols {
    var frames: [UInt: [SourceFrame]] = [:]
    private var file: Int32 = -1
    /// How much of the file has been read.
    private var offset: off_t = 0

    mutating func share() {
        guard file < 0 else { return }
        // Each line is written by one call, which the kernel keeps whole.
        file = csim_shared_file()
        guard file >= 0 else { return }
        let known = frames
        frames = [:]
        add(known)
    }

    mutating func add(_ found: [UInt: [SourceFrame]]) {
        frames.merge(found) { old, _ in old }
        guard file >= 0 else { return }
        for (address, frames) in found {
            let fields = [String(address)] + frames.flatMap { [$0.function, $0.file ?? "", String($0.line)] }
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
            guard let address = UInt(fields[0]), frames[address] == nil else { continue }
            frames[address] = Self.frames(Array(fields.dropFirst()))
        }
    }

    private static func frames(_ fields: [String]) -> [SourceFrame] {
        var frames: [SourceFrame] = []
        var rest = fields[...]
        while rest.count >= 3 {
            let three = Array(rest.prefix(3))
            rest = rest.dropFirst(3)
            let file: String? = three[1].isEmpty ? nil : three[1]
            frames.append(SourceFrame(function: three[0], file: file, line: Int(three[2]) ?? 0))
        }
        return frames
    }

    /// ASCII's unit separator, which no name has.
    private static let separator: Character = "\u{1F}"
}
