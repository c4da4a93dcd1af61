// Shows the step at the cursor: what it is, what led to it, and the state of the world.

function element(name, text, className) {
  const made = document.createElement(name)
  if (text !== undefined) made.textContent = text
  if (className) made.className = className
  return made
}
/// The places whose order matters, with their source.
function showStory() {
  const story = data.story
  $('story').hidden = !story
  if (!story) return
  $('summary').textContent = story.summary
  $('places').replaceChildren(...story.places.map(place => {
    const box = element('article'), code = element('pre')
    place.source.forEach((text, index) => {
      const line = element('span', undefined, place.firstLine + index === place.line ? 'line' : undefined)
      line.append(element('i', place.firstLine + index), text)
      code.append(line)
    })
    box.append(element('h3', place.title), element('p', `${place.function} · ${place.name}`), code)
    if (place.step) {
      const made = element('button', `step ${number(place.step)}`)
      made.onclick = () => go(stepItem[place.step - 1])
      box.append(made)
    }
    return box
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
    if (steps.place[step]) rows.push(['from', data.places[steps.place[step]]])
    if (steps.actor[step]) rows.push(['on actor', `${data.actors[steps.actor[step]]} #${steps.actor[step]}`])
    if (record) {
      rows.push(['task', taskLabel(task)])
      if (record.place) rows.push(['spawned at', record.place])
      if (record.parent) rows.push(['spawned by', taskLabel(record.parent)])
    }
    if (slice) rows.push(['causal history', `${number(slice.count)} of the ${number(step + 1)} steps so far`])
    rows.push(['scheduled', steps.ready[step] > 1 ? `${steps.choice[step] + 1} of ${steps.ready[step]} runnable` : '1 of 1 runnable'])
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
  if (!list.length) list.push(element('li', 'no events yet'))
  $('log').replaceChildren(...list)
}
