-- What the steps of an editor's test share: a report with a line a step, checks that end Neovim, and waiting.
-- `dofile('report.lua')(SECONDS)` waits so long for a state.
return function(seconds)
  local file = assert(io.open(os.getenv('REPORT'), 'w'))
  local report = {}

  function report.say(text)
    file:write(text, '\n')
    file:flush()
  end

  function report.check(truth, text, ...)
    if not truth then
      report.say('FAILED: ' .. text)
      for _, more in ipairs({ ... }) do
        report.say(vim.inspect(more))
      end
      file:close()
      vim.cmd('cquit')
    end
    return truth
  end

  -- Waits for a value that is neither nil nor false.
  function report.await(what, ask)
    local value
    vim.wait(seconds * 1000, function()
      value = ask()
      return value
    end, 20)
    return report.check(value, 'waited ' .. seconds .. ' s for ' .. what)
  end

  -- Runs the steps to their end, and says that.
  function report.run(steps)
    local passed, problem = xpcall(steps, debug.traceback)
    report.check(passed, 'an error', problem)
    report.say('all steps passed')
    file:close()
    vim.cmd('qall!')
  end

  return report
end
