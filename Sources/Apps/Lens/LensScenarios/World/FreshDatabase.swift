import AppKernel
import Lens

/// The database of an app that was never launched.
enum FreshDatabase {
    /// Made once in a process: every phone whose database lies in memory begins with a copy.
    static let image = Result { () throws(DatabaseFailure) in
        let database = try AppDatabase(path: ":memory:")
        try LensApp.makeTables(in: database)
        let image = try database.image()
        try database.close()
        return image
    }
}
