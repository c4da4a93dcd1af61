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
const isEvent = k => itemRef[k] < 0
const eventOf = k => -1 - itemRef[k]

const nodeIndex = new Map(data.nodes.map((name, index) => [name, index]))
const tasks = data.tasks
const taskAt = new Map(tasks.map((task, index) => [task.id, index]))
const taskLabel = id => {
  const task = tasks[taskAt.get(id)]
  return task && task.name ? `${task.name} #${id}` : `task ${id}`
}

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
const eventClass = e => {
  const kind = events.kind[e]
  if (kind === 'check') return events.detail[e].startsWith('broken') ? 'broken' : 'check'
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
function isPeer(name) { for (const m of messages.values()) if (m.from === name || m.to === name) return true; return false }
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
  if (isEvent(k)) return laneOfNode[nodeIndex.get(events.node[eventOf(k)])] ?? 0
  const s = itemRef[k], lane = steps.task[s] ? laneOfTask.get(steps.task[s]) : undefined
  return lane ?? laneOfNode[steps.node[s]] ?? 0
}

// MARK: Where things are

const endTime = total ? itemTime[total - 1] : 0
let instants = 0
for (let k = 1; k < total; k++) if (itemTime[k] !== itemTime[k - 1]) instants++
// A run without time of its own is easier to read in order.
let byTime = instants > total / 50
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

// MARK: Drawing

const canvas = $('canvas'), context = canvas.getContext('2d'), map = $('map'), mapContext = map.getContext('2d')
let colors = {}, scheduled = false, mapImage = null
function readColors() {
  const style = getComputedStyle(document.documentElement)
  for (const name of ['paper', 'ink', 'faint', 'line', 'band', 'task', 'actor', 'main', 'event', 'message', 'fault',
    'broken', 'check', 'note', 'cursor', 'match', 'life']) colors[name] = style.getPropertyValue(`--${name}`).trim()
}
function resize() {
  const box = $('lanes').getBoundingClientRect(), ratio = devicePixelRatio || 1
  width = Math.max(box.width, gutter + 50); height = box.height
  for (const [each, w, h] of [[canvas, width, height], [map, map.getBoundingClientRect().width, 34]]) {
    each.width = Math.round(w * ratio); each.height = Math.round(h * ratio)
    each.style.width = `${w}px`; each.style.height = `${h}px`
    each.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0)
  }
  mapImage = null
  keepInside(); schedule()
}
function schedule() { if (!scheduled) { scheduled = true; requestAnimationFrame(() => { scheduled = false; draw() }) } }

function draw() {
  const c = context
  c.fillStyle = colors.paper; c.fillRect(0, 0, width, height)
  const firstLane = Math.max(0, Math.floor(scrollY / laneHeight))
  const lastLane = Math.min(lanes.length - 1, Math.floor((scrollY + height - axisHeight) / laneHeight))
  c.save()
  c.beginPath(); c.rect(0, axisHeight, width, height - axisHeight); c.clip()
  for (let lane = firstLane; lane <= lastLane; lane++) {
    if (!lanes[lane].task) { c.fillStyle = colors.band; c.fillRect(0, y(lane), width, laneHeight) }
    c.fillStyle = colors.line; c.fillRect(0, y(lane) + laneHeight - 1, width, 1)
  }
  c.beginPath(); c.rect(gutter, axisHeight, width - gutter, height - axisHeight); c.clip()
  drawLives(c, firstLane, lastLane)
  drawMessages(c)
  drawItems(c, firstLane, lastLane)
  drawCauses(c)
  if (cursor >= 0) {
    c.fillStyle = colors.cursor
    c.fillRect(x(place(cursor)) - .5, axisHeight, 1, height)
    c.strokeStyle = colors.cursor; c.lineWidth = 2
    c.strokeRect(x(place(cursor)) - 4, y(laneOfItem(cursor)) + laneHeight / 2 - 7, 9, 13)
  }
  c.restore()
  drawLabels(c, firstLane, lastLane)
  drawAxis(c)
  drawMap()
}

