import JPEG
import Services

/// Reads the pictures of an input one by one and leaves out those that turn out damaged.
final class Player {
    private(set) var input: ImageInput
    private let decoder: JPEGDecoder
    /// What is known of each entry that was read: its size, or that it is of no use.
    private var verdicts: [Int: Verdict] = [:]
    private var file: ByteFile?

    private enum Verdict {
        case usable(PixelSize)
        case useless
    }

    init(_ input: ImageInput) throws(ImageInputError) {
        self.input = input
        do throws(JPEGError) {
            decoder = try JPEGDecoder(limits: input.limits.picture)
        } catch {
            throw .unreadable(path: input.path, reason: error.description)
        }
    }

    /// The picture that is due as the `number`-th, counted in a loop; the next usable one in place of a damaged one,
    /// `nil` when none is left.
    func picture(_ number: Int) -> (file: [UInt8], size: PixelSize)? {
        for step in 0..<input.count {
            let index = (number + step) % input.count
            if let picture = read(index) { return picture }
        }
        return nil
    }

    private func read(_ index: Int) -> (file: [UInt8], size: PixelSize)? {
        if case .useless = verdicts[index] { return nil }
        let entry = input.entries[index]
        do throws(ImageInputError) {
            if file?.path != entry.path { file = try ByteFile(path: entry.path) }
            let bytes = try file?.read(entry.count, at: entry.offset) ?? []
            // A file may have been cut or replaced by another since it was listed.
            guard bytes.count == entry.count else {
                return reject(index, .jpeg(.truncated(byteCount: bytes.count)))
            }
            if case .usable(let size) = verdicts[index] { return (bytes, size) }
            return judge(bytes, index)
        } catch {
            return reject(index, .unreadable(error.description))
        }
    }

    private func judge(_ bytes: [UInt8], _ index: Int) -> (file: [UInt8], size: PixelSize)? {
        do throws(JPEGError) {
            let size = try decoder.decode(bytes).size
            verdicts[index] = .usable(size)
            return (bytes, size)
        } catch {
            return reject(index, .jpeg(error))
        }
    }

    private func reject(_ index: Int, _ reason: RejectedFile.Reason) -> (file: [UInt8], size: PixelSize)? {
        verdicts[index] = .useless
        input.reject(input.entries[index].name, reason)
        return nil
    }
}
