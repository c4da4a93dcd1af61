import Exploration
import Foundation
import Simulation
import Testing

@Suite("Failure files")
struct FailureFileTests {
    @Test func `a failure file of another version is refused by its number`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = FailureFile(Programs.faulty, recipe: Recipe(seed: 1))
        file.version = FailureFile.currentVersion + 1
        try file.write(to: path)
        #expect(throws: FailureFileError.otherVersion(path: path, version: file.version)) {
            try FailureFile(path: path)
        }
        file.version = FailureFile.currentVersion
        try file.write(to: path)
        #expect(try FailureFile(path: path).recipe == Recipe(seed: 1))
    }
}
