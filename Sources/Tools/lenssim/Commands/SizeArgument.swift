import ArgumentParser
import Services

/// A picture size as one types it: `640x360`.
struct SizeArgument: ExpressibleByArgument {
    let size: PixelSize

    init(_ size: PixelSize) { self.size = size }

    init?(argument: String) {
        let parts = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], (160...7680).contains(width),
            (90...4320).contains(height)
        else { return nil }
        size = PixelSize(width: width, height: height)
    }

    var defaultValueDescription: String { "\(size.width)x\(size.height)" }
}
