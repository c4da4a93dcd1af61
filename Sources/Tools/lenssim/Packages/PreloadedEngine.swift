import Foundation

/// The engine as a library that LD_PRELOAD brings into test programs which were built without it.
enum PreloadedEngine {
    private static let name = "libLensSimPreload.so"

    /// The variables of the environment with which all tests of a program are simulated.
    ///
    /// - Throws: ``PackageError/noEngine(library:)``.
    static func variables(for program: String) throws -> [String: String] {
        let variable = "LENSSIM_ALL"
        // A program that was linked with the engine has the name in it, and would get another one.
        let bytes = try Data(contentsOf: URL(filePath: program), options: .mappedIfSafe)
        if bytes.range(of: Data(variable.utf8)) != nil { return [variable: "1"] }
        // It lies beside lenssim, in the folder of the build.
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let library = URL(filePath: path).deletingLastPathComponent().appending(path: name).path
        guard FileManager.default.fileExists(atPath: library) else {
            throw PackageError.noEngine(library: library)
        }
        return [variable: "1", "LD_PRELOAD": library]
    }
}
