import Foundation
import HTTPTypes
import LensPage
import PageKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("Who may use the page", .simulated(seeds: 1...3))
struct PageAccessTests {
    @Test func `without the token there is nothing, not even a script`() async throws {
        let page = try await PageWorld.start()
        let wrong = "lens-8080=" + String(repeating: "0", count: 64)
        for path in ["/", "/main.js", "/frames", "/media/\(UUID())", "/nothing", "/?token=1"] {
            for cookie in ["", wrong, "lens-8081=\(page.token.text)", "lens-8080="] {
                #expect(try await page.status(page.request(path, cookie: cookie)) == 403, "\(path) \(cookie)")
            }
        }
        for cookie in ["", wrong] {
            let error = await #expect(throws: TransportError.self) {
                _ = try await page.connect(page.handshake(cookie: cookie))
            }
            #expect(error?.code == .upgradeRefused)
        }
    }

    @Test func `the address with the token gives a cookie that scripts cannot read, and leads to the page`()
        async throws
    {
        let page = try await PageWorld.start()
        let address = page.server.address(at: PageWorld.authority)
        let path = try #require(address.firstRange(of: "/?")).lowerBound
        let answer = try await page.pages.send(
            page.request(String(address[path...]), cookie: ""),
            body: .empty,
            timeout: .seconds(30)
        )
        let cookie = try #require(answer.head.headerFields[.setCookie])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        let text = String(decoding: try await answer.body.collect(upTo: 100_000), as: UTF8.self)
        #expect(!text.contains(page.token.text))
        let given = String(cookie.prefix { $0 != ";" })
        #expect(try await page.status(page.request("/", cookie: given)) == 200)
        #expect(try await page.status(page.request("/main.js", cookie: given)) == 200)
    }

    @Test
    func `the cookie alone is not enough for a page of another origin, or for another name of the host`()
        async throws
    {
        let page = try await PageWorld.start()
        // A name that somebody else resolves to this address.
        var rebound = page.request("/")
        rebound.authority = "phone.example:8080"
        #expect(await page.server.respond(to: rebound, body: .empty).head.status.code == 403)
        var bare = page.request("/")
        bare.authority = nil
        #expect(await page.server.respond(to: bare, body: .empty).head.status.code == 403)
        for origin in ["http://evil.example", "null", "http://phone:8081", "https://phone:8080"] {
            #expect(try await page.status(page.request("/secret", .post, origin: origin)) == 403, "\(origin)")
            let error = await #expect(throws: TransportError.self) {
                _ = try await page.connect(page.handshake(origin: origin))
            }
            #expect(error?.code == .upgradeRefused)
        }
        // Browsers always name the origin of these.
        #expect(try await page.status(page.request("/secret", .post)) == 403)
        await #expect(throws: TransportError.self) { _ = try await page.connect(page.handshake(origin: nil)) }
        for site in ["cross-site", "same-site"] {
            var request = page.request("/frames")
            request.headerFields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = site
            #expect(try await page.status(request) == 403)
        }
    }

    @Test func `answers stay out of caches, frames and other types`() async throws {
        let page = try await PageWorld.start()
        let answer = try await page.pages.send(page.request("/"), body: .empty, timeout: .seconds(30))
        let fields = answer.head.headerFields
        #expect(fields[.cacheControl] == "no-store")
        #expect(fields[.xContentTypeOptions] == "nosniff")
        let policy = try #require(fields[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        let html = String(decoding: try await answer.body.collect(upTo: 100_000), as: UTF8.self)
        #expect(!html.contains("style=") && !html.contains("onclick"))
    }

    @Test func `only pictures of the gallery and the conversation are served, by their names`() async throws {
        let page = try await PageWorld.start()
        for path in [
            "/media/../lens.sqlite", "/media/%2e%2e/lens.sqlite", "/media/", "/media/photo.jpg",
            "/pictures/\(UUID())",
            "/media/\(UUID())/x",
        ] { #expect(try await page.status(page.request(path)) == 404, "\(path)") }
    }

    @Test func `a token that could be guessed is none`() {
        #expect(PageToken("") == nil)
        #expect(PageToken(String(repeating: "a", count: 63)) == nil)
        #expect(PageToken(PageToken().text) != nil)
        #expect("\(PageToken())" == "<token>")
    }
}
