import Files
import Foundation
import TestSupport
import Testing

// The example of Files.docc, word for word.
func keep(_ bytes: [UInt8], as name: String, in folder: FileFolder) throws(FileFailure) {
    try folder.create()
    try folder.create(name, bytes: bytes)
}

@Test func `a file is kept whole`() throws {
    let temporary = try TemporaryFolder()
    let folder = FileFolder(path: temporary.path + "/notes")
    try keep([1, 2, 3], as: "a.bin", in: folder)
    #expect(try folder.read("a.bin", upTo: 10) == [1, 2, 3])
}