function drawLives(c, firstLane, lastLane) {
  c.fillStyle = colors.life
  for (let lane = firstLane; lane <= lastLane; lane++) {
    const id = lanes[lane].task
    if (!id) continue
    const start = x(place(stepItem[firstStepOf.get(id)])), end = x(place(stepItem[lastStepOf.get(id)]))
    if (end > gutter && start < width) c.fillRect(start, y(lane) + laneHeight / 2 - 1, Math.max(1, end - start), 2)
  }
}

function drawItems(c, firstLane, lastLane) {
  const begin = Math.max(0, lowerBound(from) - 1), end = Math.min(total, lowerBound(from + span) + 1)
  const scale = (width - gutter) / span
  const wide = Math.max(2, Math.min(10, byTime ? 2 : scale * .7))
  // What would be drawn over itself is not drawn: one mark for each lane, kind and column of pixels.
  const seen = new Map()
  for (let pass = 0; pass < 2; pass++) {
    for (let k = begin; k < end; k++) {
      const ref = itemRef[k]
      if ((ref < 0) !== (pass === 1)) continue
      const lane = laneOfItem(k)
      if (lane < firstLane || lane > lastLane) continue
      const at = Math.round(gutter + (place(k) - from) * scale)
      const name = ref < 0 ? eventClass(-1 - ref) : kinds[steps.kind[ref]]
      const key = `${lane} ${name} ${slice && ref >= 0 ? slice.inside[ref] : ''}`
      if (seen.get(key) === at) continue
      seen.set(key, at)
      c.fillStyle = colors[name]
      c.globalAlpha = slice && ref >= 0 && !slice.inside[ref] ? .12 : 1
      const middle = y(lane) + Math.floor(laneHeight / 2)
      if (ref >= 0) c.fillRect(at, middle - 5, wide, 9)
      else if (name === 'fault' || name === 'broken') {
        c.beginPath(); c.moveTo(at - 5, middle + 6); c.lineTo(at + 5, middle + 6); c.lineTo(at, middle - 6); c.fill()
      } else { c.beginPath(); c.arc(at, middle, 3, 0, 7); c.fill() }
    }
  }
  c.globalAlpha = 1
  c.fillStyle = colors.match
  for (const k of matches) {
    const at = place(k)
    if (at < from || at > from + span) continue
    c.fillRect(x(at) - 1, y(laneOfItem(k)) + laneHeight - 4, 3, 3)
  }
}

function drawMessages(c) {
  const begin = Math.max(0, lowerBound(from) - 1), end = total
  let drawn = 0
  c.strokeStyle = c.fillStyle = colors.message; c.lineWidth = 1
  // Many arrows are a texture, behind what happened.
  c.globalAlpha = Math.min(1, Math.max(.2, 200 / Math.max(1, lowerBound(from + span) - begin)))
  for (let k = begin; k < end && drawn < 4000; k++) {
    if (!isEvent(k)) continue
    const message = messages.get(eventOf(k))
    if (!message) continue
    const start = x(placeOfTime(message.sent)), stop = x(place(k))
    if (start > width) { if (byTime && place(k) > from + 2 * span) break; continue }
    const a = laneOfNode[nodeIndex.get(message.from)], b = laneOfNode[nodeIndex.get(message.to)]
    if (a === undefined || b === undefined) continue
    arrow(c, start, y(a) + laneHeight / 2, stop, y(b) + laneHeight / 2); drawn++
  }
  c.globalAlpha = 1
}
function arrow(c, x0, y0, x1, y1) {
  const angle = Math.atan2(y1 - y0, x1 - x0)
  c.beginPath(); c.moveTo(x0, y0); c.lineTo(x1, y1); c.stroke()
  c.beginPath(); c.moveTo(x1, y1)
  c.lineTo(x1 - 7 * Math.cos(angle - .4), y1 - 7 * Math.sin(angle - .4))
  c.lineTo(x1 - 7 * Math.cos(angle + .4), y1 - 7 * Math.sin(angle + .4)); c.fill()
}

