import CSimulation
import Glibc

/// The toolchain's `llvm-symbolizer`, kept running and asked for one address at a time.
///
/// Begins to answer in a fifth of a second for a program of a hundred megabytes, and then takes microseconds.
package final class Symbolizer {
    private let tool: csim_symbolizer
    /// Who started it: a forked process has a copy of the channel, whose answers are its parent's.
    private let owner = getpid()

    /// Starts the first tool that is there; `nil` when there is none.
    package init?(paths: [String] = Symbolizer.paths()) {
        var started = csim_symbolizer(process: -1, channel: -1)
        for path in paths where unsafe started.process < 0 && access(path, X_OK) == 0 {
            started = unsafe csim_start_symbolizer(path)
        }
        guard started.process > 0 else { return nil }
        tool = started
    }

    /// The tool's process.
    package var process: Int32 { tool.process }

    deinit { csim_end_symbolizer(tool, isOurs) }

    /// Whether this process has started it.
    package var isOurs: Bool { owner == getpid() }

    /// Whether it still runs for this process; the program ends it where it waits for any child.
    package var isRunning: Bool { isOurs && csim_runs_symbolizer(tool) }

    /// The functions at an address of an image's file, innermost first; `nil` when the tool does not answer.
    package func places(at address: UInt, in path: String) -> [RawSymbol]? {
        let question = "CODE \"\(path)\" 0x\(String(address, radix: 16))\n"
        let longest = 1 << 20
        let patience: Int32 = 30_000  // ms; for the first answer it reads the tables of the image
        let answer = unsafe [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            let length = unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
                guard let start = buffer.baseAddress else { return Int64(0) }
                return unsafe csim_ask_symbolizer(tool, question, start, longest, patience)
            }
            count = Int(max(0, length))
        }
        return answer.isEmpty ? nil : Self.parse(String(decoding: answer, as: UTF8.self))
    }

    /// Reads pairs of lines: a name, and a file with line and column.
    package static func parse(_ answer: String) -> [RawSymbol] {
        let lines = answer.split(separator: "\n")
        return stride(from: 0, to: lines.count - 1, by: 2).compactMap { index in
            guard lines[index] != "??" else { return nil }
            let place = lines[index + 1].split(separator: ":", omittingEmptySubsequences: false)
            let file = place.dropLast(2).joined(separator: ":")
            let line = place.dropLast().last.flatMap { Int($0) } ?? 0
            return RawSymbol(name: String(lines[index]), file: file == "??" ? nil : file, line: line)
        }
    }

    // MARK: Where it is

    /// The variable that names the tool, or a file that is not there for none.
    package static let variable = "LENSSIM_SYMBOLIZER"

    /// Where the tool may be: of the toolchain whose runtime is loaded, of the one whose `swift` is called, or any.
    package static func paths() -> [String] {
        if let path = unsafe getenv(variable) { return [unsafe String(cString: path)] }
        let search = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        let folders = search.split(separator: ":").map(String.init)
        let compilers = folders.compactMap { realPath("\($0)/swift") }.map(folder(of:))
        return (runtimeToolchain().map { [$0] } ?? []).map { "\($0)/usr/bin/llvm-symbolizer" }
            + (compilers + folders).map { "\($0)/llvm-symbolizer" }
    }

    /// The folder above `usr/lib/swift/linux/libswiftCore.so`.
    private static func runtimeToolchain() -> String? {
        var image = unsafe csim_image()
        let isFound = unsafe csim_find_image(csim_runtime_function(), &image)
        guard isFound, let path = unsafe image.path else { return nil }
        guard let library = unsafe realPath(String(cString: path)),
            let end = library.ranges(of: "/usr/lib/swift/").last
        else {
            return nil
        }
        return String(library[..<end.lowerBound])
    }

    private static func realPath(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
