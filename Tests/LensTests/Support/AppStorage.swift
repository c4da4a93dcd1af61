import Files
import ScenarioKit
import SimulatedDisk
import Simulation
import TestSupport

/// Where the app of a test keeps its files: the disk of a simulated phone or, where no simulation runs, a folder of this machine.
enum AppStorage: Sendable {
    case disk(SimulatedDisk)
    case folder(TemporaryFolder)

    /// An empty one.
    init() throws {
        if let simulation = Simulation.current {
            // A node has one disk, and a test may have several phones.
            self = .disk(SimulatedDisk(node: simulation.node("phone \(simulation.nodeNames.count)")))
        } else {
            self = .folder(try TemporaryFolder())
        }
    }

    var files: any PrivateFileSystem {
        switch self {
        case .disk(let disk): SimulatedFiles(disk: disk)
        case .folder: SystemFiles()
        }
    }

    /// The path of a file or folder of that name.
    func path(_ name: String) -> String {
        switch self {
        case .disk: "/phone/\(name)"
        case .folder(let folder): folder.file(name)
        }
    }

    /// The path under which SQLite opens a database of that name.
    func database(_ name: String) -> String {
        switch self {
        case .disk(let disk): disk.databasePath(name)
        case .folder(let folder): folder.file(name)
        }
    }
}