/// The step that the cursor is in.
const stepAt = k => k < 0 ? -1 : isEvent(k) ? events.step[eventOf(k)] - 1 : itemRef[k]
/// Numbers of steps that this one made ready.
let effectsOf = null
function effects(step) {
  if (!effectsOf) {
    effectsOf = new Map()
    for (let s = 0; s < stepCount; s++) {
      const cause = steps.cause[s] - 1
      if (cause < 0) continue
      if (!effectsOf.has(cause)) effectsOf.set(cause, [])
      effectsOf.get(cause).push(s)
    }
  }
  return effectsOf.get(step) ?? []
}
/// Steps that led to one: what made it ready, what made that ready, and what ran before on the same tasks.
function sliceOf(step) {
  const before = new Int32Array(step + 1).fill(-1), last = new Map(), inside = new Uint8Array(stepCount)
  for (let s = 0; s <= step; s++) {
    if (!steps.task[s]) continue
    before[s] = last.get(steps.task[s]) ?? -1
    last.set(steps.task[s], s)
  }
  const open = [step]
  let count = 0
  while (open.length) {
    const s = open.pop()
    if (s < 0 || s > step || inside[s]) continue
    inside[s] = 1; count++
    open.push(steps.cause[s] - 1, before[s])
  }
  return { inside, count }
}
let slice = null   // of the cursor, while only causes are shown
function showSlice() {
  const step = stepAt(cursor)
  slice = $('causes').getAttribute('aria-pressed') === 'true' && step >= 0 ? sliceOf(step) : null
}
function drawCauses(c) {
  let step = stepAt(cursor)
  if (step < 0) return
  c.strokeStyle = colors.cursor; c.lineWidth = 1.5
  const link = (a, b) => {
    const x0 = x(place(stepItem[a])), x1 = x(place(stepItem[b]))
    const y0 = y(laneOfItem(stepItem[a])) + laneHeight / 2, y1 = y(laneOfItem(stepItem[b])) + laneHeight / 2
    c.beginPath(); c.moveTo(x0, y0); c.bezierCurveTo((x0 + x1) / 2, y0, (x0 + x1) / 2, y1, x1, y1); c.stroke()
  }
  for (const effect of effects(step).slice(0, 50)) link(step, effect)
  for (let depth = 0; depth < 50 && steps.cause[step] > 0; depth++) { link(steps.cause[step] - 1, step); step = steps.cause[step] - 1 }
}

function drawLabels(c, firstLane, lastLane) {
  c.save()
  c.beginPath(); c.rect(0, axisHeight, gutter - 6, height); c.clip()
  c.textBaseline = 'middle'
  for (let lane = firstLane; lane <= lastLane; lane++) {
    const { node, task, label } = lanes[lane]
    c.font = task ? '12px system-ui, sans-serif' : '600 12px system-ui, sans-serif'
    c.fillStyle = task ? colors.faint : colors.ink
    const mark = task ? '' : tasksOfNode[node].length ? (collapsed.has(node) ? '▸ ' : '▾ ') : '   '
    c.fillText(mark + label, task ? 24 : 8, y(lane) + laneHeight / 2)
  }
  c.restore()
  c.fillStyle = colors.line; c.fillRect(gutter - 1, 0, 1, height)
}

function drawAxis(c) {
  c.fillStyle = colors.paper; c.fillRect(0, 0, width, axisHeight)
  c.fillStyle = colors.line; c.fillRect(0, axisHeight - 1, width, 1)
  c.font = '11px system-ui, sans-serif'; c.textBaseline = 'middle'
  const rough = span / Math.max(2, (width - gutter) / 110)
  const power = 10 ** Math.floor(Math.log10(rough))
  const every = Math.max(byTime ? 1e-9 : 1, [1, 2, 5, 10].map(n => n * power).find(n => n >= rough))
  c.save(); c.beginPath(); c.rect(gutter, 0, width, axisHeight); c.clip()
  for (let tick = Math.ceil(from / every) * every; tick <= from + span; tick += every) {
    const at = x(tick)
    c.fillStyle = colors.line; c.fillRect(at, axisHeight - 6, 1, 6)
    c.fillStyle = colors.faint
    c.fillText(byTime ? duration(tick || 0) : labelOfOrder(Math.round(tick) || 0), at + 4, axisHeight / 2)
  }
  c.restore()
  c.fillStyle = colors.faint
  c.fillText(byTime ? 'virtual time' : 'order (virtual time)', 8, axisHeight / 2)
}
const labelOfOrder = k => `${number(k)} · ${duration(itemTime[Math.min(Math.max(k, 0), total - 1)] ?? 0)}`

