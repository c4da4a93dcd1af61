import PeerKit
import Simulation
import Testing

@Suite("PeerKit: records")
struct RecordTests {
    @Test func `a log keeps the newest entries`() {
        var log = BoundedLog<Int>(capacity: 3)
        for number in 0..<3 {
            #expect(log.leaving == nil)
            log.append(number)
        }
        #expect(log.entries == [0, 1, 2])
        for number in 3..<8 {
            #expect(log.leaving == number - 3)
            log.append(number)
        }
        #expect(log.entries == [5, 6, 7])
    }

    @Test func `a map holds what a dictionary holds, in order`() {
        var random = EntropyStream(seed: 21, label: "map")
        var (map, model) = (KeyMap<Int>(), [String: Int]())
        // Grows to several runs, shrinks to nothing, and grows again.
        for (steps, growth) in [(6000, 9), (9000, 1), (3000, 6)] {
            for step in 0..<steps {
                let key = "k\(Int.random(in: 0..<4000, using: &random))"
                if Int.random(in: 0..<10, using: &random) < growth {
                    (map[key], model[key]) = (step, step)
                } else {
                    let old = growth == 1 ? model.keys.randomElement(using: &random) ?? key : key
                    (map[old], model[old]) = (nil, nil)
                }
                guard step.isMultiple(of: 500) || step == steps - 1 else { continue }
                #expect(elements(map) == model.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                #expect(map.isEmpty == model.isEmpty)
                #expect(map[key] == model[key])
                let rest = model.filter { $0.key >= key }.sorted { $0.key < $1.key }
                #expect(elements(map, from: key) == rest.map { "\($0.key)=\($0.value)" })
            }
        }
    }

    @Test func `a map is read no further than wanted`() {
        var map = KeyMap<Int>()
        for number in 0..<1000 { map["\(1000 + number)"] = number }
        var seen = 0
        map.forEach(from: "1500") { _ in
            seen += 1
            return seen < 300
        }
        #expect(seen == 300)
        #expect(elements(map, from: "2000").isEmpty && elements(KeyMap<Int>()).isEmpty)
    }

    private func elements(_ map: KeyMap<Int>, from key: String = "") -> [String] {
        var elements: [String] = []
        map.forEach(from: key) { element in
            elements.append("\(element.key)=\(element.value)")
            return true
        }
        return elements
    }
}
