import ArgumentParser

/// What `--store` of a demonstration takes.
enum DemoStoreArgument: ExpressibleByArgument, CustomStringConvertible, Hashable {
    case supabase, s3
    /// A folder of this machine; `nil` for one in the state folder.
    case folder(String?)

    init?(argument: String) {
        switch argument {
        case "supabase": self = .supabase
        case "s3": self = .s3
        case "folder": self = .folder(nil)
        default:
            guard argument.hasPrefix("folder:"), argument.count > "folder:".count else { return nil }
            self = .folder(String(argument.dropFirst("folder:".count)))
        }
    }

    static let allValueStrings = ["folder[:PATH]", "s3", "supabase"]

    var defaultValueDescription: String { description }

    var description: String {
        switch self {
        case .supabase: "supabase"
        case .s3: "s3"
        case .folder(let path): path.map { "folder:\($0)" } ?? "folder"
        }
    }
}