/// The whole run in one strip: how much happens, and where the trouble is.
function drawMap() {
  const c = mapContext, w = map.width / (devicePixelRatio || 1), h = 34
  if (!mapImage) {
    const counts = new Float64Array(Math.ceil(w) + 1), scale = (w - 1) / extent()
    for (let k = 0; k < total; k++) counts[Math.floor(place(k) * scale)]++
    const most = Math.sqrt(Math.max(1, counts.reduce((a, b) => Math.max(a, b), 0)))
    const sheet = mapImage = document.createElement('canvas')
    sheet.width = map.width; sheet.height = map.height
    const s = sheet.getContext('2d'), ratio = devicePixelRatio || 1
    s.setTransform(ratio, 0, 0, ratio, 0, 0)
    s.fillStyle = colors.band; s.fillRect(0, 0, w, h)
    s.fillStyle = colors.life
    counts.forEach((count, column) => { const tall = Math.sqrt(count) / most * (h - 8); s.fillRect(column, h - tall, 1, tall) })
    for (let e = 0; e < eventCount; e++) {
      const name = eventClass(e)
      if (name !== 'fault' && name !== 'broken') continue
      s.fillStyle = colors[name]; s.fillRect(place(eventItem[e]) * scale - 1, 0, name === 'broken' ? 3 : 2, name === 'broken' ? h : 8)
    }
  }
  c.drawImage(mapImage, 0, 0, w, h)
  const scale = (w - 1) / extent()
  c.fillStyle = colors.match
  for (const k of matches) c.fillRect(place(k) * scale, 10, 1, 6)
  c.strokeStyle = colors.faint; c.lineWidth = 1
  c.strokeRect(from * scale + .5, .5, Math.max(2, span * scale), h - 1)
  if (cursor >= 0) { c.fillStyle = colors.cursor; c.fillRect(place(cursor) * scale - .5, 0, 2, h) }
}

// MARK: The panel

function element(name, text, className) {
  const made = document.createElement(name)
  if (text !== undefined) made.textContent = text
  if (className) made.className = className
  return made
}
function showPanel() {
  if (cursor < 0) { $('where').textContent = 'nothing happened'; return }
  const step = stepAt(cursor)
  $('where').textContent = !stepCount ? duration(itemTime[cursor]) : `${step < 0 ? 'before the first step' : `step ${number(step + 1)} of ${number(stepCount)}`} · ${duration(itemTime[cursor])}`
  const rows = []
  if (isEvent(cursor)) rows.push(['event', eventText(eventOf(cursor))], ['on', events.node[eventOf(cursor)]])
  else {
    const task = steps.task[step], record = tasks[taskAt.get(task)]
    rows.push(['node', data.nodes[steps.node[step]]], ['ran', kindText(step)])
    if (record) {
      rows.push(['task', taskLabel(task)])
      if (record.place) rows.push(['made at', record.place])
      if (record.parent) rows.push(['made by', taskLabel(record.parent)])
    }
    if (slice) rows.push(['led here', `${number(slice.count)} of the ${number(step + 1)} steps so far`])
    rows.push(['chosen', steps.ready[step] > 1 ? `${steps.choice[step] + 1} of ${steps.ready[step]} that were ready` : 'the only one that was ready'])
  }
  $('step').replaceChildren(...rows.flatMap(([name, value]) => [element('dt', name), element('dd', value)]))
  const links = []
  const button = (text, target) => { const made = element('button', text); made.onclick = () => go(stepItem[target]); links.push(made) }
  if (step >= 0) {
    if (isEvent(cursor)) button(`in step ${number(step + 1)}`, step)
    if (steps.cause[step] > 0) button(`caused by step ${number(steps.cause[step])}`, steps.cause[step] - 1)
    for (const effect of effects(step).slice(0, 12)) button(`→ step ${number(effect + 1)}`, effect)
  }
  $('links').replaceChildren(...links)
  showFrame()
  showState()
  showLog()
}
const kindText = step => ['the task', 'the task on its actor', 'the task on the main actor', 'an event of the world'][steps.kind[step]]

