public import Foundation
public import Simulation

/// A failing run in a file: what decides it, what became of it, and everything that happened in it.
public struct FailureFile: Sendable, Codable {
    /// The version of the form; readers refuse others.
    public static let currentVersion = 4

    /// See ``currentVersion``.
    public var version = FailureFile.currentVersion
    /// The program's name.
    public var program: String
    /// How it failed; `nil` for a run that did not, which one may want to look at all the same.
    public var failure: Failure?
    /// The run that was found.
    public var recipe: Recipe
    /// The small run, if it was shrunk.
    public var shrunk: Shrinker.Result?
    /// In how many seeds the program fails like this; `nil` where that was not counted.
    public var rate: FailureRate?
    /// The two lines whose order decides whether the small run fails; `nil` where they are not known, and where the program
    /// fails in nearly every order.
    public var race: Race?
    /// Cancellations, steps of clocks and time-outs without which the small run passes.
    public var causes: [Cause] = []
    /// How likely the failure is from moments of the small run on; `nil` where nobody has looked.
    public var curve: FailureCurve?
    /// What happened in the small run, or else in the one that was found.
    public var trace: Trace
    /// The line that repeats the run that the trace shows, for a shell; `nil` where there is none.
    public var reproduction: String?

    /// Runs a recipe again and keeps everything.
    ///
    /// - Parameters:
    ///   - program: What is run.
    ///   - recipe: The run that was found.
    ///   - shrunk: The small run, if it was shrunk.
    ///   - rate: In how many seeds the program fails like this, if that was counted.
    public init(_ program: Program, recipe: Recipe, shrunk: Shrinker.Result? = nil, rate: FailureRate? = nil)
    {
        let run = program.run(shrunk?.shrunk ?? recipe, recording: .everything)
        self.program = program.name
        self.recipe = recipe
        self.shrunk = shrunk
        failure = run.failure
        trace = run.trace ?? Trace(nodes: [], steps: [], tasks: [], events: [])
        self.rate = failure == nil ? nil : rate
        if failure != nil { causes = program.causes(shown, in: trace) }
        if failure != nil, rate?.isNearlyAll != true { race = program.race(shown, in: trace) }
        reproduction = program.reproductionLine?(repeating)
    }

    /// Runs a recipe again, in a process of its own, which a crash or an exit may end, and keeps everything.
    ///
    /// This thread must be the only one that runs Swift code in this process meanwhile.
    public init(
        isolated program: Program,
        recipe: Recipe,
        shrunk: Shrinker.Result? = nil,
        rate: FailureRate? = nil
    ) throws(ForkError) {
        let run = try program.observeIsolated(
            shrunk?.shrunk ?? recipe,
            recording: .everything,
            namesTasks: false
        )
        self.program = program.name
        self.recipe = recipe
        self.shrunk = shrunk
        failure = run.failure
        trace = run.trace ?? Trace(nodes: [], steps: [], tasks: [], events: [])
        self.rate = failure == nil ? nil : rate
        reproduction = program.reproductionLine?(repeating)
    }

    /// The recipe of the run that the trace shows.
    public var shown: Recipe { shrunk?.shrunk ?? recipe }

    /// The shortest recipe of that run: the one that was found, where there was nothing to leave out.
    public var repeating: Recipe {
        guard let shrunk, shrunk.hasChoices else { return recipe }
        return shrunk.shrunk
    }

    /// Where tests and commands write the failure of a seed, in the folder in which they run.
    package static func path(of program: String, seed: UInt64) -> String {
        let name = String(program.map { $0.isLetter || $0.isNumber ? $0 : "-" })
        // Names of files have 255 bytes at most; a character that is cut becomes a replacement.
        return "\(folder)/\(String(decoding: name.utf8.suffix(160), as: UTF8.self))-\(seed).json"
    }

    /// The folder of failures.
    package static let folder = ".lenssim/failures"

    /// The bytes of the file; equal failures have equal ones.
    public func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Writes the file, and the folders to it.
    ///
    /// - Throws: ``FailureFileError/unwritable(path:reason:)``.
    public func write(to path: String) throws(FailureFileError) {
        do {
            let url = URL(filePath: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try encoded().write(to: url, options: .atomic)
        } catch {
            throw .unwritable(path: path, reason: error.localizedDescription)
        }
    }

    /// Reads a file.
    ///
    /// - Throws: ``FailureFileError``.
    public init(path: String) throws(FailureFileError) {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw FileManager.default.fileExists(atPath: path)
                ? .unreadable(path: path, reason: error.localizedDescription) : .missing(path: path)
        }
        struct Head: Decodable { var version: Int }
        let decoder = JSONDecoder()
        guard let head = try? decoder.decode(Head.self, from: data) else { throw .notAFailure(path: path) }
        guard head.version == Self.currentVersion else {
            throw .otherVersion(path: path, version: head.version)
        }
        do { self = try decoder.decode(FailureFile.self, from: data) } catch {
            throw .notAFailure(path: path)
        }
    }
}

/// Why a file with a failing run cannot be used.
public enum FailureFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such file.
    case missing(path: String)
    /// It cannot be read.
    case unreadable(path: String, reason: String)
    /// It is something else, or damaged.
    case notAFailure(path: String)
    /// It is of another version of this program.
    case otherVersion(path: String, version: Int)
    /// It cannot be written.
    case unwritable(path: String, reason: String)

    /// What was tried, on what, and what to do.
    public var description: String {
        switch self {
        case .missing(let path): "there is no file \(path)"
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .notAFailure(let path): "\(path) is not a failure as lenssim explore writes it, or it is damaged"
        case .otherVersion(let path, let version):
            "\(path) is of form \(version), and this lenssim reads form \(FailureFile.currentVersion): find the failure "
                + "again with lenssim explore"
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
        }
    }
}
