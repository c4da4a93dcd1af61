import CSimulation
import Glibc

/// What the debug information, or else the table of symbols, says of an address.
package struct RawSymbol: Sendable, Hashable {
    /// The linkage name.
    package var name: String
    /// The file's path; `nil` when it is not known.
    package var file: String?
    /// The line; 0 where the compiler made the code up.
    package var line: Int

    /// Whether it is the part of an async function that runs after an `await`: its name ends in `TQ` or `TY`, a number, and
    /// an underscore (docs/ABI/Mangling.rst of Swift).
    var goesOn: Bool {
        guard name.hasSuffix("_") else { return false }
        let stem = name.dropLast().reversed().drop { $0.isNumber }
        return stem.starts(with: "QT") || stem.starts(with: "YT")
    }

    /// The name as crash reports show it.
    var demangled: String {
        guard let text = unsafe csim_demangle(name) else { return name }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}

/// A function at an address, and whose it is.
package struct Symbol: Sendable, Hashable {
    /// Whose code it is.
    package enum Origin: String, Sendable {
        /// Code of the program, with its line.
        case program = "p"
        /// Code of the program's file without a line: the compiler's, or of a program without debug information.
        case lineless = "n"
        case engine = "e"
        /// A library of the system or of the toolchain.
        case library = "l"
        /// Where the runtime or the engine begins a step: callers further out run the simulation, not the task.
        case loop = "r"
    }

    package var frame: SourceFrame
    package var origin: Origin

    init(frame: SourceFrame, origin: Origin) {
        self.frame = frame
        self.origin = origin
    }

    /// - Parameter isOwnImage: Whether the code lies in the file that the engine was linked into.
    init(_ raw: RawSymbol, isOwnImage: Bool) {
        // The table of symbols knows object files, which are no places.
        let file = raw.line > 0 ? raw.file : nil
        frame = SourceFrame(function: raw.demangled, file: file, line: raw.line)
        origin = Self.origin(of: raw, isOwnImage: isOwnImage)
    }

    private static func origin(of raw: RawSymbol, isOwnImage: Bool) -> Origin {
        if loops.contains(where: raw.name.hasPrefix) { return .loop }
        if raw.name.hasPrefix("csim_") { return .engine }
        guard raw.line > 0, let file = raw.file else {
            guard isOwnImage else { return .library }
            return engineNames.contains(where: raw.name.hasPrefix) ? .engine : .lineless
        }
        if engineFolders.contains(where: file.hasPrefix) { return .engine }
        // What a macro expands to has lines of a file that nobody has.
        return file.contains("@__swiftmacro_") ? .lineless : .program
    }

    /// `Sources/Engine/` and the simulated network, as the compiler has written them into the debug information.
    private static let engineFolders: [String] = {
        let here = #filePath
        guard let end = here.ranges(of: "Engine/Simulation/Reports/").last?.lowerBound else { return [here] }
        return ["Engine/", "Network/SimulatedTransport/"].map { here[..<end] + $0 }
    }()

    /// The beginnings of steps: the runtime's, by linkage name, and the engine's.
    private static let loops = [
        "_ZN5swift34runJobInEstablishedExecutorContext", "swift_job_run", "csim_run", "run_item",
    ]

    /// How names of the engine begin, for a program without debug information.
    private static let engineNames = ["csim_", "$s10Simulation", "$s17SimulationTesting", "$s11Exploration"]
}

extension SourceFrame {
    /// The frames that are the program's own, innermost first: without the engine, the Swift runtime and libraries.
    ///
    /// Where the program has no debug information, its functions without their lines.
    static func user(_ addresses: [UInt]) -> [SourceFrame] { user(stack(of: addresses)) }

    static func user(_ stack: [Symbol]) -> [SourceFrame] {
        let placed = stack.filter { $0.origin == .program }
        return (placed.isEmpty ? stack.filter { $0.origin == .lineless && !$0.isThunk } : placed).map(\.frame)
    }

    /// The functions of a call stack, up to where the runtime began the step.
    static func stack(of addresses: [UInt]) -> [Symbol] {
        let symbols = symbols(of: addresses)
        return Array(addresses.flatMap { symbols[$0] ?? [] }.prefix { $0.origin != .loop })
    }
}

extension Symbol {
    /// Whether the compiler made the function.
    var isThunk: Bool {
        let name = frame.function
        return name.isEmpty || name.contains("thunk for ")
            || ["partial apply ", "protocol witness ", "merged ", "outlined "].contains(where: name.hasPrefix)
    }
}