function showFrame() {
  let newest = null
  for (const image of data.images) if (image.time <= itemTime[cursor]) newest = image
  $('frame').hidden = !newest
  if (newest && $('frame').src !== newest.uri) { $('frame').src = newest.uri; $('frame').alt = newest.label }
}

function showState() {
  const rows = new Map(), limit = cursor
  const set = (key, value) => rows.set(key, value)
  data.nodes.forEach((name, node) => { if (!isEmptyNode[node]) set(name, 'up') })
  for (let e = 0; e < eventCount && eventItem[e] <= limit; e++) {
    const detail = events.detail[e]
    if (events.kind[e] === 'fault') {
      const found = /^(crash|power off|restart|pause|resume) (.*)$/.exec(detail)
      if (found && nodeIndex.has(found[2])) {
        set(found[2], { crash: 'crashed', 'power off': 'without power', restart: 'up, restarted', pause: 'paused', resume: 'up' }[found[1]])
      }
    } else if (events.kind[e] === 'state') {
      const cut = detail.indexOf(' ')
      set(`${events.node[e]} · ${cut < 0 ? detail : detail.slice(0, cut)}`, cut < 0 ? '' : detail.slice(cut + 1))
    }
  }
  $('state').replaceChildren(...[...rows].map(([name, value]) => {
    const row = element('tr'); row.append(element('td', name), element('td', value)); return row
  }))
}

function showLog() {
  const list = []
  let e = eventCount
  { let low = 0; while (low < e) { const middle = (low + e) >> 1; if (eventItem[middle] <= cursor) low = middle + 1; else e = middle } }
  for (let i = e - 1; i >= 0 && list.length < 80; i--) {
    const row = element('li', undefined, eventClass(i) + (eventItem[i] === cursor ? ' here' : ''))
    row.append(element('time', duration(events.time[i])), `${events.node[i] ? events.node[i] + ' ' : ''}${eventText(i)}`)
    row.onclick = () => go(eventItem[i])
    list.push(row)
  }
  if (!list.length) list.push(element('li', 'nothing was noted yet'))
  $('log').replaceChildren(...list)
}

// MARK: Moving

