'use strict'
// The page of one run. `data` holds columns, so that 100,000 steps take little room and no time to read:
// what happened is a list of *items*, steps and events in their order; everything on the page asks it.
const data = JSON.parse(document.getElementById('data').textContent)
const $ = id => document.getElementById(id)
const kinds = ['task', 'actor', 'main', 'event']
const axisHeight = 26, gutter = 190
let laneHeight = 20   // more where there is room

// MARK: Items

const steps = data.steps, events = data.events
const stepCount = steps.time.length, eventCount = events.time.length
const total = stepCount + eventCount
const itemTime = new Float64Array(total)   // nanoseconds
const itemRef = new Int32Array(total)      // step i as i, event i as -1 - i
const stepItem = new Int32Array(stepCount)
const eventItem = new Int32Array(eventCount)
{
  let s = 0, e = 0
  for (let k = 0; k < total; k++) {
    // Events of step n come after it; those of step 0 before the first.
    const takesEvent = e < eventCount && (s >= stepCount || events.step[e] <= s)
    if (takesEvent) { itemRef[k] = -1 - e; itemTime[k] = events.time[e]; eventItem[e] = k; e++ }
    else { itemRef[k] = s; itemTime[k] = steps.time[s]; stepItem[s] = k; s++ }
    // A step has the time at which it begins; what happens in it may be later, but the axis runs one way.
    if (k && itemTime[k] < itemTime[k - 1]) itemTime[k] = itemTime[k - 1]
  }
}
/// What a step is drawn as.
const stepClass = s => steps.actor[s] ? 'actor' : kinds[steps.kind[s]]
const isEvent = k => itemRef[k] < 0
const eventOf = k => -1 - itemRef[k]

const nodeIndex = new Map(data.nodes.map((name, index) => [name, index]))
const tasks = data.tasks
const taskAt = new Map(tasks.map((task, index) => [task.id, index]))
const taskLabel = id => {
  const task = tasks[taskAt.get(id)]
  return task && task.name ? `${task.name} #${id}` : `task ${id}`
}

/// The item at which the run failed, the last one of its step; -1 where it did not, or nobody knows when.
let failedItem = data.failedIn > 0 && data.failedIn <= stepCount ? stepItem[data.failedIn - 1] : data.failure && total ? total - 1 : -1
while (data.failedIn && failedItem + 1 < total && isEvent(failedItem + 1) && events.step[eventOf(failedItem + 1)] === data.failedIn) failedItem++
/// The items of the story, with the signs by which the lanes and the story name them: of a fault its event, otherwise a step.
const marks = (data.story?.places ?? []).map((place, index) => {
  const event = place.fault ? events.detail.findIndex((detail, e) => events.kind[e] === 'fault' && detail === place.fault) : -1
  const item = event >= 0 ? eventItem[event] : place.kind === 'failure' ? failedItem : place.step > 0 && place.step <= stepCount ? stepItem[place.step - 1] : -1
  return { item, sign: place.kind === 'failure' ? '✘' : '①②③④⑤'[index] ?? '', kind: place.kind, name: place.name }
})
/// How likely the failure is from moments on, each with the item that is the first to differ.
const curve = (data.curve ?? []).map(point => ({ ...point, item: point.steps < stepCount ? stepItem[point.steps] : total - 1 }))
const preempting = new Set(steps.preempting.map(step => step - 1))

/// From and to of a message, and what it is: "from to type bytes nanoseconds".
const messages = new Map()
for (let e = 0; e < eventCount; e++) {
  if (events.kind[e] !== 'message') continue
  const words = events.detail[e].split(' ')
  if (words.length < 5) continue
  const age = Number(words.pop()), bytes = words.pop(), type = words.pop()
  let from = words.join(' '), to = ''
  for (let cut = 1; cut < words.length; cut++) {
    const left = words.slice(0, cut).join(' ')
    if (nodeIndex.has(left) || cut === words.length - 1) { from = left; to = words.slice(cut).join(' '); break }
  }
  messages.set(e, { from, to, type, bytes, sent: events.time[e] - age })
}
/// Messages that the network has lost: "lost type bytes from to".
const lost = new Map()
for (let e = 0; e < eventCount; e++) {
  const words = events.kind[e] === 'fault' ? /^lost (\S+) (\d+) (\S+) (\S+)$/.exec(events.detail[e]) : null
  if (words && nodeIndex.has(words[3]) && nodeIndex.has(words[4])) lost.set(e, { from: words[3], to: words[4] })
}
const eventClass = e => {
  const kind = events.kind[e]
  if (kind === 'check') return events.detail[e].startsWith('violated') ? 'violated' : 'check'
  return kind === 'message' || kind === 'fault' ? kind : 'note'
}
const eventText = e => {
  const message = messages.get(e)
  return message
    ? `${message.from} → ${message.to} ${message.type}, ${message.bytes} bytes${events.time[e] > message.sent ? `, ${duration(events.time[e] - message.sent)} on the way` : ''}`
    : `${events.kind[e]}: ${events.detail[e]}`
}

