// Shows the step at the cursor: what it is, what led to it, and the state of the world.

function element(name, text, className) {
  const made = document.createElement(name)
  if (text !== undefined) made.textContent = text
  if (className) made.className = className
  return made
}
/// A line of source, with its number.
function sourceLine(at, text, isMarked) {
  const line = element('span', undefined, isMarked ? 'line' : undefined)
  line.append(element('i', at), text)
  return line
}
/// Lines without the indentation that all of them share.
function dedented(lines) {
  const indents = lines.filter(line => line.trim()).map(line => line.length - line.trimStart().length)
  const common = Math.min(...indents, 1000)
  return lines.map(line => line.slice(common))
}
/// The places that explain the failure, with their source.
function showStory() {
  const story = data.story
  $('story').hidden = !story
  if (!story) return
  $('summary').textContent = story.summary
  $('places').replaceChildren(...story.places.map((place, index) => {
    const box = element('article', undefined, place.kind), code = element('pre'), title = element('h3')
    title.append(element('b', marks[index]?.sign ?? ''), ` ${place.title}`)
    dedented(place.source).forEach((text, offset) => code.append(sourceLine(place.firstLine + offset, text, place.firstLine + offset === place.line)))
    const name = element('p', `${place.name} · ${place.function}`)
    name.title = place.function
    box.append(title, name)
    if (place.source.length) box.append(code)
    for (const caller of place.callers) {
      const line = element('pre', undefined, 'caller')
      line.append(sourceLine(caller.line, caller.source, true))
      box.append(element('p', `called from ${caller.name}`), line)
    }
    if (place.step && place.step <= stepCount) {
      const made = element('button', `step ${number(place.step)}`)
      made.onclick = () => go(marks[index].item >= 0 ? marks[index].item : stepItem[place.step - 1])
      title.append(' ', made)
    }
    return box
  }))
  if (story.passing.length) $('places').append(orders(story))
}
/// The steps of both tasks as they ran, and as they run where nothing fails.
function orders(story) {
  const box = element('article', undefined, 'orders'), row = element('div')
  const of = (name, moments, className) => {
    const part = element('section'), list = element('ol', undefined, className)
    const rows = []
    for (const moment of moments) {
      const last = rows.at(-1)
      if (last && last.task === moment.task && last.name === moment.name) last.count++
      else rows.push({ ...moment, count: 1 })
    }
    const most = 9
    const shown = rows.length > most ? [...rows.slice(0, 4), null, ...rows.slice(-4)] : rows
    for (const each of shown) {
      if (!each) { list.append(element('li', '…')); continue }
      const item = element('li'), isRacing = story.places.some(place => place.kind === 'race' && (place.name === each.name || place.callers.some(caller => caller.name === each.name)))
      item.append(element('b', `task ${each.task}`), ` ${each.source || each.name}${each.count > 1 ? ` ×${each.count}` : ''}`)
      item.title = each.name
      if (isRacing) item.className = 'line'
      if (className === 'fails') item.onclick = () => go(stepItem[each.step - 1])
      list.append(item)
    }
    part.append(element('h3', name), list)
    return part
  }
  row.append(of('✘ this order fails', story.failing, 'fails'), of('✔ this order passes', story.passing, 'passes'))
  box.append(row)
  return box
}
/// What the signs in the lanes mean; only those that occur.
function showLegend() {
  const names = { task: 'step of a task', actor: 'on an actor', main: 'on the main actor', event: 'event of the world' }
  const classOfSteps = new Set(steps.kind.map((_, s) => stepClass(s)))
  const used = kinds.filter(kind => classOfSteps.has(kind)).map(kind => [kind, 'square', names[kind]])
  const classes = new Set(events.kind.map((_, e) => eventClass(e)))
  const others = [['message', 'arrow', 'message'], ['fault', 'triangle', 'fault'], ['violated', 'triangle', 'property violated'],
    ['check', 'dot', 'property holds'], ['note', 'dot', 'note']].filter(([name]) => classes.has(name))
  if (lost.size) others.push(['fault', 'cut', 'lost message'])
  if (steps.preempting.length) others.push(['preempting', 'caret', 'chosen although another could go on'])
  if (failedItem >= 0) others.push(['violated', 'bar', 'failure'])
  if (curve.length) others.push(['violated', 'curve', 'how likely it is from here on'])
  $('legend').replaceChildren(...[...used, ...others].map(([name, shape, text]) => {
    const row = element('li'), sign = element('i', undefined, shape)
    sign.style.setProperty('--sign', colors[name])
    row.append(sign, text)
    return row
  }))
}
function showPanel() {
  if (cursor < 0) { $('where').textContent = 'empty run'; return }
  const step = stepAt(cursor)
  $('where').textContent = !stepCount ? duration(itemTime[cursor]) : `${step < 0 ? 'before the first step' : `step ${number(step + 1)} of ${number(stepCount)}`} · ${duration(itemTime[cursor])}`
  const rows = []
  if (isEvent(cursor)) rows.push(['event', eventText(eventOf(cursor))], ['on', events.node[eventOf(cursor)]])
  else {
    const task = steps.task[step], record = tasks[taskAt.get(task)]
    rows.push(['node', data.nodes[steps.node[step]]], ['ran', kindText(step)])
    if (data.places[steps.place[step]]?.includes(' at ')) rows.push(['from', data.places[steps.place[step]]])
    if (steps.actor[step]) rows.push(['on actor', `${data.actors[steps.actor[step]]} #${steps.actor[step]}`])
    if (steps.preempting.includes(step + 1)) rows.push(['preempts', 'it was chosen although another could go on'])
    if (record) {
      rows.push(['task', taskLabel(task)])
      if (record.place.includes(' at ')) rows.push(['spawned at', record.place])
      if (record.parent) rows.push(['spawned by', taskLabel(record.parent)])
    }
    if (slice) rows.push(['causal history', `${number(slice.count)} of the ${number(step + 1)} steps so far`])
    rows.push(['scheduled', steps.ready[step] > 1 ? `${steps.choice[step] + 1} of ${steps.ready[step]} runnable` : '1 of 1 runnable'])
  }
  const point = curve.findLast(point => point.item <= cursor)
  if (point) rows.push(['fails', `in ${point.failures} of ${point.futures} futures that begin after step ${number(point.steps)}`])
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
  if (!list.length) list.push(element('li', 'no events yet'))
  $('log').replaceChildren(...list)
}