function go(k) {
  if (!total) return
  cursor = Math.min(Math.max(k, 0), total - 1)
  const at = place(cursor)
  if (at < from || at > from + span) from = at - span / 2
  keepInside()
  const top = laneOfItem(cursor) * laneHeight, room = height - axisHeight
  if (top < scrollY) scrollY = top
  else if (top + laneHeight > scrollY + room) scrollY = top + laneHeight - room
  history.replaceState(null, '', `#${cursor}`)
  showSlice(); showPanel(); schedule()
}
function keepInside() {
  laneHeight = Math.min(48, Math.max(20, Math.floor((height - axisHeight) / (lanes.length + 1))))
  span = Math.min(Math.max(span, byTime ? 10 : 4), extent() * 1.04)
  from = Math.min(Math.max(from, -extent() * .02), extent() * 1.02 - span)
  scrollY = Math.min(Math.max(scrollY, 0), Math.max(0, lanes.length * laneHeight - (height - axisHeight) + laneHeight))
}
function zoom(factor, at = cursor >= 0 ? place(cursor) : from + span / 2) {
  if (at < from || at > from + span) at = from + span / 2
  const share = (at - from) / span
  span *= factor; keepInside()
  from = at - share * span
  keepInside(); schedule()
}
function fit() { span = extent() * 1.04; from = -extent() * .02; keepInside(); schedule() }
function setAxis(time) {
  const share = cursor >= 0 ? (place(cursor) - from) / span : .5, part = span / extent()
  byTime = time
  $('axis').textContent = byTime ? 'by time' : 'in order'
  span = part * extent()
  if (cursor >= 0) from = place(cursor) - share * span
  mapImage = null
  keepInside(); schedule()
}
/// The next item in a direction that fits; stays where it is when there is none.
function seek(direction, fits) {
  for (let k = cursor + direction; k >= 0 && k < total; k += direction) if (fits(k)) return go(k)
}
const inStep = k => !isEvent(k)
const isProblem = k => isEvent(k) && ['fault', 'broken'].includes(eventClass(eventOf(k)))
const actions = {
  first: () => go(0), last: () => go(total - 1),
  back: () => seek(-1, inStep), forward: () => seek(1, inStep),
  laneBack: () => { const lane = laneOfItem(cursor); seek(-1, k => laneOfItem(k) === lane) },
  laneForward: () => { const lane = laneOfItem(cursor); seek(1, k => laneOfItem(k) === lane) },
  eventBack: () => seek(-1, isEvent), eventForward: () => seek(1, isEvent),
  problem: () => seek(1, isProblem),
  causes: () => {
    $('causes').setAttribute('aria-pressed', String($('causes').getAttribute('aria-pressed') !== 'true'))
    showSlice(); showPanel(); schedule()
  },
  axis: () => setAxis(!byTime), zoomIn: () => zoom(.5), zoomOut: () => zoom(2), fit,
  matchBack: () => goMatch(-1), matchForward: () => goMatch(1),
  search: () => $('search').focus(),
}
const keys = {
  ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last', ',': 'eventBack', '.': 'eventForward', '!': 'problem',
  t: 'axis', c: 'causes', '+': 'zoomIn', '=': 'zoomIn', '-': 'zoomOut', 0: 'fit', n: 'matchForward', N: 'matchBack', '/': 'search',
}

// MARK: Search

let taskText = null
function search(query) {
  matches = []
  const wanted = query.trim().toLowerCase()
  if (wanted) {
    taskText ??= new Map(tasks.map(task => [task.id, `${taskLabel(task.id)} ${task.place}`.toLowerCase()]))
    const hits = new Map([...taskText].map(([id, text]) => [id, text.includes(wanted)]))
    for (let k = 0; k < total; k++) {
      const fits = isEvent(k)
        ? `${events.node[eventOf(k)]} ${eventText(eventOf(k))}`.toLowerCase().includes(wanted)
        : steps.task[itemRef[k]] && hits.get(steps.task[itemRef[k]])
      if (fits) matches.push(k)
    }
  }
  $('matches').textContent = wanted ? `${number(matches.length)} found` : ''
  schedule()
}
function goMatch(direction) {
  const next = direction > 0 ? matches.find(k => k > cursor) ?? matches[0] : matches.findLast(k => k < cursor) ?? matches.at(-1)
  if (next !== undefined) go(next)
}

// MARK: Hands

