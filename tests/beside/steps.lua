-- The steps of tests/beside/run, in the Neovim that it starts: each waits for what it asks and writes a line; the first
-- that fails ends Neovim.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
-- rust-analyzer loads the library first.
local report = dofile(here .. '/../neovim/report.lua')(300)
local say, check, await = report.say, report.check, report.await

local function client(name)
  return vim.lsp.get_clients({ bufnr = 0, name = name })[1]
end

local function parameters(row, column)
  vim.api.nvim_win_set_cursor(0, { row, column })
  return function(one)
    return vim.lsp.util.make_position_params(0, one.offset_encoding)
  end
end

-- What a server answers; nothing where it refuses.
local function ask(name, method, what)
  local one = client(name)
  local answer = one and one:request_sync(method, type(what) == 'function' and what(one) or what, 60000, 0)
  return answer and answer.result
end

-- The line and byte of the first place of a text, some bytes further.
local function place(text, further)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local at = line:find(text, 1, true)
    if at then
      return number, at - 1 + (further or 0)
    end
  end
  check(false, 'found no ' .. text)
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

local AXIS = 'Got'
local SERVERS = { 'visa', 'rust_analyzer' }

local function start(name)
  vim.lsp.enable(name)
  await(name, function()
    return client(name)
  end)
end

-- Each server knows its own: rust-analyzer once it has expanded the macros of the library.
local function ready(name)
  local row, column = place('DmTensor<D, Chip', 1)
  if name == 'visa' then
    row, column = place('axes![O = 2880, Got', #'axes![O = 2880, G')
  end
  await(name .. ' to answer', function()
    return ask(name, 'textDocument/hover', parameters(row, column))
  end)
end

local function words(hover)
  return vim.inspect(hover and hover.contents or '')
end

local function names(answer)
  local found = {}
  for _, item in ipairs(answer and (answer.items or answer) or {}) do
    found[#found + 1] = item.label:match('^[%w_!]+')
  end
  return found
end

local function run()
  local order = os.getenv('ORDER') == 'first' and { 'rust_analyzer', 'visa' } or SERVERS
  for _, name in ipairs(order) do
    start(name)
    ready(name)
  end
  say('1. both servers answer, ' .. table.concat(order, ' first, then '))

  -- The colours at a place: the kinds, by server.
  local function colours(row, column)
    local found = {}
    for _, token in ipairs(vim.lsp.semantic_tokens.get_at_pos(0, row - 1, column) or {}) do
      found[vim.lsp.get_client_by_id(token.client_id).name] = token.type
    end
    return found
  end
  local row, column = place('pub fn up', #'pub fn ')
  await('the colour of a function', function()
    return colours(row, column).rust_analyzer == 'function'
  end)
  check(not colours(row, column).visa, 'ordinary Rust has the colours of rust-analyzer alone', colours(row, column))
  local in_macro, of_axis = place('m![Got, Hp / 32], m![Hp % 32]', #'m![')
  await('the colour of an axis', function()
    return colours(in_macro, of_axis).visa
  end)
  say('2. colours: a function is ' .. colours(row, column).rust_analyzer .. ', an axis ' .. vim.inspect(colours(in_macro, of_axis), { newline = '', indent = '' }))

  row, column = place('let x: TrfTensor', #'let ')
  local both = {}
  for _, name in ipairs(SERVERS) do
    -- An answer that is overtaken by what rust-analyzer still loads is asked for again.
    both[name] = words(await('a hover of ' .. name, function()
      return ask(name, 'textDocument/hover', parameters(row, column))
    end))
  end
  check(both.rust_analyzer:find('TrfTensor', 1, true), 'rust-analyzer says the type', both)
  check(both.visa:find('bytes', 1, true) or both.visa:find('B', 1, true), 'visa-lsp says what the tensor takes', both)
  say('3. hovers of both on a tensor')

  -- Behind a point of a chain: nothing twice, though both know the methods.
  row, column = place('.fetch::<m![Got, Hp / 32]', 1)
  vim.lsp.util.make_position_params(0, 'utf-8')
  local counts, doubled, total = {}, {}, { visa = 0, rust_analyzer = 0 }
  for _, name in ipairs(SERVERS) do
    local answer = await('completions of ' .. name, function()
      return ask(name, 'textDocument/completion', parameters(row, column))
    end)
    for _, label in ipairs(names(answer)) do
      total[name] = total[name] + 1
      counts[label] = counts[label] or {}
      counts[label][name] = true
    end
  end
  for label, by in pairs(counts) do
    if by.visa and by.rust_analyzer then
      doubled[#doubled + 1] = label
    end
  end
  check(total.rust_analyzer > 0 and counts.fetch, 'rust-analyzer completes the methods', total)
  check(#doubled == 0, 'completed twice', doubled)
  row, column = place('.fetch::<m![Got, Hp / 32]', #'.fetch::<m![Got, ')
  local inside = names(ask('visa', 'textDocument/completion', parameters(row, column)))
  check(vim.tbl_contains(inside, 'Hp'), 'visa-lsp completes axes', inside)
  say(('4. behind a point %d rows of rust-analyzer and %d of visa-lsp, none twice'):format(total.rust_analyzer, total.visa))

  -- By the key of the set-up: the whole axis is renamed, and the name is asked for once.
  local before = text()
  local uses = select(2, before:gsub('%f[%w]' .. AXIS .. '%f[%W]', ''))
  for _, where in ipairs({ 'axes![O = 2880, Got', 'm![Got, Hp / 32], m![Hp % 32]' }) do
    local asked = 0
    vim.ui.input = function(_, answer)
      asked = asked + 1
      answer('Routed')
    end
    row, column = place(where, where:find('Got', 1, true) - 1)
    vim.api.nvim_win_set_cursor(0, { row, column })
    vim.fn.maparg('grn', 'n', false, true).callback()
    await('every place renamed', function()
      local _, new = text():gsub('%f[%w]Routed%f[%W]', '')
      return new == uses
    end)
    -- Time in which a second question would come: that none comes has no other sign.
    vim.wait(1000)
    check(asked == 1, 'asked for the name', asked)
    local _, old = text():gsub('%f[%w]' .. AXIS .. '%f[%W]', '')
    check(old == 0, 'places that keep the old name', text())
    vim.cmd('silent! undo 0')
    check(text() == before, 'one undo brings the text back', text())
    -- Neovim tells an undo before the next question, and a server that still works on it has no answer.
    for _, name in ipairs(SERVERS) do
      ready(name)
    end
  end
  say(('5. a rename of an axis changes %d places and asks once'):format(uses))
end

report.run(run)