// MARK: Lanes

// One lane for each node, and below it one for each of its tasks, in the order in which they came to be.
const firstStepOf = new Map(), lastStepOf = new Map()
for (let s = 0; s < stepCount; s++) {
  const task = steps.task[s]
  if (!task) continue
  if (!firstStepOf.has(task)) firstStepOf.set(task, s)
  lastStepOf.set(task, s)
}
const collapsed = new Set()
let lanes = [], laneOfTask = new Map(), laneOfNode = []
const tasksOfNode = data.nodes.map(() => [])
for (const task of tasks) if (firstStepOf.has(task.id)) tasksOfNode[task.node].push(task.id)
// The outermost "node" is no one's when nothing ran on it.
const isEmptyNode = data.nodes.map((name, n) =>
  !tasksOfNode[n].length && !steps.node.includes(n) && !events.node.includes(name) && !isPeer(name))
function isPeer(name) { for (const m of [...messages.values(), ...lost.values()]) if (m.from === name || m.to === name) return true; return false }
function layOut() {
  lanes = []; laneOfTask = new Map(); laneOfNode = []
  data.nodes.forEach((name, node) => {
    if (isEmptyNode[node]) return
    laneOfNode[node] = lanes.length
    lanes.push({ node, task: 0, label: name })
    for (const id of tasksOfNode[node]) {
      laneOfTask.set(id, collapsed.has(node) ? laneOfNode[node] : lanes.length)
      if (!collapsed.has(node)) lanes.push({ node, task: id, label: taskLabel(id) })
    }
  })
}
layOut()
// With so many lanes the nodes are the better overview; a click opens one.
if (lanes.length > 60) { data.nodes.forEach((_, node) => collapsed.add(node)); layOut() }
const laneOfItem = k => {
  if (isEvent(k)) return laneOfNode[nodeIndex.get(lost.get(eventOf(k))?.from ?? events.node[eventOf(k)])] ?? 0
  const s = itemRef[k], lane = steps.task[s] ? laneOfTask.get(steps.task[s]) : undefined
  return lane ?? laneOfNode[steps.node[s]] ?? 0
}

// MARK: Where things are

const endTime = total ? itemTime[total - 1] : 0
let instants = 0
for (let k = 1; k < total; k++) if (itemTime[k] - itemTime[k - 1] > 1000) instants++
// A run without time of its own is easier to read in order.
let byTime = instants > total / 50
// Neither do steps show anything that all lie in one moment.
const toldTimes = new Set(marks.filter(mark => mark.item >= 0).map(mark => itemTime[mark.item]))
if (marks.length > 1 && toldTimes.size === 1) byTime = false
let from = 0, span = 1   // what is visible, in nanoseconds or in items
let scrollY = 0, cursor = total ? 0 : -1, matches = [], width = 0, height = 0
const place = k => byTime ? itemTime[k] : k
const extent = () => Math.max(byTime ? endTime : total, 1)
const x = value => gutter + (value - from) / span * (width - gutter)
const y = lane => axisHeight + lane * laneHeight - scrollY
/// The first item at `value` or later.
function lowerBound(value) {
  let low = 0, high = total
  while (low < high) { const middle = (low + high) >> 1; if (place(middle) < value) low = middle + 1; else high = middle }
  return low
}
/// The first item at that time or later, on whichever axis.
function atTime(time) {
  let low = 0, high = total
  while (low < high) { const middle = (low + high) >> 1; if (itemTime[middle] < time) low = middle + 1; else high = middle }
  return low
}
const placeOfTime = time => byTime ? time : atTime(time)

function duration(nanoseconds) {
  const value = Math.abs(nanoseconds)
  if (value < 1e3) return `${nanoseconds} ns`
  if (value < 1e6) return `${+(nanoseconds / 1e3).toFixed(3)} µs`
  if (value < 1e9) return `${+(nanoseconds / 1e6).toFixed(3)} ms`
  return `${+(nanoseconds / 1e9).toFixed(6)} s`
}
const number = value => value.toLocaleString('en')
