import ArgumentParser
import Services

/// A picture size as one types it: `640x360`.
struct SizeArgument: ExpressibleByArgument {
    let size: PixelSize

    init(_ size: PixelSize) { self.size = size }

    init?(argument: String) {
        let parts = argument.split(separator: "x").compactMap { Int($0) }
        guard parts.count == 2, (160...7680).contains(parts[0]), (90...4320).contains(parts[1]) else {
            return nil
        }
        size = PixelSize(width: parts[0], height: parts[1])
    }

    var defaultValueDescription: String { "\(size.width)x\(size.height)" }
}
