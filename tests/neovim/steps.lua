-- The steps of tests/neovim/run, in the Neovim that it starts: each waits for what it asks and writes a line; the first
-- that fails ends Neovim.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
local report = dofile(here .. '/report.lua')(120)
local say, check, await = report.say, report.check, report.await

local function text_of(path)
  local buffer = vim.fn.bufnr(path)
  if buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) then
    return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  end
  return table.concat(vim.fn.readfile(path), '\n')
end

-- Puts the cursor on the first place of a text in the buffer, some bytes further.
local function go_to(text, further)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local row, column = unpack(vim.fn.searchpos(text, 'cW'))
  check(row > 0, 'found no ' .. text)
  vim.api.nvim_win_set_cursor(0, { row, column - 1 + (further or 0) })
end

local function client()
  local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  for _, one in ipairs(clients) do
    if one.name == 'visa' and one.server_capabilities then
      return one
    end
  end
end

-- What the protocol answers with where the client's next change came before the answer: Neovim sends the changes of other
-- buffers a moment after they are made.
local CONTENT_MODIFIED = -32801

local function ask(method, parameters)
  for _ = 1, 20 do
    local answers, problem = vim.lsp.buf_request_sync(0, method, parameters, 120000)
    check(answers, method .. ' has no answer', problem)
    local _, answer = next(answers)
    if not (answer and answer.error and answer.error.code == CONTENT_MODIFIED) then
      check(not (answer and answer.error), method .. ' is refused', answer and answer.error)
      return answer and answer.result
    end
    vim.wait(100)
  end
  check(false, method .. ' is overtaken again and again')
end

local server = await('the server', client)
local encoding = server.offset_encoding or 'utf-16'

local function position()
  return vim.lsp.util.make_position_params(0, encoding)
end

-- Some answers name edits, others have to be asked for them.
local function apply(action)
  if not action.edit then
    action = check(ask('codeAction/resolve', action), 'the action has an edit', action)
  end
  vim.lsp.util.apply_workspace_edit(action.edit, encoding)
end

