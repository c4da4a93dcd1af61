// Draws the lanes with what happened in them, the axis, and the strip of the whole run.

const canvas = $('canvas'), context = canvas.getContext('2d'), map = $('map'), mapContext = map.getContext('2d')
let colors = {}, scheduled = false, mapImage = null
function readColors() {
  const style = getComputedStyle(document.documentElement)
  for (const name of ['paper', 'ink', 'faint', 'line', 'band', 'task', 'actor', 'main', 'event', 'message', 'fault',
    'violated', 'check', 'note', 'cursor', 'match', 'life', 'preempting']) colors[name] = style.getPropertyValue(`--${name}`).trim()
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
  drawMarks(c)
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
  // Where there is room, steps fill more of their lane.
  const tall = Math.max(9, Math.min(40, Math.round(laneHeight * .3)))
  // What would be drawn over itself is not drawn: one mark for each lane, kind and column of pixels.
  const seen = new Map()
  for (let pass = 0; pass < 2; pass++) {
    for (let k = begin; k < end; k++) {
      const ref = itemRef[k]
      if ((ref < 0) !== (pass === 1)) continue
      const lane = laneOfItem(k)
      if (lane < firstLane || lane > lastLane) continue
      const at = Math.round(gutter + (place(k) - from) * scale)
      const name = ref < 0 ? eventClass(-1 - ref) : stepClass(ref)
      const key = `${lane} ${name} ${slice && ref >= 0 ? slice.inside[ref] : ''}`
      if (seen.get(key) === at) continue
      seen.set(key, at)
      c.fillStyle = colors[name]
      c.globalAlpha = slice && ref >= 0 && !slice.inside[ref] ? .12 : 1
      const middle = y(lane) + Math.floor(laneHeight / 2)
      if (ref >= 0) c.fillRect(at, middle - (tall >> 1) - 1, wide, tall)
      else if (lost.has(-1 - ref)) continue  // drawn as an arrow that is cut
      else if (name === 'fault' || name === 'violated') {
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

/// The steps of the story, the preemptions, and where the run failed.
function drawMarks(c) {
  const tall = Math.max(9, Math.min(40, Math.round(laneHeight * .3)))
  c.fillStyle = colors.preempting
  for (const step of preempting) {
    const k = stepItem[step], at = x(place(k)), top = y(laneOfItem(k)) + laneHeight / 2 - tall / 2 - 3
    if (at < gutter || at > width) continue
    c.beginPath(); c.moveTo(at - 4, top - 6); c.lineTo(at + 6, top - 6); c.lineTo(at + 1, top); c.fill()
  }
  if (failedItem >= 0) {
    c.fillStyle = colors.violated
    c.fillRect(x(place(failedItem)) + 1, axisHeight, 2, height)
  }
  c.textBaseline = 'middle'
  for (const mark of marks) {
    if (mark.item < 0) continue
    const k = mark.item, at = x(place(k)), middle = y(laneOfItem(k)) + laneHeight / 2
    if (at < gutter - 10 || at > width) continue
    c.strokeStyle = mark.kind === 'fault' ? colors.fault : colors.violated
    c.lineWidth = 2
    c.strokeRect(at - 3, middle - tall / 2 - 4, 16, tall + 7)
    const text = `${mark.sign} ${mark.name}`
    c.font = '600 12px system-ui, sans-serif'
    const wide = c.measureText(text).width
    // Where there is room the name stands below its step, and that of the failure at the top of its line.
    const isBelow = laneHeight >= tall + 36
    const left = Math.min(isBelow ? at - 3 : at + 18, width - wide - 6)
    const line = mark.kind === 'failure' ? axisHeight + 10 : isBelow ? middle + tall / 2 + 13 : middle
    c.fillStyle = colors.paper; c.globalAlpha = .85; c.fillRect(left - 2, line - 8, wide + 4, 16)
    c.globalAlpha = 1; c.fillStyle = c.strokeStyle
    c.fillText(text, left, line)
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
    if (lost.has(eventOf(k)) && place(k) <= from + span) drawLost(c, k)
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
/// A message that does not arrive: an arrow that is cut half way.
function drawLost(c, k) {
  const message = lost.get(eventOf(k)), at = x(place(k))
  const a = laneOfNode[nodeIndex.get(message.from)], b = laneOfNode[nodeIndex.get(message.to)]
  if (a === undefined || b === undefined) return
  const start = y(a) + laneHeight / 2, middle = (start + y(b) + laneHeight / 2) / 2
  c.save()
  c.globalAlpha = 1; c.strokeStyle = colors.fault; c.lineWidth = 1.5; c.setLineDash([3, 3])
  c.beginPath(); c.moveTo(at, start); c.lineTo(at, middle); c.stroke()
  c.setLineDash([])
  c.beginPath(); c.moveTo(at - 4, middle - 4); c.lineTo(at + 4, middle + 4); c.moveTo(at + 4, middle - 4); c.lineTo(at - 4, middle + 4); c.stroke()
  c.restore()
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
/// Steps that led to one: what made it ready, what made that ready, and what ran before on the same tasks and actors.
function sliceOf(step) {
  const before = new Int32Array(step + 1).fill(-1), last = new Map(), inside = new Uint8Array(stepCount)
  const beforeOnActor = new Int32Array(step + 1).fill(-1)
  for (let s = 0; s <= step; s++) {
    if (steps.task[s]) {
      before[s] = last.get(steps.task[s]) ?? -1
      last.set(steps.task[s], s)
    }
    // Each node has a main actor of its own.
    const actor = kinds[steps.kind[s]] === 'main' ? `main ${steps.node[s]}` : steps.actor[s] ? `actor ${steps.actor[s]}` : null
    if (!actor) continue
    beforeOnActor[s] = last.get(actor) ?? -1
    last.set(actor, s)
  }
  const open = [step]
  let count = 0
  while (open.length) {
    const s = open.pop()
    if (s < 0 || s > step || inside[s]) continue
    inside[s] = 1; count++
    open.push(steps.cause[s] - 1, before[s], beforeOnActor[s])
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

/// How likely the failure is from each moment on: below, not at all; above, certain.
function drawCurve(c, at, top, tall) {
  if (curve.length < 2) return
  c.beginPath()
  for (const point of curve) c.lineTo(at(place(point.item)), top + tall * (1 - point.failures / point.futures))
  c.strokeStyle = colors.violated; c.lineWidth = 1.5; c.stroke()
  c.lineTo(at(place(curve.at(-1).item)), top + tall); c.lineTo(at(place(curve[0].item)), top + tall)
  c.fillStyle = colors.violated; c.globalAlpha = .15; c.fill(); c.globalAlpha = 1
}
function drawAxis(c) {
  c.fillStyle = colors.paper; c.fillRect(0, 0, width, axisHeight)
  c.save(); c.beginPath(); c.rect(gutter, 0, width, axisHeight); c.clip()
  drawCurve(c, x, 2, axisHeight - 3)
  c.restore()
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
  c.fillText(byTime ? 'virtual time' : endTime ? 'order · virtual time' : 'order', 8, axisHeight / 2)
}
/// The time stands only where it has passed since the start.
const labelOfOrder = k => {
  const time = itemTime[Math.min(Math.max(k, 0), total - 1)] ?? 0
  return time ? `${number(k)} · ${duration(time)}` : number(k)
}

/// The whole run in one strip: how much happens, and where the failures are.
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
      if (name !== 'fault' && name !== 'violated') continue
      s.fillStyle = colors[name]; s.fillRect(place(eventItem[e]) * scale - 1, 0, name === 'violated' ? 3 : 2, name === 'violated' ? h : 8)
    }
    drawCurve(s, value => value * scale, 1, h - 2)
  }
  c.drawImage(mapImage, 0, 0, w, h)
  const scale = (w - 1) / extent()
  c.fillStyle = colors.match
  for (const k of matches) c.fillRect(place(k) * scale, 10, 1, 6)
  c.strokeStyle = colors.faint; c.lineWidth = 1
  c.strokeRect(from * scale + .5, .5, Math.max(2, span * scale), h - 1)
  if (cursor >= 0) { c.fillStyle = colors.cursor; c.fillRect(place(cursor) * scale - .5, 0, 2, h) }
}
