'use strict'

// Usage: node drive.js ENGINE ARGS...
// See README.md.

const assert = require('assert')
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

// send asks for something that must succeed and returns the text.
async function send(controller, name, ...args) {
  const response = await controller.sendCommand({name, args: args.map(String)})
  assert(!response.error, `${name} ${args}: ${response.content}`)
  return response.content
}

// analyze streams a few lines, stops as Sabaki does, and returns what came.
async function analyze(controller, name, ...args) {
  const lines = []
  let enough
  const streamed = new Promise(resolve => (enough = resolve))
  const stream = controller.sendCommand({name, args: args.map(String)}, ({line}) => {
    lines.push(line)
    if (lines.filter(l => l.startsWith('info ')).length === 3) enough()
  })
  await streamed
  const began = Date.now()
  const [, version] = await Promise.all([stream, send(controller, 'protocol_version')])
  assert.strictEqual(version, '2')
  return {
    info: lines.filter(l => l.startsWith('info ')).length,
    first: lines.find(l => l.startsWith('info ')),
    odd: lines.filter(l => l !== '' && l !== '=' && !/^=\d*\s*$/.test(l) && !l.startsWith('info ')),
    stopped: Date.now() - began
  }
}

async function main([engine, ...args]) {
  const controller = new Controller(engine, args)
  const tracker = new ControllerStateTracker(controller)
  const result = {}
  let stopped
  const ended = new Promise(resolve => (stopped = resolve))
  controller.on('stopped', ({signal}) => stopped(signal))
  controller.start()

  // Sabaki sends these at once when an engine is attached.
  const [name, version, protocol, list] = await Promise.all(
    ['name', 'version', 'protocol_version', 'list_commands'].map(c => send(controller, c))
  )
  Object.assign(result, {name, version, protocol, commands: list.split('\n')})

  // A game is loaded, walked back, branched, and resized.
  const play = (color, vertex) => ({name: 'play', args: [color, vertex]})
  const game = [play('B', 'E5'), play('W', 'C3'), play('B', 'G3')]
  for (const [boardsize, history] of [
    [[9, 9], game],
    [[9, 9], game.slice(0, 2)],
    [[9, 9], [...game.slice(0, 1), play('W', 'pass'), play('B', 'D4')]],
    [[9, 13], [{name: 'set_free_handicap', args: ['C3', 'G3']}, play('W', 'E7')]],
    [[9, 9], game]
  ]) {
    await tracker.sync({komi: 6.5, boardsize, timeSettings: {mainTime: 0, byoyomiTime: 1, byoyomiStones: 1}, history})
    result.boards = [...(result.boards || []), await send(controller, 'showboard')]
  }

  result.moves = []
  for (const color of ['W', 'B', 'W']) result.moves.push(await send(controller, 'genmove', color))
  const genmove = []
  const answer = await controller.sendCommand({name: 'lz-genmove_analyze', args: ['B', '10']}, ({line}) => genmove.push(line))
  assert(!answer.error)
  result.genmoveAnalyze = {content: answer.content, last: genmove.filter(l => l !== '').pop()}
  result.history = tracker.state.history.length

  result.analysis = {}
  for (const command of ['lz-analyze', 'kata-analyze']) {
    result.analysis[command] = await analyze(controller, command, 'W', 5)
  }
  const unknown = await controller.sendCommand({name: 'no-such-command', args: []})
  result.unknown = {error: unknown.error, content: unknown.content}
  result.score = await send(controller, 'final_score')

  const began = Date.now()
  await controller.stop()
  result.exit = await ended
  result.quit = Date.now() - began
  console.log(JSON.stringify(result))
}

main(process.argv.slice(2)).catch(err => {
  console.error(err)
  process.exit(1)
})