local function run()
  say('1. the server answers, positions in ' .. encoding)

  local function slice_size()
    for _, found in ipairs(vim.diagnostic.get(0)) do
      if found.code == 'slice_size' or (found.user_data and vim.inspect(found.user_data):find('slice_size', 1, true)) then
        return found
      end
    end
  end
  local found = await('the finding slice_size', slice_size)
  check(found.message:find('256', 1, true), 'it names the 256 slices', found)
  local line = vim.api.nvim_buf_get_lines(0, found.lnum, found.lnum + 1, false)[1]
  check(line:find('m![Rows / 2]', 1, true) or line:find('DmTensor', 1, true), 'it stands at the type', found)
  if vim.fn.has('nvim-0.11') == 1 then
    -- The block of the page that asks for it is in effect: the words stand behind the line.
    local function behind()
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })) do
        for _, chunk in ipairs(mark[4].virt_text or {}) do
          if chunk[1]:find('256', 1, true) then
            return true
          end
        end
      end
    end
    await('the words of the finding as virtual text', behind)
  end
  say('2. the finding slice_size is shown')

  go_to('m!\\[Rows, Columns')
  vim.fn.search('Columns', 'c')
  local hover = check(ask('textDocument/hover', position()), 'a hover on an axis')
  check(vim.inspect(hover):find('64', 1, true), 'the hover tells the size 64', hover)
  say('3. a hover tells the size of an axis')

  -- What the server sent, as a code action gives it back.
  local function as_sent(found)
    local lsp = found.user_data.lsp
    return lsp.range and { lsp } or vim.lsp.diagnostic.get_line_diagnostics(0, found.lnum)
  end
  local parameters = {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = {
      start = { line = found.lnum, character = found.col },
      ['end'] = { line = found.lnum, character = found.col },
    },
    context = { only = { 'quickfix' }, diagnostics = as_sent(found) },
  }
  local actions = check(ask('textDocument/codeAction', parameters), 'quick fixes')
  local fix
  for _, action in ipairs(actions) do
    if action.title:find('256', 1, true) then
      fix = fix or action
    end
  end
  check(fix, 'a quick fix names 256', actions)
  apply(fix)
  check(text_of('src/lib.rs'):find('# 256', 1, true), 'the slice is padded to 256', text_of('src/lib.rs'))
  await('the finding to go', function()
    return not slice_size()
  end)
  say('4. the quick fix is applied and the finding goes')

  -- From a use behind letters of several bytes, in the other file, through the import.
  vim.cmd('edit src/sizes.rs')
  await('the server in the other file', function()
    for _, one in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)({ bufnr = 0 })) do
      if one.name == 'visa' then
        return true
      end
    end
    return not vim.lsp.get_clients
  end)
  go_to('Inner = m!\\[Columns', #'Inner = m![')
  local rename = position()
  rename.newName = 'Width'
  vim.lsp.util.apply_workspace_edit(check(ask('textDocument/rename', rename), 'a rename'), encoding)
  check(text_of('src/sizes.rs'):find('axes![Rows = 256, Width = 64];', 1, true), 'the declaration', text_of('src/sizes.rs'))
  check(text_of('src/sizes.rs'):find('Inner = m![Width];', 1, true), 'the use', text_of('src/sizes.rs'))
  check(text_of('src/lib.rs'):find('use sizes::{Width, Inner as Line, Rows};', 1, true), 'the import', text_of('src/lib.rs'))
  check(not text_of('src/lib.rs'):find('Columns', 1, true), 'no other is left', text_of('src/lib.rs'))
  say('5. a rename changes an axis in both files')

  -- Neovim tells a change of a buffer that is not shown a moment later.
  await('5 references', function()
    local references = position()
    references.context = { includeDeclaration = true }
    return #(ask('textDocument/references', references) or {}) == 5
  end)
  say('6. references of the axis are found in both files')

  vim.cmd('edit src/lib.rs')
  go_to('1 # 2')
  vim.api.nvim_set_current_line('type Cluster = m![1];')
  await('the finding cluster_size', function()
    for _, one in ipairs(vim.diagnostic.get(0)) do
      if one.code == 'cluster_size' then
        return true
      end
    end
  end)
  vim.cmd('write')
  check(text_of('src/lib.rs'):find('type Cluster = m![1 # 2];', 1, true), 'saving mends it', text_of('src/lib.rs'))
  say('7. saving mends what has a sure fix')

  -- Kernels of the other languages, beside the package.
  -- `vim.filetype.add` works from 0.8 on without a setting.
  vim.cmd('autocmd BufNewFile,BufRead *.pto setfiletype pto')
  local function other_language(step, file, rule, place, words)
    vim.cmd('edit ' .. file)
    local function finding()
      for _, one in ipairs(vim.diagnostic.get(0)) do
        if one.code == rule then
          return one
        end
      end
    end
    local found = await('the finding ' .. rule, finding)
    local actions = check(ask('textDocument/codeAction', {
      textDocument = vim.lsp.util.make_text_document_params(),
      range = {
        start = { line = found.lnum, character = found.col },
        ['end'] = { line = found.lnum, character = found.col },
      },
      context = { only = { 'quickfix' }, diagnostics = as_sent(found) },
    }), 'quick fixes')
    check(#actions > 0, 'a quick fix of ' .. rule)
    apply(actions[1])
    await(rule .. ' to go', function()
      return not finding()
    end)
    go_to(place)
    local hover = check(ask('textDocument/hover', position()), 'a hover in ' .. file)
    check(vim.inspect(hover):find(words, 1, true), 'the hover tells ' .. words, hover)
    say(step .. '. ' .. file .. ': the finding, its fix and a hover')
  end
  other_language('8', 'kernels.pto', 'pto_padding_disabled', 'copy_gm_to_ubuf', 'rows')
  go_to('%ub = ', 1)
  rename = position()
  rename.newName = 'tile'
  vim.lsp.util.apply_workspace_edit(check(ask('textDocument/rename', rename), 'a rename'), encoding)
  local renamed = text_of('kernels.pto')
  check(renamed:find('%tile = pto.castptr', 1, true) and not renamed:find('%ub', 1, true), 'all uses', renamed)
  say('9. a rename changes a value of PTO')
  other_language('10', 'kernels.py', 'nki_engine_ignored', 'nisa.dma_copy(', 'bytes')
end

report.run(run)
