import Testing
import WebDAVStorage

/// What the suite cannot see: lists that a server may send.
@Suite("Lists of folders")
struct FolderListTests {
    private func list(_ entries: String, of folder: String = "/dav/") throws -> [FolderList.Entry] {
        let document = "<d:multistatus xmlns:d='DAV:'>\(entries)</d:multistatus>"
        return try FolderList(reading: Array(document.utf8), of: folder).entries
    }

    private func file(_ href: String, _ properties: String = "<d:getcontentlength>3</d:getcontentlength>")
        -> String
    {
        "<d:response><d:href>\(href)</d:href><d:propstat><d:prop>\(properties)</d:prop>"
            + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    }

    @Test(
        "an entry is what its address says",
        arguments: [
            ("/dav/a.jpg", "a.jpg"), ("http://h:80/dav/a.jpg", "a.jpg"), ("/dav/a%2Fb", "a/b"),
            ("/dav/%c3%a4%20%26", "ä &"), ("/dav/a%252E", "a%2E"), ("/dav/..", ".."), ("/%64av/a", "a"),
        ]
    )
    func names(_ href: String, _ name: String) throws {
        #expect(try list(file("/dav/") + file(href)).map(\.name) == ["", name].filter { !$0.isEmpty })
    }

    @Test func `sizes, tags and kinds are read, and what the server could not look at is left out`() throws {
        let entries = try list(
            file("/dav/a", "<d:getcontentlength>7</d:getcontentlength><d:getetag>\"x\"</d:getetag>")
                + file("/dav/b/", "<d:resourcetype><d:collection/></d:resourcetype>")
                + "<d:response><d:href>/dav/c</d:href><d:status>HTTP/1.1 403 Forbidden</d:status></d:response>"
        )
        #expect(entries.map(\.name) == ["a", "b"])
        #expect(entries.map(\.isFolder) == [false, true])
        #expect(entries.map(\.size) == [7, 0] && entries.map(\.tag) == ["\"x\"", ""])
    }

    @Test(
        "a list of something else is refused",
        arguments: [
            "/other/a", "/dav", "/dav/a/b", "/", "", "/dav/%zz", "/dav/%c3", "http://dav",
        ]
    )
    func otherFolders(href: String) throws {
        #expect(throws: FolderList.Damage.self) { try list(file(href), of: "/dav/deep/") }
    }

    @Test(
        "a file without a length that could be is refused",
        arguments: ["", "-1", "many", "99999999999999999999"]
    )
    func lengths(text: String) throws {
        let property = "<d:getcontentlength>\(text)</d:getcontentlength>"
        #expect(throws: FolderList.Damage.self) { try list(file("/dav/a", property)) }
    }

    @Test(
        "what is no list is refused",
        arguments: [
            "", "<html></html>", "<multistatus>", "no",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><multistatus>&b;</multistatus>",
            "<multistatus>\(String(repeating: "<a>", count: 9))</multistatus>",
        ]
    )
    func others(text: String) {
        #expect(throws: FolderList.Damage.self) { try FolderList(reading: Array(text.utf8), of: "/dav/") }
    }
}
