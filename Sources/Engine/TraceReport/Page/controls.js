// Moves and searches, by button, key and pointer; then starts the page.

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
  laneHeight = Math.min(200, Math.max(20, Math.floor((height - axisHeight) / (lanes.length + 1))))
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
const isProblem = k => k === failedItem || isEvent(k) && ['fault', 'violated'].includes(eventClass(eventOf(k)))
const actions = {
  first: () => go(0), last: () => go(total - 1),
  back: () => seek(-1, inStep), forward: () => seek(1, inStep),
  laneBack: () => { const lane = laneOfItem(cursor); seek(-1, k => laneOfItem(k) === lane) },
  laneForward: () => { const lane = laneOfItem(cursor); seek(1, k => laneOfItem(k) === lane) },
  eventBack: () => seek(-1, isEvent), eventForward: () => seek(1, isEvent),
  // From the end on the first one comes next.
  problem: () => {
    const problems = []
    for (let k = 0; k < total; k++) if (isProblem(k)) problems.push(k)
    const next = problems.find(k => k > cursor) ?? problems[0]
    if (next !== undefined) go(next)
  },
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
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColors(); showLegend(); mapImage = null; schedule() })

// MARK: Start

document.title = data.title
$('title').textContent = data.title
{
  // A report of several lines would be hard to read as a heading.
  const [first, ...rest] = (data.failure ?? '').split('\n')
  $('verdict').textContent = data.failure ? `✘ ${first}` : data.failure === null ? '✔ passed' : ''
  $('message').hidden = !rest.length
  $('message').textContent = rest.join('\n')
}
$('verdict').classList.toggle('failed', Boolean(data.failure))
$('recipe').hidden = !data.repeat
$('recipe-text').textContent = data.repeat ?? ''
showStory()
readColors()
showLegend()
$('axis').textContent = byTime ? 'by time' : 'in order'
resize(); fit()
{
  // What explains the failure is what one wants to see: from the first of its steps to the last.
  const told = marks.filter(mark => mark.item >= 0).map(mark => place(mark.item))
  if (failedItem >= 0) told.push(place(failedItem))
  const first = Math.min(...told), last = Math.max(...told), room = Math.max((last - first) * .25, byTime ? endTime / 50 : 5)
  if (told.length > 1) { span = last - first + 2 * room; from = first - room; keepInside() }
}
// Where it went wrong is where one wants to look; a link may say another place.
const linked = Number.parseInt(location.hash.slice(1), 10)
const broken = events.kind.findLastIndex((kind, e) => eventClass(e) === 'violated')
const decided = (marks.findLast(mark => mark.item >= 0 && mark.kind === 'race') ?? marks.findLast(mark => mark.item >= 0 && mark.kind === 'failure'))?.item
go(Number.isInteger(linked) ? linked : decided !== undefined ? decided : broken >= 0 ? eventItem[broken] : data.failure ? total - 1 : 0)