document.querySelector('nav').addEventListener('click', event => actions[event.target.dataset?.do]?.())
document.addEventListener('keydown', event => {
  if (event.target === $('search')) {
    if (event.key === 'Enter') { goMatch(event.shiftKey ? -1 : 1); event.preventDefault() }
    if (event.key === 'Escape') { $('search').blur() }
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return
  let action = keys[event.key]
  if (event.shiftKey && action === 'back') action = 'laneBack'
  if (event.shiftKey && action === 'forward') action = 'laneForward'
  if (action) { actions[action](); event.preventDefault() }
})
let typing = 0
$('search').addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(() => search($('search').value), 120) })
$('copy').addEventListener('click', async () => {
  try { await navigator.clipboard.writeText(data.repeat); $('copy').textContent = 'copied' }
  catch { getSelection().selectAllChildren($('recipe-text')) }
})
canvas.addEventListener('wheel', event => {
  event.preventDefault()
  const { offsetX, deltaX, deltaY } = event
  if (event.ctrlKey || event.metaKey) zoom(Math.exp(deltaY * .004), from + (offsetX - gutter) / (width - gutter) * span)
  else if (event.shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) from += (deltaX || deltaY) / (width - gutter) * span
  else scrollY += deltaY
  keepInside(); schedule()
}, { passive: false })
let drag = null
canvas.addEventListener('pointerdown', event => { drag = { x: event.offsetX, y: event.offsetY, from, scrollY, moved: false }; canvas.setPointerCapture(event.pointerId) })
canvas.addEventListener('pointermove', event => {
  if (drag) {
    if (Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) > 4) drag.moved = true
    if (!drag.moved) return
    from = drag.from - (event.offsetX - drag.x) / (width - gutter) * span
    scrollY = drag.scrollY - (event.offsetY - drag.y)
    keepInside(); schedule()
    return
  }
  const k = nearest(event.offsetX, event.offsetY, 8), tip = $('tip')
  tip.hidden = k < 0
  if (k < 0) return
  tip.textContent = isEvent(k) ? eventText(eventOf(k)) : `step ${number(itemRef[k] + 1)} · ${steps.task[itemRef[k]] ? taskLabel(steps.task[itemRef[k]]) : 'the world'} · ${duration(itemTime[k])}`
  tip.style.left = `${Math.min(event.offsetX + 12, width - 240)}px`; tip.style.top = `${event.offsetY + 14}px`
})
canvas.addEventListener('pointerleave', () => { $('tip').hidden = true })
canvas.addEventListener('pointerup', event => {
  const wasDrag = drag?.moved
  drag = null
  if (wasDrag) return
  const lane = Math.floor((event.offsetY - axisHeight + scrollY) / laneHeight)
  if (event.offsetX < gutter) {
    const found = lanes[lane]
    if (found && !found.task) {
      if (!collapsed.delete(found.node)) collapsed.add(found.node)
      layOut(); keepInside(); schedule()
    }
    return
  }
  const k = nearest(event.offsetX, event.offsetY, Infinity)
  if (k >= 0) go(k)
})
/// The item of the lane under a point that is nearest to it; -1 when none is so near.
function nearest(px, py, reach) {
  const lane = Math.floor((py - axisHeight + scrollY) / laneHeight)
  const value = from + (px - gutter) / (width - gutter) * span
  const start = lowerBound(value)
  let best = -1, distance = reach
  for (const direction of [-1, 1]) {
    let looked = 0
    for (let k = direction > 0 ? start : start - 1; k >= 0 && k < total && looked < 20000; k += direction, looked++) {
      const d = Math.abs(x(place(k)) - px)
      if (d >= distance) { if (reach !== Infinity || best >= 0) break }
      if (laneOfItem(k) === lane && d < distance) { best = k; distance = d; break }
    }
  }
  return best
}
const toMap = event => { from = event.offsetX / map.getBoundingClientRect().width * extent() - span / 2; keepInside(); schedule() }
map.addEventListener('pointerdown', event => { map.setPointerCapture(event.pointerId); toMap(event) })
map.addEventListener('pointermove', event => { if (event.buttons) toMap(event) })
addEventListener('resize', resize)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColors(); mapImage = null; schedule() })

// MARK: Start

document.title = data.title
$('title').textContent = data.title
$('verdict').textContent = data.failure ? `✘ ${data.failure}` : data.failure === null ? '✔ passed' : ''
$('verdict').classList.toggle('failed', Boolean(data.failure))
$('recipe').hidden = !data.repeat
$('recipe-text').textContent = data.repeat ?? ''
readColors()
$('axis').textContent = byTime ? 'by time' : 'in order'
resize(); fit()
// Where it went wrong is where one wants to look; a link may say another place.
const linked = Number.parseInt(location.hash.slice(1), 10)
const broken = events.kind.findLastIndex((kind, e) => eventClass(e) === 'broken')
go(Number.isInteger(linked) ? linked : broken >= 0 ? eventItem[broken] : data.failure ? total - 1 : 0)
