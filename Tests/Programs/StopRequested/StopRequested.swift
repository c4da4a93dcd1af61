import CommandKit
import Foundation

/// Asks itself to stop as soon as it can be asked, and prints a line once that is noticed.
@main struct StopRequested {
    static func main() async {
        let stop = StopRequest()
        kill(getpid(), SIGTERM)
        await stop.wait()
        print("noticed")
    }
}
