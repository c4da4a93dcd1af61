import ArgumentParser
import Foundation
import LensScenarios
import Services
import SupabaseStorage

/// What `--store` takes.
enum StoreArgument: ExpressibleByArgument, CustomStringConvertible {
    /// A simulated Supabase that keeps its objects in a folder; `nil` for one in the app's own.
    case simulated(path: String?)
    /// A Supabase project.
    case project(String)
    /// The project of an earlier run, as the secret store has it.
    case kept

    init?(argument: String) {
        if argument == "simulated" {
            self = .simulated(path: nil)
        } else if argument == "kept" {
            self = .kept
        } else if argument.hasPrefix("folder:"), argument.count > "folder:".count {
            self = .simulated(path: String(argument.dropFirst("folder:".count)))
        } else if let url = URL(string: argument), ["http", "https"].contains(url.scheme),
            url.host()?.isEmpty == false, url.user() == nil
        {
            self = .project(argument)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { description }

    /// Without the place on this machine.
    var description: String {
        switch self {
        case .simulated: "simulated"
        case .kept: "kept"
        case .project(let address): address
        }
    }

    var isSimulated: Bool { if case .simulated = self { true } else { false } }
    var address: String? { if case .project(let address) = self { address } else { nil } }

    /// Keeps address and key of a given project, from where the app reads them before each request; what is kept of another one goes.
    ///
    /// - Throws: `SecretStoreError`.
    func keep(_ key: Secret?, in secrets: any SecretStore) throws {
        guard let address else { return }
        try secrets.set(Secret(address), named: SupabaseConfiguration.projectURLName)
        try secrets.set(key, named: SupabaseConfiguration.keyName)
    }

    /// Which store it is, the same at every start.
    ///
    /// - Throws: `SecretStoreError` where what is kept cannot be read.
    func identity(in secrets: any SecretStore) throws -> String {
        switch self {
        case .simulated(nil): LensAddresses.simulatedStore
        case .simulated(let path?): "folder:" + URL(filePath: Self.expanded(path)).standardized.path
        case .project(let address): LensStore.supabase(address: address, key: nil).identity
        case .kept: LensStore.supabase(address: try address(in: secrets) ?? "", key: nil).identity
        }
    }

    /// The address of a project that is given or kept; `nil` where there is none.
    ///
    /// - Throws: `SecretStoreError` where what is kept cannot be read.
    func address(in secrets: any SecretStore) throws -> String? {
        guard case .kept = self else { return address }
        return try secrets.secret(named: SupabaseConfiguration.projectURLName)?.reveal()
    }

    /// Where a simulated store keeps its objects; the folder is made.
    func folder(or own: String) throws -> String? {
        guard case .simulated(let path) = self else { return nil }
        let place = path.map(Self.expanded) ?? own
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        return place
    }

    private static func expanded(_ path: String) -> String { NSString(string: path).expandingTildeInPath }
}
